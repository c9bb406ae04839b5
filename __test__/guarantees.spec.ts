// The seven guarantees, by their numbers and in their words, over texts that were chosen: every
// case that ships with the project. `properties.spec.ts` holds them over generated ones.

import { describe, expect, it } from 'vitest';

import { check, createScanner, parse, parseToolArguments } from '../src/index.js';
import { closers, continuationOf, mayLag } from './support/continuation.js';
import { cut, feedAll, inBytes, told, units } from './support/drive.js';
import type { Fragment } from './support/drive.js';
import { caseTexts, recordingRows } from './support/fixtures.js';
import { judge } from './support/rule.js';

/** Texts beside the cases: characters of every length, halves of pairs, white space to trim. */
const moreTexts = [
  '{"a":"é日🚀\\ud83d\\ude80"}',
  '\u{feff}{"a":1}',
  '\u{a0}\u{2003}{"é":[1,{"b":null}]}\u{85}',
  '"{\\"a\\":\\"\\\\ud83d\\\\ude80 \\u00e9\\"}"',
  '{"a":"\u{d83d}"}',
  '{"a":"\u{de80}\u{d83d}"}\u{d83d}',
  '```json\n{"a":1}\n```',
  '日本 {"a":1} 🚀',
  'x\u{d83d}',
];
const texts = [...caseTexts, ...moreTexts];
const shortTexts = texts.filter((text) => text.length <= 120);

/** Different texts need different cuts, the same ones in every run. */
function placesFor(text: Fragment): number[] {
  const places: number[] = [];
  for (let at = 1 + (text.length % 5); at < text.length; at += 1 + ((at * 7) % 13)) {
    places.push(at);
  }
  return places;
}

/** Strings and bytes in turn, cut between characters; half pairs would be lost otherwise. */
function mixed(text: string, bytesFirst: boolean): Fragment[] {
  const characters = Array.from(text.toWellFormed());
  return characters.map((character, index) =>
    (index % 3 === 0) === bytesFirst ? Buffer.from(character) : character,
  );
}

describe('guarantee 1, split invariance: any cutting of the same text gives the same final outcome', () => {
  it('for strings: whole, unit by unit, cut at chosen places, looked at or not', () => {
    for (const text of texts) {
      const whole = told([text]);
      expect(told(units(text)), text).toEqual(whole);
      expect(told(units(text), { look: true }), text).toEqual(whole);
      expect(told(cut(text, placesFor(text)), { look: true }), text).toEqual(whole);
    }
  });

  it('for strings cut in two at every place', () => {
    for (const text of shortTexts) {
      const whole = told([text]);
      for (let place = 1; place < text.length; place++) {
        expect(told(cut(text, [place]), { look: true }), `${text} at ${place}`).toEqual(whole);
      }
    }
  });

  it('for bytes: whole, byte by byte, cut at chosen places', () => {
    for (const text of texts) {
      const bytes = Buffer.from(text);
      const whole = inBytes(told([text]), text);
      expect(told([bytes]), text).toEqual(whole);
      expect(told(units(bytes)), text).toEqual(whole);
      expect(told(units(bytes), { look: true }), text).toEqual(whole);
      expect(told(cut(bytes, placesFor(bytes)), { look: true }), text).toEqual(whole);
    }
  });

  it('for strings and bytes in turn, with positions as the first fragment counts them', () => {
    for (const text of texts.filter((one) => one !== '')) {
      const wellFormed = text.toWellFormed();
      const whole = told([wellFormed]);
      expect(told(mixed(text, false)), text).toEqual(whole);
      expect(told(mixed(text, true), { look: true }), text).toEqual(inBytes(whole, wellFormed));
    }
  });

  it('with empty fragments between the others', () => {
    const fragments = ['', '{"a"', '', new Uint8Array(0), ':', '', '1}', ''];
    expect(told(fragments, { look: true })).toEqual(told(['{"a":1}']));
    const bytes = [new Uint8Array(0), '', Buffer.from('é{}')];
    expect(told(bytes).objectStart).toBe(2);
  });

  it('… and the same verdict at the same byte', () => {
    for (const text of shortTexts) {
      const stepwise = createScanner({ keepText: false });
      const bytewise = createScanner({ keepText: false });
      for (let end = 1; end <= text.length; end++) {
        stepwise.feed(text.slice(end - 1, end));
        const { verdict } = check(text.slice(0, end));
        expect(stepwise.verdict, `${text} to ${end}`).toBe(verdict);
        // Halves of pairs have no bytes of their own.
        const character = text.slice(0, end).isWellFormed() && text.isWellFormed();
        if (character) {
          const before = bytewise.bytes;
          bytewise.feed(Buffer.from(text.slice(0, end)).subarray(before));
          expect(bytewise.verdict, `${text} to ${end}`).toBe(verdict);
        }
      }
    }
  });
});

