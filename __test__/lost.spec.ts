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
