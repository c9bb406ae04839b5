// Whole text: `parse` in the place of `JSON.parse`, and `parseToolArguments`.

import vm from 'node:vm';

import { describe, expect, it } from 'vitest';

import { ArgumentsError, parse, parseToolArguments } from '../src/index.js';
import type { Accepted, Outcome } from '../src/index.js';

function accepted(outcome: Outcome): Accepted {
  expect(outcome).toMatchObject({ status: 'accepted' });
  return outcome as Accepted;
}

function failure(work: () => unknown): ArgumentsError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ArgumentsError);
    return error as ArgumentsError;
  }
  throw new Error('nothing was thrown');
}

describe('parse in the place of JSON.parse', () => {
  const objects = [
    '{}',
    ' {"a" : 1}\n',
    '{"path": "src/main.rs", "n": [1, 2.5, -0, 1e-400, true, null, {"x": {}}]}',
    '{"a": 1, "a": 2, "10": 3, "2": 4}',
    '{"é": "日本 🚀", "\\u00e9": "\\ud83d\\ude80"}',
    '{"__proto__": {"x": 1}, "constructor": 2, "toString": 3}',
    '{"n": 9007199254740993, "m": 18446744073709551616}',
  ];
  /** What serde_json refuses and JSON.parse does not. */
  const beyondTheRule = [
    '{"a": "\\ud800"}',
    '{"a": "\\udc00\\ud800"}',
    '{"a": 1e999, "b": -1e999}',
    `{"a": ${'9'.repeat(400)}}`,
    `{"a": ${'['.repeat(500)}${']'.repeat(500)}}`,
    `${'{"a":'.repeat(128)}1${'}'.repeat(128)}`,
  ];

  it.each([...objects, ...beyondTheRule])('%.60s', (text) => {
    expect(parse(text)).toStrictEqual(JSON.parse(text));
    expect(parse(Buffer.from(text))).toStrictEqual(JSON.parse(text));
    expect(parse(new Uint8Array(Buffer.from(`xx${text}`)).subarray(2))).toStrictEqual(
      JSON.parse(text),
    );
  });

  it.each(['\t', '\n', '\r', ' ', ' \n\t\r  '])('white space of JSON around them: %j', (white) => {
    for (const text of [...objects, ...beyondTheRule]) {
      const around = white + text + white;
      expect(parse(around)).toStrictEqual(JSON.parse(text));
      expect(parse(Buffer.from(around))).toStrictEqual(JSON.parse(text));
    }
  });

  it('what the rule refuses of them, it refuses everywhere else', () => {
    for (const text of beyondTheRule) {
      expect(parseToolArguments('tool', text)).toMatchObject({ status: 'reported' });
      // Around it the rule is asked again.
      failure(() => parse(`see ${text}`));
      failure(() => parse(JSON.stringify(text)));
    }
  });

  it('a million levels, as JSON.parse reads them, and nothing of ours is recursive', () => {
    const text = `${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}`;
    let value: unknown = parse(text);
    let depth = 0;
    while (typeof value === 'object' && value !== null) {
      value = (value as Record<string, unknown>)['a'];
      depth++;
    }
    expect(depth).toBe(1e6);
  });

  it.each([
    ['```json\n{"a": 1}\n```'],
    ['The call: {"a": 1}.'],
    ['"{\\"a\\": 1}"'],
    ['\u{feff}{"a": 1}'],
    ['\u{a0}{"a": 1}\u{2028}'],
  ])('finds the object where JSON.parse does not: %j', (text) => {
    expect(parse(text)).toStrictEqual({ a: 1 });
    expect(parse(Buffer.from(text))).toStrictEqual({ a: 1 });
  });

  it('no arguments are an empty object, a wrong path is a mistake', () => {
    expect(parse('')).toStrictEqual({});
    expect(parse(' \u{2003}\n')).toStrictEqual({});
    expect(parse(null)).toStrictEqual({});
    expect(parse(new Uint8Array(0))).toStrictEqual({});
    expect(() => parse(undefined)).toThrow(
      new TypeError('text must be a string, bytes, an object or null (got undefined)'),
    );
    expect(() => (parse as () => unknown)()).toThrow(TypeError);
  });

  it('what is no object is refused, though JSON.parse accepts it', () => {
    for (const [text, reason] of [
      ['null', 'expected a JSON object'],
      ['[1]', 'expected a JSON object'],
      ['12', 'expected a JSON object'],
      ['true', 'expected a JSON object'],
      ['"text"', 'expected a JSON object, got a string'],
      ['"[1]"', 'expected a JSON object, got a string'],
    ] as const) {
      expect(failure(() => parse(text))).toMatchObject({ kind: 'not-object', reason, echo: text });
    }
  });

  it('the reviver is called as JSON.parse calls it, with its holder, on whatever was found', () => {
    const holders: unknown[] = [];
    const reviver = function reviver(this: unknown, key: string, value: unknown): unknown {
      holders.push([key, Object.keys(this as object)]);
      return typeof value === 'number' ? value + 1 : value;
    };
    const expected = JSON.parse('{"a": 1, "b": [2]}', reviver) as unknown;
    const expectedHolders = holders.splice(0);
    for (const text of [
      '{"a": 1, "b": [2]}',
      '```\n{"a": 1, "b": [2]}\n```',
      JSON.stringify('{"a": 1, "b": [2]}'),
      Buffer.from('so: {"a": 1, "b": [2]}'),
      { a: 1, b: [2] },
    ]) {
      expect(parse(text, reviver)).toStrictEqual(expected);
      expect(holders.splice(0)).toEqual(expectedHolders);
    }
    expect(parse('{"a": 1}', () => 'all of it')).toBe('all of it');
    expect(parse('', (key) => (key === '' ? 'empty' : null))).toBe('empty');
  });

  it('an error of the reviver is its own, and it is not called for what is refused', () => {
    expect(() =>
      parse('{"a": 1}', () => {
        throw new RangeError('of the reviver');
      }),
    ).toThrow(new RangeError('of the reviver'));
    let calls = 0;
    failure(() => parse('[1]', () => calls++));
    expect(calls).toBe(0);
  });

  it('says where and why, in one line', () => {
    expect(failure(() => parse('{"path": "src/main.rs'))).toMatchObject({
      name: 'ArgumentsError',
      kind: 'truncated',
      reason: 'EOF while parsing a string at line 1 column 21',
      message:
        'The arguments were not valid JSON (EOF while parsing a string at line 1 column 21). ' +
        'Received: {"path": "src/main.rs',
      error: { code: 'eof-string', offset: 21, line: 1, column: 21 },
      echo: '{"path": "src/main.rs',
    });
    expect(failure(() => parse('x'.repeat(600))).message).toBe(
      'The arguments were not valid JSON (expected value at line 1 column 1). ' +
        `Received: ${'x'.repeat(500)}…`,
    );
    expect(failure(() => parse(Buffer.of(0x7b, 0xff))).message).toBe(
      'The arguments were not valid UTF-8 (invalid sequence at byte 1). Received: {\u{fffd}',
    );
    expect(failure(() => parse([])).message).toBe(
      'The arguments were not text or an object (got an array).',
    );
  });

  it('has no size limit', () => {
    const text = `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`;
    expect(parse<{ a: string }>(text).a).toHaveLength(17 * 1024 * 1024);
    expect(parse<{ a: string }>(`see ${text}`).a).toHaveLength(17 * 1024 * 1024);
    expect(parseToolArguments('tool', text)).toMatchObject({ kind: 'too-large' });
  });

  it('bytes that are not UTF-8 are never read as U+FFFD', () => {
    for (const size of [0, 300]) {
      const text = `{"a":"${'x'.repeat(size)}\u{fffd}"}`;
      expect(parse(Buffer.from(text))).toStrictEqual(JSON.parse(text));
      const bytes = Buffer.from(text, 'latin1');
      bytes[6 + size] = 0xff;
      const { kind, reason } = failure(() => parse(bytes));
      expect({ kind, reason }).toEqual({
        kind: 'invalid-utf8',
        reason: `invalid sequence at byte ${6 + size}`,
      });
    }
  });
});

