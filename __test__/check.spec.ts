// `check`: the decision without a value.

import { describe, expect, it } from 'vitest';

import { check, createScanner } from '../src/index.js';

describe('check', () => {
  it.each([
    ['{"path": "src/main.rs"}', 'none', { start: 0, end: 23 }],
    [' {} ', 'none', { start: 1, end: 3 }],
    ['```\n{}\n```', 'fence', { start: 4, end: 6 }],
    ['see {}', 'prose', { start: 4, end: 6 }],
    ['"{}"', 'double-encoding', { start: 0, end: 4 }],
  ] as const)('%j is complete', (text, repair, span) => {
    const expected = { verdict: 'complete', repair, span, kind: null, reason: null, error: null };
    expect(check(text)).toStrictEqual(expected);
    expect(check(Buffer.from(text))).toStrictEqual(expected);
  });

  it.each(['', ' ', '\n\u{85}\u{2003}'])('%j is empty', (text) => {
    const expected = {
      verdict: 'empty',
      repair: 'empty',
      span: { start: 0, end: 0 },
      kind: null,
      reason: null,
      error: null,
    };
    expect(check(text)).toStrictEqual(expected);
    expect(check(Buffer.from(text))).toStrictEqual(expected);
  });

  it.each([
    ['{"a":', 'incomplete', 'truncated', 'eof-value', 5],
    ['{"a":"é', 'incomplete', 'truncated', 'eof-string', 7],
    ['hello', 'incomplete', 'malformed', 'expected-value', 0],
    ['[1]', 'incomplete', 'not-object', 'not-object', 0],
    ['{"a":x}', 'malformed', 'malformed', 'expected-value', 5],
    ['{"a":1}}', 'malformed', 'malformed', 'trailing-characters', 7],
    ['[{"a":1},{"b":2}]', 'malformed', 'not-object', 'not-object', 0],
  ] as const)('%j is %s, and would be reported as %s', (text, verdict, kind, code, offset) => {
    const checked = check(text);
    expect(checked).toMatchObject({ verdict, kind, error: { code, offset } });
    expect(checked).toMatchObject({ repair: null, span: null, reason: checked.error!.reason });
    expect(check(Buffer.from(text))).toMatchObject({ verdict, kind, error: { code } });
  });

  it('has no size limit', () => {
    const text = `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`;
    expect(check(text)).toMatchObject({ repair: 'none', span: { start: 0, end: text.length } });
    expect(check(Buffer.from(text))).toMatchObject({ repair: 'none' });
  });

  it('gives answers that stay what they are', () => {
    const first = check('{"a":1}');
    const second = check('see {"b":2}');
    const error = check('{"a":x');
    check('');
    createScanner().feed('[[[');
    expect(first).toMatchObject({ repair: 'none', span: { start: 0, end: 7 } });
    expect(second).toMatchObject({ repair: 'prose', span: { start: 4, end: 11 } });
    expect(error.error).toMatchObject({ code: 'expected-value', offset: 5 });
    first.span!.end = 99;
    expect(check('{"a":1}').span).toEqual({ start: 0, end: 7 });
  });

  it('reads bytes as they are, wherever they lie', () => {
    const memory = new ArrayBuffer(64);
    for (let offset = 0; offset < 32; offset++) {
      const bytes = new Uint8Array(memory, offset, 7);
      bytes.set(Buffer.from('{"a":1}'));
      expect(check(bytes)).toMatchObject({ repair: 'none', span: { start: 0, end: 7 } });
    }
  });
});
