// The scanner as it follows a stream: what each member says, and when.

import { describe, expect, it } from 'vitest';

import { check, createScanner, parseToolArguments } from '../src/index.js';
import type { ArgumentScanner, Reported, ScannerOptions } from '../src/index.js';
import { feedAll, units } from './support/drive.js';

/** What a member says after each fragment. */
function after<T>(
  fragments: readonly (string | Uint8Array)[],
  read: (scanner: ArgumentScanner) => T,
  options?: ScannerOptions,
): T[] {
  const scanner = createScanner(options);
  return fragments.map((fragment) => {
    scanner.feed(fragment);
    return read(scanner);
  });
}

function report(scanner: ArgumentScanner, stop: 'finished' | 'length' = 'finished'): Reported {
  const outcome = scanner.report('tool', stop);
  expect(outcome).not.toBeNull();
  return outcome!;
}

/** Where the character begins in which a byte stands that is no continuation. */
function brokenAt(bytes: Uint8Array, at: number): number {
  const cut = bytes.subarray(0, at);
  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(cut, { stream: true });
  return Buffer.byteLength(whole);
}

describe('verdict', () => {
  it('of nothing is empty', () => {
    const scanner = createScanner();
    expect(scanner.verdict).toBe('empty');
    expect(scanner.finish('tool')).toMatchObject({
      status: 'accepted',
      value: {},
      repair: 'empty',
    });
    expect(scanner.finishCheck()).toEqual(check(''));
  });

  it('changes as the text does', () => {
    const fragments = [' ', '{', '"a', '":', ' 1', '}', ' ', '.', '}', '{}'];
    expect(after(fragments, ({ verdict }) => verdict)).toEqual([
      'empty',
      ...Array.from({ length: 4 }, () => 'incomplete'),
      'complete',
      'complete',
      'complete',
      'malformed',
      'malformed',
    ]);
  });

  it('is malformed as soon as nothing helps any more', () => {
    for (const [text, at] of [
      ['{"a":tru}', 8],
      ["{'a'", 1],
      ['{"a":1,}', 7],
      ['{"a":1}}', 7],
      ['x {"a" 1', 7],
      ['{"a":"\\x"', 7],
      ['{"a":1e309', 9],
      ['"{\\"a\\":1}" }', 12],
    ] as const) {
      const verdicts = after(units(text), ({ verdict }) => verdict);
      expect(verdicts.indexOf('malformed'), text).toBe(at);
    }
  });
});

describe('depth and inString', () => {
  it('follow the object once its brace was seen', () => {
    const text = 'a [ {"k": [ {"": "x\\"y"} ]}';
    const scanner = createScanner();
    const seen = units(text).map((unit) => {
      scanner.feed(unit);
      return `${scanner.depth}${scanner.inString ? '"' : ''}`;
    });
    const expected = [];
    let depth = 0;
    let open = false;
    let escaped = false;
    for (const unit of text.slice(text.indexOf('{'))) {
      if (open) {
        open = escaped || unit !== '"';
        escaped = !escaped && unit === '\\';
      } else {
        open = unit === '"';
        depth += unit === '{' || unit === '[' ? 1 : unit === '}' || unit === ']' ? -1 : 0;
      }
      expected.push(`${depth}${open ? '"' : ''}`);
    }
    expect(seen.slice(text.indexOf('{'))).toEqual(expected);
  });

  it('follow the text as a JSON value before', () => {
    expect(after(['[', '[', '"a', '"', ']'], ({ depth, inString }) => [depth, inString])).toEqual([
      [1, false],
      [2, false],
      [2, true],
      [2, false],
      [1, false],
    ]);
  });

  it('go up to 127 levels', () => {
    const scanner = feedAll(['{"a":'.repeat(127)]);
    expect([scanner.depth, scanner.verdict]).toEqual([127, 'incomplete']);
    scanner.feed('{');
    expect(scanner.verdict).toBe('malformed');
  });
});

describe('bytes', () => {
  it('counts UTF-8, and no half of a pair that waits for the other', () => {
    expect(
      after(['a', 'é', '日', '\u{d83d}', '\u{de80}', '\u{d83d}', 'x'], ({ bytes }) => bytes),
    ).toEqual([1, 3, 6, 6, 10, 10, 14]);
  });

  it('counts bytes that are no character, or not yet', () => {
    const bytes = [[0xf0], [0x9f, 0x9a], [0x80], [0xff, 0xff]].map((one) => Uint8Array.from(one));
    expect(after(bytes, (scanner) => scanner.bytes)).toEqual([1, 3, 4, 6]);
  });

  it('goes on behind a limit', () => {
    const scanner = createScanner({ maxBytes: 3 });
    for (let count = 1; count <= 2000; count++) {
      scanner.feed('x');
      expect(scanner.bytes).toBe(count);
    }
  });
});

