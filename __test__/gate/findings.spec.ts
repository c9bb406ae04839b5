// What is accepted but deserves a look, and keys that would reach a prototype.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createGate } from '../../src/gate/index.js';
import type { Decision, GateOptions, JsonSchema } from '../../src/gate/index.js';

const open = {
  type: 'object',
  properties: { path: { type: 'string' }, at: { type: 'object', properties: { x: {} } } },
};

const makeGate = (parameters: JsonSchema, options: GateOptions) =>
  createGate([{ name: 'tool', parameters }], options);

const gates = new Map<string, ReturnType<typeof makeGate>>();

function decide(text: unknown, options: GateOptions = {}, parameters: JsonSchema = open): Decision {
  // Compiling takes a thousand times as long as deciding.
  const key = JSON.stringify([options, parameters]);
  const gate = gates.get(key) ?? makeGate(parameters, options);
  gates.set(key, gate);
  return gate.decide({ id: 'call_1', name: 'tool', arguments: text });
}

const codes = (decision: Decision) => decision.findings.map(({ code, path }) => `${code} ${path}`);

it.each([
  ['{"path": "a"}', []],
  ['{"path": "a", "n": 9007199254740993}', ['unsafe-integer /n', 'unknown-key /n']],
  ['{"path": "a", "p\\u0061th": "b"}', ['duplicate-key /path']],
  ['{"pathh": "a"}', ['unknown-key /pathh']],
  ['{"at": {"x": 1, "y/z": 1}}', ['unknown-key /at/y~1z']],
  ['{"path": "<think>hm</think> a"}', ['thinking-leak /path']],
  ['{"path": "Let me think about this... a"}', ['thinking-leak /path']],
  ['See {"path": "a"} and more', ['more-text-follows ']],
  ['See {"path": "a"}', []],
  ['```json\n{"path": "a"}\n```', []],
  ['"{\\"path\\": \\"[THINK]\\"}"', ['thinking-leak /path']],
])('%s', (text, expected) => {
  for (const form of [text, Buffer.from(text)]) {
    const decision = decide(form);
    expect(decision.action).toBe('run');
    expect(codes(decision)).toEqual(expected);
  }
  expect(decide(text, { findings: false }).findings).toEqual([]);
});

it('the digits and the known keys are told', () => {
  const { findings } = decide('{"pat": -12345678901234567890}');
  expect(findings).toEqual([
    {
      code: 'unsafe-integer',
      path: '/pat',
      message: '-12345678901234567890 is not exact as a double',
      detail: '-12345678901234567890',
    },
    {
      code: 'unknown-key',
      path: '/pat',
      message: '`pat` is not among the parameters (known: path, at)',
      detail: 'pat',
    },
  ]);
});

it('large texts are looked into as small ones', () => {
  for (const filler of ['x', 'é', '日']) {
    for (const size of [300, 5000, 40_000, 200_000]) {
      const text = `{"path": "${filler.repeat(size)}", "é": 1, "é": 9007199254740993}`;
      const expected = ['duplicate-key /é', 'unsafe-integer /é', 'unknown-key /é'];
      expect(codes(decide(text))).toEqual(expected);
      expect(codes(decide(Buffer.from(text)))).toEqual(expected);
    }
  }
});