describe('parseToolArguments', () => {
  it.each([
    ['{"a": 1}', 'none', { start: 0, end: 8 }, '{"a": 1}'],
    [' \n{"a": 1}\t', 'none', { start: 2, end: 10 }, '{"a": 1}'],
    ['', 'empty', { start: 0, end: 0 }, '{}'],
    ['  \u{2003} ', 'empty', { start: 0, end: 0 }, '{}'],
    ['```json\n{"a": 1}\n```', 'fence', { start: 8, end: 16 }, '{"a": 1}'],
    ['```json {"a": 1} ```', 'fence', { start: 8, end: 16 }, '{"a": 1}'],
    ['``` \n\n {"a": 1}``` \n', 'fence', { start: 7, end: 15 }, '{"a": 1}'],
    ['```json\n{"a": 1}', 'prose', { start: 8, end: 16 }, '{"a": 1}'],
    ['``\n{"a": 1}\n```', 'prose', { start: 3, end: 11 }, '{"a": 1}'],
    ['```a`\n{"a": 1}\n```', 'prose', { start: 6, end: 14 }, '{"a": 1}'],
    ['```json\nso: {"a": 1}\n```', 'prose', { start: 12, end: 20 }, '{"a": 1}'],
    ['```\n{"a": 1}\n``` done', 'prose', { start: 4, end: 12 }, '{"a": 1}'],
    ['Let me: {"a": 1}.', 'prose', { start: 8, end: 16 }, '{"a": 1}'],
    ['日本 🚀 {"é": 1}', 'prose', { start: 6, end: 14 }, '{"é": 1}'],
    ['[{"a": 1}', 'prose', { start: 1, end: 9 }, '{"a": 1}'],
    ['[{"a": 1},{', 'prose', { start: 1, end: 9 }, '{"a": 1}'],
    ['{"a": 1}{"a":', 'prose', { start: 0, end: 8 }, '{"a": 1}'],
    ['"{\\"a\\": 1}"', 'double-encoding', { start: 0, end: 12 }, '{"a": 1}'],
    [' "\\n{\\"a\\": 1}\\u2003" ', 'double-encoding', { start: 1, end: 21 }, '{"a": 1}'],
    ['"\\u007b\\u007d"', 'double-encoding', { start: 0, end: 14 }, '{}'],
  ] as const)('%j is accepted: %s', (raw, repair, span, text) => {
    expect(parseToolArguments('tool', raw)).toStrictEqual({
      status: 'accepted',
      name: 'tool',
      value: JSON.parse(text),
      text,
      repair,
      span,
    });
    const bytes = accepted(parseToolArguments('tool', Buffer.from(raw)));
    expect(bytes).toMatchObject({ text, repair });
    const place = (at: number): number => Buffer.byteLength(raw.slice(0, at));
    expect(bytes.span).toEqual({ start: place(span.start), end: place(span.end) });
  });

  it.each([
    ['{"a": 1', 'truncated', 'EOF while parsing an object at line 1 column 7'],
    ['[', 'truncated', 'EOF while parsing a list at line 1 column 1'],
    ['"abc', 'truncated', 'EOF while parsing a string at line 1 column 4'],
    ['tr', 'truncated', 'EOF while parsing a value at line 1 column 2'],
    ['Calling {"a":', 'truncated', 'expected value at line 1 column 1'],
    ['{"a": 1}}', 'malformed', 'trailing characters at line 1 column 9'],
    ['{"a": 1}{"b": 2}', 'malformed', 'trailing characters at line 1 column 9'],
    ['hello', 'malformed', 'expected value at line 1 column 1'],
    ['{"a": src/main.rs}', 'malformed', 'expected value at line 1 column 7'],
    ["{'a': 1}", 'malformed', 'key must be a string at line 1 column 2'],
    ['{"a": 1,}', 'malformed', 'trailing comma at line 1 column 9'],
    ['{"a": "\\ud800"}', 'malformed', 'unexpected end of hex escape at line 1 column 14'],
    ['{"a": 1e999}', 'malformed', 'number out of range at line 1 column 11'],
    ['[1]', 'not-object', 'expected a JSON object'],
    ['"a"', 'not-object', 'expected a JSON object, got a string'],
    ['[{"a":1},{"b":2}]', 'not-object', 'expected a JSON object'],
    ['null', 'not-object', 'expected a JSON object'],
  ] as const)('%j is reported: %s', (raw, kind, reason) => {
    const outcome = parseToolArguments('tool', raw);
    expect(outcome).toMatchObject({ status: 'reported', name: 'tool', kind, reason });
    expect(parseToolArguments('tool', Buffer.from(raw))).toEqual(outcome);
  });

  it('the name is inserted as it is', () => {
    for (const name of ['', 'a`b', 'x\ny', '\u{d800}', '{name}', '$&', '__proto__']) {
      const outcome = parseToolArguments(name, 'x');
      expect(outcome).toMatchObject({
        name,
        message:
          `The arguments for \`${name}\` were not valid JSON (expected value at line 1 column 1). Received: x\n` +
          `Call \`${name}\` again with a single JSON object that matches its parameters.`,
      });
      expect(parseToolArguments(name, '{}').name).toBe(name);
    }
  });
});