describe('objectStart and span', () => {
  it('count UTF-16 units of strings', () => {
    const scanner = createScanner();
    scanner.feed('日🚀 ');
    expect([scanner.objectStart, scanner.span]).toEqual([null, null]);
    scanner.feed('{"🚀"');
    expect([scanner.objectStart, scanner.span]).toEqual([4, null]);
    scanner.feed(':1} …');
    expect([scanner.objectStart, scanner.span]).toEqual([4, { start: 4, end: 12 }]);
  });

  it('count bytes of bytes', () => {
    const scanner = feedAll([Buffer.from('日🚀 {"🚀"'), Buffer.from(':1} …')]);
    expect([scanner.objectStart, scanner.span]).toEqual([8, { start: 8, end: 18 }]);
  });

  it('count as the first fragment did where both come', () => {
    expect(feedAll(['日 ', Buffer.from('é{}')]).span).toEqual({ start: 3, end: 5 });
    expect(feedAll([Buffer.from('日 '), 'é{}']).span).toEqual({ start: 6, end: 8 });
    expect(feedAll(['', Buffer.from('é{}')]).span).toEqual({ start: 2, end: 4 });
    expect(feedAll([new Uint8Array(0), 'é{}']).span).toEqual({ start: 1, end: 3 });
  });

  it('the span is that of the string where one holds the object', () => {
    const scanner = feedAll([' "{}"']);
    expect(scanner.span).toEqual({ start: 1, end: 5 });
    expect(scanner.objectStart).toBe(2);
  });

  it('there is a span only while the verdict is complete', () => {
    expect(after(['{}', ' x', '}'], ({ span }) => span)).toEqual([
      { start: 0, end: 2 },
      { start: 0, end: 2 },
      null,
    ]);
    expect(createScanner().span).toBeNull();
  });

  it('finds a place beyond 2^32 only by counting, so positions stay exact past 2^16', () => {
    const scanner = createScanner({ keepText: false, echoLimit: 0 });
    for (let index = 0; index < 100; index++) {
      scanner.feed('x'.repeat(1000));
    }
    scanner.feed('{}');
    expect(scanner.span).toEqual({ start: 100_000, end: 100_002 });
  });
});

describe('error', () => {
  it('is there once the verdict is malformed and its words are final', () => {
    const scanner = createScanner();
    scanner.feed('{"a":"\\uZ');
    // The words name the fourth digit, which has not come.
    expect([scanner.verdict, scanner.error]).toEqual(['malformed', null]);
    scanner.feed('ZZZ');
    expect(scanner.error).toEqual({
      code: 'invalid-escape',
      reason: 'invalid escape at line 1 column 12',
      offset: 11,
      line: 1,
      column: 12,
    });
    const { error } = scanner;
    scanner.feed('"} and anything else');
    expect(scanner.error).toEqual(error);
    expect(report(scanner).error).toEqual(error);
  });

  it('is not there while white space at the end might be trimmed away', () => {
    const scanner = feedAll(['{"a":tr\n']);
    expect(scanner.error).toBeNull();
    scanner.feed('}');
    expect(scanner.error).toMatchObject({
      code: 'expected-ident',
      reason: 'expected ident at line 2 column 0',
      offset: 7,
    });
  });

  it('counts lines and columns in the trimmed text, and its offset in what was fed', () => {
    const scanner = feedAll(['\n \u{a0}{\n"é": x}']);
    expect(scanner.error).toEqual({
      code: 'expected-value',
      reason: 'expected value at line 2 column 7',
      offset: 10,
      line: 2,
      column: 7,
    });
  });

  it('of a text that is no object is about the whole text', () => {
    expect(report(feedAll(['[1] '])).error).toEqual({
      code: 'not-object',
      reason: 'expected a JSON object',
      offset: 0,
      line: 0,
      column: 0,
    });
    expect(report(feedAll([' "a"'])).error).toMatchObject({
      code: 'string-without-object',
      reason: 'expected a JSON object, got a string',
      line: 0,
      column: 0,
    });
  });
});

