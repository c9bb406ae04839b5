// What a scanner could not keep it never decides without (guarantee 6), and the failure is its own
// and nobody else's (guarantee 5). A text too long for a string is the cheapest way to get there.

import { describe, expect, it, vi } from 'vitest';

import { createScanner, parseToolArguments } from '../src/index.js';

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

/**
 * Tries something so many frames before the end of the stack, and then, until it works, with a frame
 * more of room each time: sooner or later the stack ends in each of its calls.
 */
function nearTheStacksEnd(frames: number, act: () => void): void {
  let frame = 0;
  let done = false;
  const dive = (): void => {
    try {
      dive();
    } catch {
      // Here the stack ended.
    }
    if (done || frame++ < frames) {
      return;
    }
    try {
      act();
      done = true;
    } catch {
      // No room yet.
    }
  };
  dive();
}

describe('guarantee 5, nothing mixed: at the end of the stack', () => {
  it('no scanner gets what another one was fed', () => {
    for (let frames = 0; frames < 100; frames++) {
      const [first, second] = [createScanner(), createScanner()];
      first.feed('{"a":"AAAA');
      expect(first.verdict).toBe('incomplete');
      second.feed('{"b":"BBBB');
      expect(second.verdict).toBe('incomplete');
      first.feed('aaa');
      expect(first.verdict).toBe('incomplete');
      let fed = '';
      nearTheStacksEnd(frames, () => {
        second.feed('bbb');
        fed = 'bbb';
      });
      for (const [scanner, text] of [
        [second, `{"b":"BBBB${fed}"}`],
        [first, '{"a":"AAAAaaa"}'],
      ] as const) {
        let outcome;
        try {
          void scanner.verdict;
          scanner.feed('"}');
          outcome = scanner.finish('tool');
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          continue;
        }
        expect(outcome).toMatchObject({ status: 'accepted', text });
      }
    }
  });
});

describe('guarantee 6, nothing lost: a reset that the end of the stack cut short', () => {
  it('leaves the scanner as it was, a new one, or one that throws', () => {
    for (let frames = 0; frames < 100; frames++) {
      const scanner = createScanner();
      const reset = (): void => {
        try {
          scanner.reset();
        } catch {
          // A RangeError of the stack's, and no other try.
        }
      };
      // What has run before needs no room for its compilation.
      reset();
      scanner.feed(Buffer.from('{"old":'));
      scanner.feed('1,');
      nearTheStacksEnd(frames, reset);
      let text = null;
      try {
        scanner.feed('"new":1}');
        const outcome = scanner.finish('tool');
        text = outcome.status === 'accepted' ? outcome.text : outcome.replay;
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      expect([null, '{"INVALID_JSON":"\\"new\\":1}"}', '{"old":1,"new":1}']).toContain(text);
    }
  });
});

describe('guarantee 6, nothing lost: once the stack has ended in Node', () => {
  it('takes no text from memory that a broken pool of buffers gives out', () => {
    // What `Buffer.from` does with strings from then on: the right length, and whatever stood there.
    const from = Buffer.from.bind(Buffer);
    const broken = vi
      .spyOn(Buffer, 'from')
      .mockImplementation(((...given: [unknown]) =>
        typeof given[0] === 'string'
          ? Buffer.alloc(Buffer.byteLength(given[0]))
          : Reflect.apply(from, undefined, given)) as typeof Buffer.from);
    try {
      expect(Buffer.from('text').toString()).not.toBe('text');
      for (const filler of ['x', '\u{e9}', '\u{65e5}', '\u{1f680}']) {
        for (const count of [1, 20, 3000, 300_000]) {
          const content = filler.repeat(count);
          const text = `{"a":"${content}","b":"${content}"}`;
          const bytes = new TextEncoder().encode(`${content}"}`);
          const mixed = createScanner();
          for (const fragment of [
            '{"a":"',
            content,
            '","b":"',
            bytes.slice(0, 1),
            bytes.slice(1),
          ]) {
            mixed.feed(fragment);
          }
          const { status, text: found } = mixed.finish('tool') as { status: string; text: string };
          expect({ status, same: found === text }).toEqual({ status: 'accepted', same: true });
          expect(parseToolArguments('tool', text)).toMatchObject({ status: 'accepted', text });
          const cut = createScanner({ echoLimit: 50 });
          cut.feed(text.slice(0, -2));
          expect(cut.report('tool')?.message).toContain(text.slice(0, 10));
          const repaired = parseToolArguments('tool', `${text}}`, { repairs: ['extra-closers'] });
          expect(repaired).toMatchObject({ status: 'accepted', text });
        }
      }
    } finally {
      broken.mockRestore();
    }
  });
});