/** What JSON.parse makes of a text, where that is an object. */
function objectIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

describe('guarantee 2, agreement: scanner, parse, parseToolArguments and check decide alike', () => {
  it('on strings', () => {
    for (const text of texts) {
      const { outcome, check: checked } = told(units(text));
      expect(parseToolArguments('tool', text), text).toEqual(outcome);
      expect(check(text), text).toEqual(checked);
    }
  });

  it('on bytes', () => {
    for (const text of texts) {
      const bytes = Buffer.from(text);
      const { outcome, check: checked } = told(units(bytes));
      expect(parseToolArguments('tool', bytes), text).toEqual(outcome);
      expect(check(bytes), text).toEqual(checked);
    }
  });

  it('with every stop signal and limit of the echo', () => {
    for (const text of shortTexts) {
      for (const stop of ['length', 'interrupted'] as const) {
        for (const echoLimit of [0, 3, 500]) {
          const options = { echoLimit, stopHint: echoLimit !== 3 };
          const { outcome } = told(units(text), { stop, scanner: options });
          expect(parseToolArguments('tool', text, { stop, ...options }), text).toEqual(outcome);
        }
      }
    }
  });

  it('parse gives the value where they accept, and throws their report where JSON.parse does too', () => {
    let exceptions = 0;
    for (const text of texts) {
      const outcome = parseToolArguments('tool', text);
      let value: unknown;
      let thrown: unknown = null;
      try {
        value = parse(text);
      } catch (error) {
        thrown = error;
      }
      const plain = objectIn(text);
      if (plain !== null && (outcome.status === 'reported' || !text.isWellFormed())) {
        // The one exception: what JSON.parse makes of it, where the rule is stricter.
        expect(value, text).toEqual(plain);
        exceptions++;
      } else if (outcome.status === 'accepted') {
        expect(value, text).toEqual(outcome.value);
        expect(thrown, text).toBeNull();
      } else {
        const { kind, reason, error, echo } = outcome;
        expect(thrown, text).toMatchObject({ kind, reason, error, echo });
      }
    }
    expect(exceptions).toBeGreaterThan(10);
    expect(exceptions).toBeLessThan(texts.length / 10);
  });

  it('without kept text as with it, but for the value and what would replace the text', () => {
    for (const text of texts) {
      const full = told([text]);
      for (const echoLimit of [500, 7, 0]) {
        const kept = createScanner({ echoLimit });
        kept.feed(text);
        const expected = kept.report('tool');
        const scanner = feedAll(units(text), { keepText: false, echoLimit }, true);
        expect(scanner.finishCheck(), text).toEqual(full.check);
        const report = scanner.report('tool');
        expect(report && { ...report, replay: '' }, text).toEqual(
          expected && { ...expected, replay: '' },
        );
      }
    }
  });
});