describe('finish, finishCheck and report', () => {
  it('may be asked again, and more be fed behind', () => {
    const scanner = createScanner();
    scanner.feed('{"a":1');
    const first = scanner.finish('tool');
    expect(scanner.finish('tool')).toEqual(first);
    expect(first).toMatchObject({ kind: 'truncated' });
    scanner.feed('}');
    expect(scanner.finish('tool')).toMatchObject({ status: 'accepted', value: { a: 1 } });
    expect(scanner.report('tool')).toBeNull();
    scanner.feed('{}');
    expect(scanner.finish('other')).toMatchObject({ kind: 'malformed', name: 'other' });
  });

  it('give a fresh value each time', () => {
    const scanner = feedAll(['{"a":[]}']);
    const first = scanner.finish('tool');
    const second = scanner.finish('tool');
    expect(first).toEqual(second);
    expect((first as { value: unknown }).value).not.toBe((second as { value: unknown }).value);
    expect((first as { span: unknown }).span).not.toBe((second as { span: unknown }).span);
  });

  it('finish needs the text', () => {
    const scanner = createScanner({ keepText: false });
    scanner.feed('{}');
    expect(() => scanner.finish('tool')).toThrow(
      new TypeError('finish needs the text: create the scanner without keepText: false'),
    );
    expect(scanner.finishCheck()).toEqual(check('{}'));
    expect(scanner.report('tool')).toBeNull();
    expect(scanner.report('tool', 'length')).toMatchObject({ kind: 'truncated' });
  });

  it('take the stop signal each time anew', () => {
    const scanner = feedAll(['{"a":1}']);
    expect(scanner.finish('tool', 'length')).toMatchObject({ kind: 'truncated' });
    expect(scanner.finish('tool')).toMatchObject({ status: 'accepted' });
    expect(scanner.finishCheck('interrupted')).toMatchObject({ kind: 'truncated', repair: null });
    expect(scanner.finishCheck()).toMatchObject({ kind: null, repair: 'none' });
    expect(scanner.verdict).toBe('complete');
  });

  it('a waiting half pair counts as U+FFFD for who asks, and is still a half for what follows', () => {
    const scanner = createScanner();
    scanner.feed('{"a":"\u{d83d}');
    expect(report(scanner).echo).toBe('{"a":"\u{fffd}');
    scanner.feed('\u{de80}"}');
    expect(scanner.finish('tool')).toMatchObject({ text: '{"a":"🚀"}', value: { a: '🚀' } });
  });

  it('a character that was cut at the end of bytes is awaited too', () => {
    const bytes = Buffer.from('{"a":"🚀"}');
    const scanner = createScanner();
    for (const byte of bytes.subarray(0, 9)) {
      scanner.feed(Uint8Array.of(byte));
    }
    expect(scanner.verdict).toBe('incomplete');
    expect(report(scanner)).toMatchObject({
      kind: 'truncated',
      reason: 'the text ended inside a character',
      error: { code: 'eof-utf8', offset: 6, line: 0, column: 0 },
      echo: '{"a":"\u{fffd}',
    });
    scanner.feed(bytes.subarray(9));
    expect(scanner.finish('tool')).toMatchObject({
      value: { a: '🚀' },
      span: { start: 0, end: 12 },
    });
  });
});

