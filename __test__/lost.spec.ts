// What a scanner could not keep it never decides without (guarantee 6), and the failure is its own
// and nobody else's (guarantee 5). A text too long for a string is the cheapest way to get there.

import { describe, expect, it } from 'vitest';

import { createScanner } from '../src/index.js';

const half = 2 ** 28;

describe('guarantee 6, nothing lost: a text that cannot be kept', () => {
  it('is an error in every member until reset, and never an outcome', () => {
    const scanner = createScanner({ maxBytes: Infinity });
    const spaces = ' '.repeat(half);
    scanner.feed('{"a":1,');
    scanner.feed(spaces);
    expect(() => {
      scanner.feed(spaces);
    }).toThrow(RangeError);
    for (const look of [
      () => scanner.verdict,
      () => scanner.finish('tool'),
      () => scanner.report('tool'),
      () => {
        scanner.feed(Buffer.from('"b":2}'));
      },
    ]) {
      expect(look).toThrow('could not keep its text');
    }
    scanner.reset();
    scanner.feed('{"a":1}');
    expect(scanner.finish('tool').status).toBe('accepted');
  });

  it('guarantee 5: leaves other scanners and the event loop alone', async () => {
    const failing = createScanner({ maxBytes: Infinity });
    const spaces = ' '.repeat(half);
    failing.feed(spaces);
    expect(() => {
      failing.feed(spaces);
    }).toThrow(RangeError);
    failing.reset();
    const other = createScanner();
    other.feed('{"a":1}');
    await Promise.resolve();
    expect(other.verdict).toBe('complete');
    other[Symbol.dispose]();
  });
});

describe('an empty fragment is nothing', () => {
  it('guarantee 1: also of bytes, before and among strings', () => {
    const empty = new Uint8Array(0);
    const first = createScanner();
    first.feed(empty);
    first.feed('{"a":"\u00e9"}');
    expect(first.finish('tool')).toMatchObject({
      text: '{"a":"\u00e9"}',
      span: { start: 0, end: 9 },
    });
    const between = createScanner();
    for (const fragment of ['{"a":"', '\ud83d', empty, '\ude80', Buffer.from('"}')]) {
      between.feed(fragment);
    }
    expect(between.finish('tool')).toMatchObject({ value: { a: '\ud83d\ude80' } });
  });
});

describe('guarantee 6, nothing lost: at the end of the stack', () => {
  it('is decided with all of the text, or not at all', () => {
    for (let round = 0; round < 20; round++) {
      const scanner = createScanner();
      scanner.feed('{"path":"/tmp/');
      expect(scanner.verdict).toBe('incomplete');
      scanner.feed('safe\\nd/');
      const dive = (): void => {
        try {
          dive();
        } catch {
          // Every frame looks again while the stack unwinds.
        }
        try {
          void scanner.verdict;
        } catch {
          // No room for the look.
        }
      };
      dive();
      let text: string | null = null;
      try {
        scanner.feed('"}');
        const outcome = scanner.finish('tool');
        text = outcome.status === 'accepted' ? outcome.text : '';
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      expect([null, '{"path":"/tmp/safe\\nd/"}']).toContain(text);
    }
  });
});
