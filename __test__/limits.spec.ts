// Limits hold at any cutting, and what lies beyond one is reported, never cut off and accepted.

import { describe, expect, it } from 'vitest';

import { check, createScanner, parse, parseToolArguments } from '../src/index.js';
import type { Outcome, ScanError } from '../src/index.js';
import { cut, feedAll, units } from './support/drive.js';
import type { Fragment } from './support/drive.js';
import { cpuTime } from './support/cpu-time.js';

const MiB = 1024 * 1024;

function errorOf(outcome: Outcome): ScanError | null {
  return outcome.status === 'reported' ? outcome.error : null;
}

describe('maxBytes', () => {
  const text = ' {"a":"é日🚀", "b":[1.5e3]}\n';
  const size = Buffer.byteLength(text);

  it('counts all bytes of UTF-8 that are fed, white space around the object too', () => {
    for (const raw of [text, Buffer.from(text)]) {
      expect(parseToolArguments('t', raw, { maxBytes: size })).toMatchObject({
        status: 'accepted',
      });
      expect(parseToolArguments('t', raw, { maxBytes: size - 1 })).toMatchObject({
        kind: 'too-large',
        reason: `more than ${size - 1} bytes`,
      });
    }
  });

  it('holds at every cutting in two, of strings and of bytes', () => {
    for (const raw of [text, Buffer.from(text)] as const) {
      for (let maxBytes = 0; maxBytes <= size; maxBytes++) {
        const expected = parseToolArguments('t', raw, { maxBytes });
        expect(expected.status === 'accepted', String(maxBytes)).toBe(maxBytes === size);
        for (let place = 1; place < raw.length; place += 3) {
          const pieces = cut<Fragment>(raw, [place]);
          const scanner = feedAll(pieces, { maxBytes });
          expect(scanner.finish('t'), `${maxBytes} at ${place}`).toEqual(expected);
          expect(scanner.bytes).toBe(size);
        }
        expect(feedAll(units<Fragment>(raw), { maxBytes }, true).finish('t')).toEqual(expected);
      }
    }
  });

  it('the verdict is malformed at the byte that is too much, and its error says where that is', () => {
    for (const maxBytes of [0, 1, 7, 8, 9, 12, 15, 16]) {
      const scanner = createScanner({ maxBytes, keepText: false });
      let fed = 0;
      for (const byte of Buffer.from(text)) {
        scanner.feed(Uint8Array.of(byte));
        fed++;
        expect(scanner.verdict === 'malformed', `${maxBytes} after ${fed}`).toBe(fed > maxBytes);
        expect(scanner.error?.code).toBe(fed > maxBytes ? 'too-large' : undefined);
      }
      expect(scanner.error?.reason).toBe(`more than ${maxBytes} bytes`);
    }
  });

  it.each([1, 4, 24, 25, 300])(
    'the verdict is malformed as soon in a long string, fed %i units at a time',
    (length) => {
      for (const character of ['x', 'é', '日']) {
        for (const maxBytes of [10, 4095, 4096, 4103, 4500, 6000]) {
          const scanner = createScanner({ maxBytes, keepText: false });
          scanner.feed('{"a":"');
          const fragment = character.repeat(length);
          for (let fed = 6; fed <= maxBytes + 2000;) {
            scanner.feed(fragment);
            fed += Buffer.byteLength(fragment);
            if ((scanner.verdict === 'malformed') !== fed > maxBytes) {
              expect.fail(`${scanner.verdict} after ${fed} of ${maxBytes} bytes`);
            }
          }
          expect(scanner.error).toMatchObject({ code: 'too-large' });
          expect(scanner.error!.offset).toBe(
            6 + Math.floor((maxBytes - 6) / Buffer.byteLength(character)),
          );
        }
      }
    },
  );

  it('points at the first character that does not fit', () => {
    // In bytes é begins at 7, 日 at 9, 🚀 at 12; in units at 7, 8 and 9.
    for (const [maxBytes, inUnits, inBytes] of [
      [7, 7, [7]],
      [8, 7, [7, 8]],
      [9, 8, [9]],
      [11, 8, [9, 11]],
      [12, 9, [12]],
      [15, 9, [12, 15]],
      [16, 11, [16]],
    ] as const) {
      expect(errorOf(parseToolArguments('t', text, { maxBytes }))?.offset).toBe(inUnits);
      const { offset } = errorOf(parseToolArguments('t', Buffer.from(text), { maxBytes }))!;
      expect(inBytes, String(maxBytes)).toContain(offset);
    }
  });

  it('0 leaves room for nothing but nothing', () => {
    expect(parseToolArguments('t', '', { maxBytes: 0 })).toMatchObject({ repair: 'empty' });
    expect(parseToolArguments('t', ' ', { maxBytes: 0 })).toMatchObject({ kind: 'too-large' });
    expect(parseToolArguments('t', null, { maxBytes: 0 })).toMatchObject({ repair: 'empty' });
    expect(parseToolArguments('t', {}, { maxBytes: 1 })).toMatchObject({ kind: 'too-large' });
    const scanner = createScanner({ maxBytes: 0 });
    expect(scanner.verdict).toBe('empty');
    scanner.feed('{');
    expect(scanner.verdict).toBe('malformed');
  });

  it('half a pair that waits counts once somebody asks', () => {
    const scanner = createScanner({ maxBytes: 2 });
    scanner.feed('\u{d83d}');
    expect(scanner.bytes).toBe(0);
    expect(scanner.verdict).toBe('malformed');
    expect(createScanner({ maxBytes: 3 }).verdict).toBe('empty');
    const enough = feedAll(['\u{d83d}'], { maxBytes: 3 });
    expect(enough.verdict).toBe('incomplete');
    enough.feed('\u{de80}');
    expect(enough.verdict).toBe('malformed');
  });

  it('is 16 MiB where nothing is said, to the byte', () => {
    const fitting = `{"a":"${'x'.repeat(16 * MiB - 8)}"}`;
    expect(fitting).toHaveLength(16 * MiB);
    for (const raw of [fitting, Buffer.from(fitting)]) {
      expect(parseToolArguments('t', raw)).toMatchObject({ status: 'accepted' });
      const scanner = createScanner();
      scanner.feed(raw);
      expect(scanner.verdict).toBe('complete');
      expect(scanner.finish('t')).toMatchObject({ status: 'accepted' });
      scanner.feed(' ');
      expect(scanner.verdict).toBe('malformed');
      expect(scanner.finish('t')).toMatchObject({
        kind: 'too-large',
        reason: 'more than 16777216 bytes',
        echo: fitting.slice(0, 500),
        replay: JSON.stringify({ INVALID_JSON: fitting.slice(0, 500) }),
      });
    }
    expect(parseToolArguments('t', `${fitting} `)).toMatchObject({ kind: 'too-large' });
    expect(parseToolArguments('t', `${fitting} `, { maxBytes: Infinity })).toMatchObject({
      status: 'accepted',
    });
  });
});