describe('arguments that are no text', () => {
  it('an object is copied: what happens to it later changes nothing', () => {
    const inner = { list: [1] };
    const raw = { inner };
    const outcome = accepted(parseToolArguments('tool', raw));
    inner.list.push(2);
    expect(outcome).toMatchObject({
      value: { inner: { list: [1] } },
      text: '{"inner":{"list":[1]}}',
    });
    (outcome.value['inner'] as { list: number[] }).list.push(3);
    expect(inner.list).toEqual([1, 2]);
  });

  it('its text is what JSON.stringify makes of it', () => {
    const raw = { a: undefined, b: () => 1, c: Number.NaN, d: new Date(0), e: [undefined], f: -0 };
    expect(accepted(parseToolArguments('tool', raw)).text).toBe(JSON.stringify(raw));
    const withToJson = { secret: 1, toJSON: () => ({ shown: 1 }) };
    expect(accepted(parseToolArguments('tool', withToJson)).value).toEqual({ shown: 1 });
  });

  it('a map is an object, in its order, and so are maps in it', () => {
    const raw = new Map<string, unknown>([
      ['b', 1],
      ['a', new Map([['__proto__', { x: 1 }]])],
      ['c', [new Map()]],
    ]);
    const outcome = accepted(parseToolArguments('tool', raw));
    expect(outcome.text).toBe('{"b":1,"a":{"__proto__":{"x":1}},"c":[{}]}');
    expect(outcome.value).toEqual(JSON.parse(outcome.text));
  });

  it('a subclass of a map is one, an object that only looks like one is what it is', () => {
    class Arguments extends Map<string, number> {}
    expect(parseToolArguments('tool', new Arguments([['a', 1]]))).toMatchObject({
      text: '{"a":1}',
    });
    const tagged = { [Symbol.toStringTag]: 'Map', a: 1 };
    expect(parseToolArguments('tool', { tagged })).toMatchObject({ text: '{"tagged":{"a":1}}' });
    expect(parseToolArguments('tool', Object.create(Map.prototype))).toMatchObject({
      kind: 'unsupported-type',
    });
  });

  it('its size is limited as that of text is', () => {
    const raw = { a: 'é' };
    expect(parseToolArguments('tool', raw, { maxBytes: 10 })).toMatchObject({ status: 'accepted' });
    expect(parseToolArguments('tool', raw, { maxBytes: 9 })).toMatchObject({
      kind: 'too-large',
      reason: 'more than 9 bytes',
      echo: '{"a":"é"}',
      message:
        'The arguments for `tool` were too large (more than 9 bytes). Received: {"a":"é"}\n' +
        'Call `tool` again with a single JSON object that matches its parameters.',
    });
  });

  it('no stop signal changes the decision: its wire closed it', () => {
    for (const stop of ['length', 'interrupted'] as const) {
      expect(parseToolArguments('tool', { a: 1 }, { stop })).toMatchObject({ text: '{"a":1}' });
      const report = parseToolArguments('tool', [1], { stop });
      expect(report).toEqual(parseToolArguments('tool', [1]));
      expect(report).toMatchObject({ kind: 'unsupported-type', echo: '', error: null });
    }
  });

  it('null and undefined are text that did not come, and can have been cut off', () => {
    for (const raw of [null, undefined]) {
      expect(parseToolArguments('tool', raw)).toEqual(parseToolArguments('tool', ''));
      expect(parseToolArguments('tool', raw, { stop: 'length' })).toEqual(
        parseToolArguments('tool', '', { stop: 'length' }),
      );
    }
  });

  it('objects, arrays and bytes of another realm are what they are here', () => {
    const context = vm.createContext({ parse, text: '{"a":[1]}' });
    const value = vm.runInContext('parse({ a: [1] })', context) as unknown;
    expect(value).toStrictEqual({ a: [1] });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(vm.runInContext('parse(text).a[0]', context)).toBe(1);
    const bytes = vm.runInContext(
      'Uint8Array.from("{}", (c) => c.charCodeAt(0))',
      context,
    ) as never;
    expect(parseToolArguments('tool', bytes)).toMatchObject({ text: '{}', repair: 'none' });
    expect(failure(() => vm.runInContext('parse([1])', context) as unknown)).toMatchObject({
      kind: 'unsupported-type',
      reason: 'got an array',
    });
  });
});