describe('guarantee 3, exactness of malformed', () => {
  it('where a prefix is not malformed, some continuation is accepted', () => {
    let tried = 0;
    for (const text of shortTexts) {
      for (let end = 0; end <= text.length; end++) {
        const prefix = text.slice(0, end);
        if (check(prefix).verdict === 'malformed' || mayLag(prefix)) {
          continue;
        }
        const more = continuationOf(prefix);
        expect(more, `a continuation of ${prefix}`).not.toBeNull();
        expect(judge(prefix + more), `${prefix} and then ${more}`).not.toBeNull();
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(5000);
  });

  it('where one is malformed, none of many continuations is, and it stays so', () => {
    let tried = 0;
    for (const text of shortTexts) {
      let hopeless = 0;
      for (let end = 1; end <= text.length; end++) {
        const prefix = text.slice(0, end);
        if (check(prefix).verdict !== 'malformed') {
          expect(hopeless, `${prefix} was malformed before`).toBe(0);
          continue;
        }
        hopeless++;
        for (const more of hopeless <= 2 ? closers : []) {
          expect(judge(prefix + more), `${prefix} and then ${more}`).toBeNull();
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThan(10_000);
  });

  it('complete and empty mean acceptable as it stands, incomplete means not', () => {
    for (const text of shortTexts) {
      for (let end = 0; end <= text.length; end++) {
        const prefix = text.slice(0, end);
        const { verdict } = check(prefix);
        const repair = judge(prefix)?.repair ?? null;
        expect(verdict === 'empty', prefix).toBe(repair === 'empty');
        expect(verdict === 'complete', prefix).toBe(repair !== 'empty' && repair !== null);
      }
    }
  });
});

describe('guarantee 4, linear: total work is O(bytes), memory O(depth) plus text that was asked for', () => {
  /** The least processor time of some tries, in milliseconds; the others met something else. */
  function time(work: () => void): number {
    let least = Infinity;
    let spent = 0;
    for (let attempt = 0; attempt < 5 && spent < 1000; attempt++) {
      const start = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(start);
      spent += (user + system) / 1000;
      least = Math.min(least, (user + system) / 1000);
    }
    return least;
  }

  /**
   * Holds sixteen small pieces of work against one of the same size in all. Quadratic work would
   * make that one cost 16 times as much.
   */
  function expectLinear(work: (size: number) => void, size: number): void {
    work(size);
    const small = time(() => {
      for (let round = 0; round < 16; round++) {
        work(size);
      }
    });
    const large = time(() => work(size * 16));
    // Below two milliseconds some clocks show nothing.
    expect(large / Math.max(small, 2)).toBeLessThan(5);
  }

  const letters = Array.from('abcdefgh');
  const letterBytes = letters.map((letter) => Buffer.from(letter));

  it.each([
    ['looked at by nobody', false, {}, letters],
    ['with a verdict after each', true, {}, letters],
    ['in bytes', true, {}, letterBytes],
    ['in strings and bytes', true, {}, ['a', letterBytes[1]!, 'é', letterBytes[2]!]],
    ['without kept text', true, { keepText: false }, letters],
    ['in bytes, without kept text', true, { keepText: false }, letterBytes],
    ['without kept text, with a long echo', true, { keepText: false, echoLimit: 1e6 }, letters],
    ['in bytes, with a long echo', true, { keepText: false, echoLimit: 1e6 }, letterBytes],
    ['beyond the limit', true, { maxBytes: 100 }, letters],
    ['beyond the limit, with a long echo', true, { maxBytes: 100, echoLimit: 1e6 }, letterBytes],
    ['of white space', true, { keepText: false }, [' ', '\n', '\u{a0}', ' '], ''],
  ])(
    'a fragment costs the same among 16 times as many: %s',
    (_, look, options, fragments, start = '{"a":"') => {
      const feed = (count: number): void => {
        const scanner = createScanner(options);
        if (start !== '') {
          scanner.feed(start);
        }
        for (let index = 0; index < count; index++) {
          scanner.feed(fragments[index % fragments.length]!);
          if (look) {
            void scanner.verdict;
          }
        }
        expect(scanner.bytes).toBeGreaterThanOrEqual(count);
      };
      expectLinear(feed, 1 << 12);
    },
  );

  it.each(['a', 'é', '\\n', '[1,2],', '{"a":[]},'])(
    'a byte costs the same in a text 16 times as long: %s',
    (piece) => {
      const work = (size: number): void => {
        const count = Math.ceil(size / piece.length);
        const body = /[[{]/.test(piece) ? `[${piece.repeat(count)}0]` : `"${piece.repeat(count)}"`;
        const bytes = Buffer.from(`{"a":${body}}`);
        for (let start = 0, scanner = createScanner(); start < bytes.length; start += 4096) {
          scanner.feed(bytes.subarray(start, start + 4096));
          if (start + 4096 >= bytes.length) {
            expect(scanner.finishCheck().repair).toBe('none');
          }
        }
      };
      expectLinear(work, 1 << 17);
    },
  );

  it.each([
    ['bytes that begin nothing', [0xff]],
    ['bytes that continue nothing', [0x80]],
    ['first bytes without their second', [0xc3]],
    ['bytes of which every other is invalid', [0xff, 0x61]],
    ['bytes that lack one of four', [0xf0, 0x9f, 0x9a]],
  ] as const)('a byte costs the same in 16 times as many at once: %s', (_, pattern) => {
    const work = (size: number): void => {
      const { kind } = check(
        new Uint8Array(size).map((__, index) => pattern[index % pattern.length]!),
      );
      expect(kind).toBe('invalid-utf8');
    };
    expectLinear(work, 1 << 13);
  });

  it.each([
    '{',
    '[',
    '"',
    '}',
    '{}',
    '`',
    ' ',
    '\u{a0}',
    '\u{2028}',
    '\u{d800}',
    '\\',
    '\\u',
    '1',
    '"{',
  ])('a character costs the same in 16 times as many at once: %j', (piece) => {
    const work = (size: number): void => {
      expect(check(piece.repeat(size)).verdict).not.toBe('complete');
      expect(parseToolArguments('tool', `{"a":"${piece.repeat(size)}`).name).toBe('tool');
    };
    expectLinear(work, 1 << 15);
  });
});

describe('guarantee 5, no crash: no input and no misuse aborts the process', () => {
  it('every byte, alone and before and behind others', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (const bytes of [[byte], [0x7b, byte], [byte, 0x7d], [0x22, byte, byte, 0x22]]) {
        const { outcome } = told([Uint8Array.from(bytes)]);
        expect(outcome.status).toMatch(/^(?:accepted|reported)$/);
      }
    }
  });

  it('every unit of UTF-16', () => {
    const scanner = createScanner({ echoLimit: 70_000 });
    let text = '';
    for (let unit = 0; unit <= 0xff_ff; unit++) {
      const character = String.fromCharCode(unit);
      scanner.feed(character);
      text += character;
    }
    const report = scanner.report('tool');
    expect(report?.echo).toBe(text.toWellFormed());
    expect(scanner.bytes).toBe(Buffer.byteLength(text));
  });

  it('arguments that change while they are read', () => {
    const options = {
      get maxBytes(): number {
        structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
        return 100;
      },
    };
    const bytes = Uint8Array.from(Buffer.from('{"a":1}'));
    expect(() => parseToolArguments('tool', bytes, options)).toThrow(TypeError);
  });
});

describe('guarantee 6, nothing lost: an accepted value is what JSON.parse gives for exactly that text', () => {
  it('of every text, whatever had to be undone', () => {
    let accepted = 0;
    for (const text of texts) {
      const outcome = parseToolArguments('tool', text);
      const expected = judge(text);
      expect(outcome.status === 'accepted', text).toBe(expected !== null);
      if (outcome.status === 'accepted') {
        accepted++;
        expect(outcome.value, text).toEqual(JSON.parse(outcome.text));
        const { repair, text: object } = outcome;
        expect({ repair, text: object, value: outcome.value }, text).toEqual(expected);
      }
    }
    expect(accepted).toBeGreaterThan(150);
  });

  it('of every recorded call', () => {
    for (const { id, fragments } of recordingRows) {
      const { outcome } = told(fragments);
      if (outcome.status === 'accepted') {
        expect(outcome.value, id).toEqual(JSON.parse(outcome.text));
      }
    }
  });

  it('keeps what only the text can say: order, precision, keys that are also members of objects', () => {
    const text = '{"b":9007199254740993, "__proto__":{"x":1}, "a":1.0, "b":-0, "10":0}';
    const outcome = parseToolArguments('tool', text);
    expect(outcome).toMatchObject({ status: 'accepted', text });
    const value = outcome.status === 'accepted' ? outcome.value : {};
    expect(Object.keys(value)).toEqual(['10', 'b', '__proto__', 'a']);
    expect(Object.is(value['b'], -0)).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('what a report would put into the history is an object, and the text where there is one', () => {
    for (const text of texts) {
      for (const stop of ['finished', 'length'] as const) {
        const outcome = parseToolArguments('tool', text, { stop });
        if (outcome.status === 'accepted') {
          continue;
        }
        const object = outcome.kind === 'truncated' && stop === 'length' ? judge(text) : null;
        expect(outcome.replay, text).toBe(
          object?.text ?? JSON.stringify({ INVALID_JSON: outcome.echo }),
        );
        expect(judge(outcome.replay)?.repair, text).toBe('none');
      }
    }
  });
});

describe('guarantee 7, nothing early: no call is finished before its wire says so', () => {
  it('complete is a verdict about the text so far, and a continuation can spoil it', () => {
    const spoilt = [
      ['{"a":1}', '}'],
      ['{"a":1}', '{"b":2}'],
      ['{"a":1}', ' and {"b":2}'],
      ['"{\\"a\\":1}"', '}'],
      ['[{"a":1}', ',{"b":2}]'],
    ] as const;
    for (const [text, more] of spoilt) {
      const scanner = feedAll([text]);
      expect(scanner.verdict).toBe('complete');
      expect(scanner.span).not.toBeNull();
      scanner.feed(more);
      expect(scanner.verdict, text + more).toBe('malformed');
      expect(scanner.span).toBeNull();
      expect(scanner.finish('tool').status).toBe('reported');
    }
  });

  it('a continuation never changes the value', () => {
    for (const text of shortTexts) {
      const scanner = createScanner();
      let value: unknown;
      for (const unit of units(text)) {
        scanner.feed(unit);
        if (scanner.verdict !== 'complete') {
          continue;
        }
        const outcome = scanner.finish('tool');
        expect(outcome.status, text).toBe('accepted');
        const now = outcome.status === 'accepted' ? outcome.value : null;
        expect(now, text).toEqual(value ?? now);
        value = now;
      }
    }
  });

  it('… but for a double-encoded object whose own brace is escaped: a plain one behind it is first', () => {
    const scanner = feedAll(['"\\u007b\\"a\\":1}"']);
    expect(scanner.finish('tool')).toMatchObject({ text: '{"a":1}', repair: 'double-encoding' });
    scanner.feed(' {"b":2}');
    expect(scanner.verdict).toBe('complete');
    expect(scanner.finish('tool')).toMatchObject({ text: '{"b":2}', repair: 'prose' });
  });

  it('a call that was cut off is never accepted, whatever its text says', () => {
    for (const text of texts) {
      for (const stop of ['length', 'interrupted'] as const) {
        const outcome = parseToolArguments('tool', text, { stop });
        expect(outcome.status, text).toBe('reported');
        expect(outcome, text).not.toHaveProperty('value');
        const { outcome: streamed, check: checked } = told(units(text), { stop });
        expect(streamed, text).toEqual(outcome);
        expect(checked.kind, text).toBe(outcome.status === 'reported' ? outcome.kind : null);
      }
    }
  });

  it('a text that was accepted is truncated when its call was cut off, and its object is known', () => {
    for (const text of texts.filter((one) => judge(one) !== null)) {
      const outcome = parseToolArguments('tool', text, { stop: 'length' });
      expect(outcome, text).toMatchObject({ kind: 'truncated', error: null });
      expect(outcome.status === 'reported' && outcome.replay, text).toBe(judge(text)!.text);
    }
  });
});