describe('digits without end', () => {
  it.each([
    ['of a fraction', '{"a":0.', 'complete'],
    ['of a number too large to be one', '{"a":', 'malformed'],
    ['of zeros', '{"a":0.0', 'complete'],
    ['of an exponent', '{"a":0e', 'complete'],
  ])('16 MiB of them, one by one: %s', (_, start, verdict) => {
    const digit = start.endsWith('0') ? '0' : '1';
    const scanner = createScanner({ keepText: false });
    scanner.feed(start);
    const before = cpuTime();
    for (let count = start.length; count < 16 * MiB - 1; count++) {
      scanner.feed(digit);
    }
    expect(cpuTime() - before).toBeLessThan(20_000);
    expect(scanner.bytes).toBe(16 * MiB - 1);
    scanner.feed('}');
    expect(scanner.verdict).toBe(verdict);
    if (verdict === 'malformed') {
      expect(scanner.report('t')).toMatchObject({
        reason: `number out of range at line 1 column ${16 * MiB - 1}`,
      });
    } else {
      expect(scanner.span).toEqual({ start: 0, end: 16 * MiB });
    }
    scanner.feed(' ');
    expect(scanner.report('t')).toMatchObject({ kind: 'too-large' });
  });

  it('a MiB of them in bytes, looked at after each, with the text kept', () => {
    const scanner = createScanner();
    scanner.feed(Buffer.from('{"a":0.'));
    const digit = Buffer.from('1');
    for (let count = 0; count < MiB; count++) {
      scanner.feed(digit);
      if (scanner.verdict !== 'incomplete') {
        expect.unreachable();
      }
    }
    scanner.feed(Buffer.from('}'));
    expect(scanner.finish('t')).toMatchObject({
      status: 'accepted',
      text: `{"a":0.${'1'.repeat(MiB)}}`,
      value: { a: 0.1111111111111111 },
    });
  });
});