describe('what is fed', () => {
  it('is read when it is fed: changing the bytes behind changes nothing', () => {
    const bytes = Uint8Array.from(Buffer.from('{"a":1}'));
    const scanner = createScanner();
    scanner.feed(bytes);
    bytes.fill(0xff);
    expect(scanner.finish('tool')).toMatchObject({ text: '{"a":1}' });
    expect(feedAll([bytes]).finish('tool')).toMatchObject({ kind: 'invalid-utf8' });
  });

  it('may be views with an offset, and on buffers that grow', () => {
    const pool = Buffer.from('xxxx{"a":1}xxxx');
    const view = new Uint8Array(pool.buffer, pool.byteOffset + 4, 7);
    expect(feedAll([view]).finish('tool')).toMatchObject({ text: '{"a":1}' });
  });

  it('is all there when nobody looks until the end, whatever its size', () => {
    for (const size of [1, 511, 512, 513, 1023, 1024, 32_767, 32_768, 32_769, 65_537]) {
      for (const filler of ['x', 'é', '🚀']) {
        const text = `{"a":"${filler.repeat(size)}"}`;
        expect(feedAll([text]).finish('tool')).toMatchObject({ status: 'accepted', text });
        expect(feedAll(['{"a":"', filler.repeat(size), '"}']).finish('tool')).toMatchObject({
          text,
        });
        expect(check(text)).toMatchObject({ span: { start: 0, end: text.length } });
        expect(parseToolArguments('tool', text)).toMatchObject({ text });
      }
    }
  });

  it('are all there whoever looks when, however long the string is that they are in', () => {
    const pieces = [
      'plain words',
      'x',
      '\\n',
      '\\"',
      '\\\\',
      '\\u00e9',
      '\\ud83d\\ude80',
      'é',
      '日',
      '🚀',
      ' ',
    ];
    for (let seed = 1; seed <= 40; seed++) {
      let random = seed * 2_654_435_761;
      const below = (limit: number): number => {
        random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
        return Math.floor((random / 2 ** 31) * limit);
      };
      const texts = [1, 2].map(() => {
        const content = Array.from({ length: 900 }, () => pieces[below(pieces.length)]).join('');
        return `{"a":"${content}","b":[1,"${content}"]}`;
      });
      // In turns, so that each has to let go of what it has collected.
      const scanners = texts.map(() => createScanner());
      const at = [0, 0];
      while (at.some((place, which) => place < texts[which]!.length)) {
        const which = below(2);
        for (let turn = below(60); turn > 0; turn--) {
          const length = below(12) === 0 ? below(60) : 1 + below(6);
          scanners[which]!.feed(texts[which]!.slice(at[which], at[which]! + length));
          at[which]! += length;
          if (at[which] !== 0 && below(4) !== 0) {
            const soFar = texts[which]!.slice(0, at[which]);
            const expected = soFar.length < texts[which]!.length ? 'incomplete' : 'complete';
            expect(scanners[which]!.verdict).toBe(expected);
          }
        }
      }
      for (const [which, text] of texts.entries()) {
        const outcome = scanners[which]!.finish('tool');
        expect(outcome).toMatchObject({ status: 'accepted', repair: 'none' });
        expect((outcome as { text: string }).text === text).toBe(true);
        expect(scanners[which]!.bytes).toBe(Buffer.byteLength(text));
      }
    }
  });

  it('may be bytes of any length, whose characters do not end where they are taken in parts', () => {
    for (const filler of ['x', 'é', '日', '🚀']) {
      for (const before of ['', 'a', 'ab', 'abc']) {
        const text = `{"a":"${before}${filler.repeat(600_000 / Buffer.byteLength(filler))}"}`;
        const bytes = Buffer.from(text);
        const scanner = feedAll([bytes]);
        const outcome = scanner.finish('tool');
        expect(outcome).toMatchObject({ status: 'accepted', repair: 'none' });
        expect((outcome as { text: string }).text === text).toBe(true);
        expect(scanner.span).toEqual({ start: 0, end: bytes.length });
        expect(scanner.bytes).toBe(bytes.length);
        bytes[500_000] = 0xff;
        const { kind, reason } = feedAll([bytes], { keepText: false }).finishCheck();
        expect({ kind, reason }).toEqual({
          kind: 'invalid-utf8',
          // The character that was broken begins before the byte that broke it.
          reason: `invalid sequence at byte ${brokenAt(bytes, 500_000)}`,
        });
      }
    }
  });

  it('may be a pair cut anywhere, also where long strings cross in pieces', () => {
    for (const before of [30_000, 32_760, 32_761, 32_762, 65_529]) {
      const text = `{"a":"${'x'.repeat(before)}🚀"}`;
      expect(parseToolArguments('tool', text)).toMatchObject({ status: 'accepted', text });
      const half = text.length - 3;
      const scanner = feedAll([text.slice(0, half), text.slice(half)]);
      expect(scanner.finish('tool')).toMatchObject({ status: 'accepted', text });
      expect(check(text).repair).toBe('none');
    }
  });
});

describe('reset', () => {
  it('starts over with the same options', () => {
    const scanner = createScanner({ maxBytes: 5, echoLimit: 2, stopHint: false });
    scanner.feed('abcdef');
    expect(report(scanner).kind).toBe('too-large');
    scanner.reset();
    expect([scanner.verdict, scanner.bytes, scanner.objectStart]).toEqual(['empty', 0, null]);
    scanner.feed('{"a"');
    expect(report(scanner, 'length').message).toBe(
      'The arguments for `tool` were not valid JSON (EOF while parsing an object at line 1 column 4). ' +
        'Received: {"…\nCall `tool` again with a single JSON object that matches its parameters.',
    );
    scanner.feed('xx');
    expect(report(scanner).kind).toBe('too-large');
  });

  it('forgets what was fed last, also what nobody looked at', () => {
    const scanner = createScanner();
    scanner.feed('{"a":');
    scanner.reset();
    scanner.feed('{}');
    expect(scanner.finish('tool')).toMatchObject({ text: '{}', span: { start: 0, end: 2 } });
    scanner.reset();
    scanner.feed('\u{d83d}');
    scanner.reset();
    scanner.feed('\u{de80}{}');
    expect(scanner.finish('tool')).toMatchObject({ text: '{}', span: { start: 1, end: 3 } });
  });

  it('lets the next first fragment choose what positions count', () => {
    const scanner = feedAll([Buffer.from('é{}')]);
    expect(scanner.span).toEqual({ start: 2, end: 4 });
    scanner.reset();
    scanner.feed('é{}');
    expect(scanner.span).toEqual({ start: 1, end: 3 });
  });

  it('does not undo disposal', () => {
    const scanner = createScanner();
    scanner[Symbol.dispose]();
    expect(() => scanner.reset()).toThrow(TypeError);
  });
});