describe('keys that a schema names elsewhere than in `properties`', () => {
  const a = { properties: { a: {} } };
  const b = { properties: { b: {} } };
  const point = { type: 'object', properties: { x: {}, y: {} } };
  const tree = {
    $defs: { node: { properties: { left: { $ref: '#/$defs/node' }, value: {} } } },
    $ref: '#/$defs/node',
  };

  it.each<[string, JsonSchema, string, string[]]>([
    ['$ref', { $defs: { a }, $ref: '#/$defs/a' }, '{"a":1,"c":1}', ['/c']],
    [
      'a part of it',
      { $defs: { point }, properties: { at: { $ref: '#/$defs/point' } } },
      '{"at":{"x":1,"z":1}}',
      ['/at/z'],
    ],
    ['an encoded $ref', { $defs: { 'p/q ~': a }, $ref: '#/$defs/p%2Fq%20~0' }, '{"c":1}', ['/c']],
    ['an anchor', { $defs: { p: { ...a, $anchor: 'p' } }, $ref: '#p' }, '{"c":1}', ['/c']],
    ['itself', tree, '{"left":{"left":{"valeu":1}}}', ['/left/left/valeu']],
    ['allOf', { allOf: [a, b] }, '{"a":1,"b":1,"c":1}', ['/c']],
    ['allOf beside its own', { ...a, allOf: [b] }, '{"a":1,"b":1,"c":1}', ['/c']],
    ['anyOf', { anyOf: [a, b] }, '{"a":1,"b":1,"c":1}', ['/c']],
    [
      'oneOf that only requires',
      { ...a, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{"a":1,"c":1}',
      ['/c'],
    ],
    [
      'if, then, else',
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword
      { ...a, if: a, then: b, else: { properties: { c: {} } } },
      '{"a":1,"b":1,"c":1,"d":1}',
      ['/d'],
    ],
    ['dependentSchemas', { ...a, dependentSchemas: { a: b } }, '{"a":1,"b":1,"c":1}', ['/c']],
    [
      'the same key in two',
      { allOf: [{ properties: { at: a } }, { properties: { at: b } }] },
      '{"at":{"a":1,"b":1,"c":1}}',
      ['/at/c'],
    ],
    [
      'items',
      { properties: { list: { items: { allOf: [a] } } } },
      '{"list":[{"a":1},{"c":1}]}',
      ['/list/1/c'],
    ],
    ['nothing else in a form', { anyOf: [a, { type: 'object' }] }, '{"c":1}', []],
    ['patternProperties', { ...a, patternProperties: { '^x-': {} } }, '{"c":1}', []],
    ['additionalProperties', { ...a, additionalProperties: { type: 'number' } }, '{"c":1}', []],
    [
      'a choice with any key',
      { ...a, anyOf: [{ propertyNames: { maxLength: 9 } }] },
      '{"c":1}',
      [],
    ],
    ['no properties', { type: 'object' }, '{"c":1}', []],
    ['a closed one', { ...a, additionalProperties: false }, '{"a":{"c":1}}', []],
    [
      'inside a closed one',
      { properties: { at: point }, additionalProperties: false },
      '{"at":{"z":1}}',
      ['/at/z'],
    ],
    ['inherited words', { ...a }, '{"constructor":1,"toString":1}', ['/constructor', '/toString']],
  ])('%s', (_, schema, text, expected) => {
    const decision = decide(text, {}, schema);
    expect(decision.action).toBe('run');
    expect(decision.findings.map(({ path }) => path)).toEqual(expected);
  });

  it('a deep value and a schema that comes back to itself take linear time', () => {
    const deep = '{"left":'.repeat(126) + '{"x":1}' + '}'.repeat(126);
    expect(decide(deep, {}, tree).findings).toHaveLength(1);
    const both = {
      $defs: {
        n: { properties: { l: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/m' }] } } },
        m: { properties: { l: { allOf: [{ $ref: '#/$defs/m' }] } } },
      },
      $ref: '#/$defs/n',
    };
    const nested = '{"l":'.repeat(100) + '{"x":1}' + '}'.repeat(100);
    expect(decide(nested, {}, both).findings).toHaveLength(1);
  });
});

it('duplicates are looked for among so many keys of open objects, and no more', () => {
  const members = Array.from({ length: 65_537 }, (_, index) => `"k${index}":1`);
  for (const [again, expected] of [
    ['k0', 1],
    ['k65535', 1],
    ['k65536', 0],
  ] as const) {
    const text = `{${members.join(',')},"${again}":2}`;
    for (const form of [text, Buffer.from(text)]) {
      const { findings } = decide(form, {}, {});
      expect(findings).toHaveLength(expected);
    }
  }
  // Keys of an object that has ended count no more.
  const closed = `{"a":{${members.join(',')}},"b":1,"b":2}`;
  expect(codes(decide(closed, {}, {}))).toEqual(['duplicate-key /b']);
  expect(codes(decide(`{${'"a":1,'.repeat(100_000)}"a":1}`, {}, {}))).toHaveLength(33);
});

it('there are never many', () => {
  const { findings } = decide(`{"n": [${'9007199254740993,'.repeat(1000)}1]}`);
  expect(findings.length).toBeLessThan(60);
  expect(findings.find(({ code }) => code === 'more')?.message).toBe('968 more were found');
});

describe('forbidden keys', () => {
  const polluted = () => ({} as { polluted?: unknown }).polluted;

  it('may be removed: what runs and its text have none, and a finding says so', () => {
    const decision = decide(
      '{"path": "a", "__proto__": {"polluted": 1}, "at": {"constructor": {"prototype": {}}, "x": 1}}',
      { forbiddenKeys: 'remove' },
    );
    expect(decision).toMatchObject({
      action: 'run',
      text: '{"path":"a","at":{"x":1}}',
      findings: [
        { code: 'forbidden-key', path: '/__proto__', message: 'the key `__proto__` was removed' },
        { code: 'forbidden-key', path: '/at/constructor' },
      ],
    });
    expect(decision.action === 'run' && Object.getPrototypeOf(decision.arguments)).toBe(
      Object.prototype,
    );
  });

  it('may be let through, as members like others', () => {
    const decision = decide('{"__proto__": {"polluted": 1}}', { forbiddenKeys: 'allow' });
    expect(decision.action === 'run' && Object.keys(decision.arguments)).toEqual(['__proto__']);
    expect(codes(decision)).toContain('forbidden-key /__proto__');
    expect(polluted()).toBeUndefined();
  });

  /** A key in some escaping. */
  const escaped = (key: string) =>
    fc.array(fc.boolean(), { minLength: key.length, maxLength: key.length }).map((flags) =>
      key
        .split('')
        .map((letter, index) =>
          flags[index] === true
            ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
            : letter,
        )
        .join(''),
    );

  it('are reported at every depth and in any escaping, however they come', () => {
    const attack = fc.oneof(
      escaped('__proto__').map((key) => `"${key}":{"polluted":1}`),
      fc
        .tuple(escaped('constructor'), escaped('prototype'))
        .map(([outer, inner]) => `"${outer}":{"a":1,"${inner}":{"polluted":1}}`),
    );
    const levels = fc.array(fc.constantFrom('{"k":', '[0,', '{"constructor":'), { maxLength: 110 });
    fc.assert(
      fc.property(attack, levels, fc.constantFrom('', 'é', '日'), (member, outer, other) => {
        const ends = outer.map((level) => (level === '[0,' ? ']' : '}')).toReversed();
        const inner = `${outer.join('')}{"other":"${other}",${member}}${ends.join('')}`;
        const text = `{"at":{"x":${inner}}}`;
        for (const form of [text, Buffer.from(text), `Call: ${text}`, JSON.stringify(text)]) {
          for (const findings of [true, false]) {
            const decision = decide(form, { findings });
            expect(decision).toMatchObject({ action: 'report', kind: 'forbidden-key' });
            const replay = decision.action === 'report' ? decision.outcome.replay : '';
            expect(JSON.stringify(JSON.parse(replay))).not.toContain('"__proto__"');
          }
        }
        const removed = decide(text, { forbiddenKeys: 'remove' });
        expect(removed.action === 'run' && removed.text).not.toContain('polluted');
        expect(polluted()).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('come as parsed objects and maps as well', () => {
    const value: unknown = JSON.parse('{"at": {"__proto__": {"polluted": 1}}}');
    expect(decide(value)).toMatchObject({ kind: 'forbidden-key' });
    expect(decide(new Map([['__proto__', 1]]))).toMatchObject({ kind: 'forbidden-key' });
  });

  it('others are keys like any', () => {
    for (const text of ['{"constructor": "x"}', '{"prototype": {}}', '{"proto": 1}']) {
      expect(decide(text).action).toBe('run');
    }
  });
});