describe('depth', () => {
  const shapes: readonly (readonly [string, (depth: number) => [string, string]])[] = [
    ['objects', (depth) => ['{"a":'.repeat(depth), `1${'}'.repeat(depth)}`]],
    [
      'arrays in an object',
      (depth) => [`{"a":${'['.repeat(depth - 1)}`, `${']'.repeat(depth - 1)}}`],
    ],
    [
      'objects and arrays in turn',
      (depth) => {
        const opened = Array.from({ length: depth }, (_, level) =>
          level % 2 === 0 ? '{"a":' : '[',
        );
        const closed = opened.map((one) => (one === '[' ? ']' : '}')).toReversed();
        return [opened.join(''), `1${closed.join('')}`];
      },
    ],
  ];

  it.each(shapes)('127 levels pass and 128 do not, of %s', (_, shape) => {
    const [open, close] = shape(127);
    const text = open + close;
    expect(parseToolArguments('t', text)).toMatchObject({ text, repair: 'none' });
    expect(parseToolArguments('t', JSON.stringify(text))).toMatchObject({
      text,
      repair: 'double-encoding',
    });
    expect(parseToolArguments('t', `[[[ ${text}`)).toMatchObject({ text, repair: 'prose' });
    const scanner = feedAll([open]);
    expect([scanner.depth, scanner.verdict]).toEqual([127, 'incomplete']);

    const [deeper, end] = shape(128);
    const column = deeper.lastIndexOf(deeper.endsWith('[') ? '[' : '{') + 1;
    for (const fragments of [
      [deeper + end],
      units(deeper + end),
      units(Buffer.from(deeper + end)),
    ]) {
      const outcome = feedAll(fragments, {}, true).finish('t');
      expect(outcome).toMatchObject({
        kind: 'malformed',
        error: { code: 'recursion-limit', offset: column - 1, line: 1, column },
        reason: `recursion limit exceeded at line 1 column ${column}`,
      });
      expect(feedAll([JSON.stringify(deeper + end)]).finish('t')).toMatchObject({
        status: 'reported',
      });
    }
    expect(parse(deeper + end)).toEqual(JSON.parse(deeper + end));
  });

  const million = 1_000_000;

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
    ['{"a":[', ']}'],
    ['"{', '}"'],
    ['{"a":"{', '}"}'],
  ])('a million levels of %s are one more report', (open, close) => {
    for (const text of [open.repeat(million), open.repeat(million) + close.repeat(million)]) {
      for (const raw of [text, Buffer.from(text)]) {
        const checked = check(raw);
        expect(checked.repair).toBeNull();
        expect(parseToolArguments('t', raw)).toMatchObject({
          status: 'reported',
          kind: checked.kind,
          reason: checked.reason,
        });
        const scanner = createScanner({ keepText: false });
        for (let start = 0; start < raw.length; start += 100_000) {
          scanner.feed(raw.slice(start, start + 100_000));
        }
        expect(scanner.finishCheck()).toEqual(checked);
      }
    }
  });

  it('a million levels, double-encoded', () => {
    const text = JSON.stringify('{"a":'.repeat(million) + '}'.repeat(million));
    expect(check(text)).toMatchObject({ verdict: 'malformed', repair: null });
    expect(() => parse(text)).toThrow(SyntaxError);
    const scanner = createScanner({ keepText: false, echoLimit: 0 });
    scanner.feed(text.slice(0, 1 + 6 * 127));
    expect(scanner.verdict).toBe('incomplete');
    scanner.feed(text.slice(1 + 6 * 127));
    expect(scanner.verdict).toBe('malformed');
  });
});

describe('the number of fragments', () => {
  it('is not limited, and empty ones cost nothing', () => {
    const scanner = createScanner();
    scanner.feed('{"a":');
    for (let count = 0; count < 2_000_000; count++) {
      scanner.feed('');
    }
    scanner.feed('1}');
    expect(scanner.finish('t')).toMatchObject({ text: '{"a":1}' });
  });
});

describe('echoLimit', () => {
  it('Infinity quotes all of it, however long', () => {
    const text = 'é'.repeat(100_000);
    const outcome = parseToolArguments('t', text, { echoLimit: Infinity });
    expect(outcome).toMatchObject({ echo: text });
    for (const keepText of [true, false]) {
      const scanner = feedAll(
        cut(text, [1, 1000, 50_000]),
        { keepText, echoLimit: Infinity },
        true,
      );
      expect(scanner.report('t')).toEqual(outcome);
    }
  });

  it('may be any whole number, up to the largest', () => {
    for (const echoLimit of [3, 1000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      for (const keepText of [true, false]) {
        const scanner = feedAll(units('xyzé🚀'), { keepText, echoLimit }, true);
        expect(scanner.report('t')?.echo).toBe(Array.from('xyzé🚀').slice(0, echoLimit).join(''));
      }
    }
  });

  it('skips white space of any length before the text', () => {
    for (const white of [' ', '\u{a0}', '\n\u{2003}']) {
      const text = `${white.repeat(5000)}hello`;
      for (const raw of [text, Buffer.from(text)]) {
        for (const keepText of [true, false]) {
          const scanner = feedAll(units<Fragment>(raw), { keepText, echoLimit: 3 }, true);
          expect(scanner.report('t')).toMatchObject({ echo: 'hel' });
          expect(scanner.report('t')!.message).toContain('Received: hel…\n');
        }
      }
    }
  });
});