describe('disposal', () => {
  const members: Readonly<Record<string, (scanner: ArgumentScanner) => unknown>> = {
    feed: (scanner) => scanner.feed('x'),
    'feed of nothing': (scanner) => scanner.feed(''),
    'feed of bytes': (scanner) => scanner.feed(new Uint8Array(1)),
    'feed of no bytes': (scanner) => scanner.feed(new Uint8Array(0)),
    verdict: (scanner) => scanner.verdict,
    depth: (scanner) => scanner.depth,
    inString: (scanner) => scanner.inString,
    bytes: (scanner) => scanner.bytes,
    objectStart: (scanner) => scanner.objectStart,
    span: (scanner) => scanner.span,
    error: (scanner) => scanner.error,
    finish: (scanner) => scanner.finish('tool'),
    finishCheck: (scanner) => scanner.finishCheck(),
    'finishCheck, for an unknown signal,': (scanner) => scanner.finishCheck('x' as never),
    report: (scanner) => scanner.report('tool'),
    reset: (scanner) => scanner.reset(),
  };

  it.each(Object.keys(members))('makes %s throw a TypeError', (member) => {
    for (const fed of [null, 'x', '{"a":1}', Buffer.from('{')]) {
      const scanner = createScanner();
      if (fed !== null) {
        scanner.feed(fed);
      }
      scanner[Symbol.dispose]();
      expect(() => members[member]!(scanner)).toThrow(
        new TypeError('this scanner was disposed of'),
      );
    }
  });

  it('may be asked for twice', () => {
    const scanner = createScanner();
    scanner.feed('x');
    scanner[Symbol.dispose]();
    expect(() => scanner[Symbol.dispose]()).not.toThrow();
  });

  it('covers every member', () => {
    const prototype = Object.getPrototypeOf(createScanner()) as object;
    const names = Reflect.ownKeys(prototype).filter(
      (key) => typeof key === 'string' && key !== 'constructor',
    );
    for (const name of names) {
      expect(Object.keys(members)).toContain(name);
    }
  });

  it('leaves its neighbours alone, and what comes behind', () => {
    const first = createScanner();
    const second = createScanner();
    first.feed('{"a":');
    second.feed('{"b":');
    first.feed('1');
    first[Symbol.dispose]();
    const third = createScanner();
    third.feed('{"c":3}');
    second.feed('2}');
    expect(second.finish('tool')).toMatchObject({ value: { b: 2 } });
    expect(third.finish('tool')).toMatchObject({ value: { c: 3 } });
  });

  it('can stand in a block that ends', () => {
    let outlived: ArgumentScanner;
    {
      using scanner = createScanner();
      scanner.feed('{}');
      outlived = scanner;
    }
    expect(() => outlived.verdict).toThrow(TypeError);
  });
});

describe('many scanners', () => {
  it('know nothing of each other, made and dropped in any order', async () => {
    const alive = new Map<number, { scanner: ArgumentScanner; text: string }>();
    for (let turn = 0; turn < 3000; turn++) {
      const id = (turn * 37) % 50;
      const one = alive.get(id);
      if (one === undefined) {
        alive.set(id, { scanner: createScanner({ keepText: turn % 3 !== 0 }), text: '' });
      } else if (one.text.length > 60) {
        expect(one.scanner.finishCheck()).toEqual(check(one.text));
        if (turn % 2 === 0) {
          one.scanner[Symbol.dispose]();
        }
        alive.delete(id);
      } else {
        const piece = `${'{"k":['[turn % 6]}${turn % 10}`;
        one.text += piece;
        one.scanner.feed(piece);
      }
      if (turn % 500 === 0) {
        // What was collected does not outlive the turn of the event loop.
        await Promise.resolve();
      }
    }
    for (const { scanner, text } of alive.values()) {
      expect(scanner.finishCheck()).toEqual(check(text));
    }
  });
});
