// Repairs at the gate: those by schema, what findings say, and what watchers see.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type } from 'arktype';
import * as v from 'valibot';
import * as z from 'zod';

import {
  createDecisionCounters,
  createGate,
  toHistory,
  type DecisionMessage,
  type GateOptions,
  type JsonSchema,
  type RunDecision,
} from '../../src/gate/index.js';
import { parseToolArguments, type SchemaRepair, type TextRepair } from '../../src/index.js';
import { allRepairs, bySchema, namesIn, textRepairs } from '../../src/repairs.js';
import { createToolCallStream } from '../../src/wire/index.js';
import { runs } from '../support/generate.js';
import { cpuTime } from '../support/cpu-time.js';

const schemaRepairs = namesIn(bySchema) as SchemaRepair[];

type Asked = readonly (TextRepair | SchemaRepair)[];

/** Decides on one call of a tool with these parameters. */
function decide(
  parameters: JsonSchema | z.ZodType,
  value: unknown,
  repairs: Asked = allRepairs,
  options: GateOptions = {},
) {
  const gate = createGate([{ name: 'tool', parameters }], { ...options, repairs });
  return gate.decide({ id: 'call_1', name: 'tool', arguments: value });
}

/** A schema whose one property has this schema. */
function of(schema: unknown, more: object = {}): JsonSchema {
  return { type: 'object', properties: { a: schema }, ...more };
}

const object = { type: 'object' };
const array = { type: 'array' };
const integer = { type: 'integer' };
const optionalInteger = { anyOf: [integer, { type: 'null' }] };

describe('lossless-coerce', () => {
  it.each([
    ['an integer', integer, '5', 5],
    ['a negative integer', integer, '-12', -12],
    ['a number', { type: 'number' }, '0.25', 0.25],
    ['a number that is whole', { type: 'number' }, '3', 3],
    ['a small one', { type: 'number' }, '1e-7', 1e-7],
    ['true', { type: 'boolean' }, 'true', true],
    ['false', { type: 'boolean' }, 'false', false],
    ['beside null', { type: ['integer', 'null'] }, '5', 5],
    ['beside null, as an alternative', optionalInteger, '5', 5],
    ['beside a container', { type: ['integer', 'array'] }, '5', 5],
    ['one of some numbers', { enum: [1, 2, 3] }, '2', 2],
    ['a constant', { const: true }, 'true', true],
    ['by reference', { $ref: '#/$defs/count' }, '5', 5],
    ['by references to references', { $ref: '#/$defs/again' }, '5', 5],
    ['a schema of several', { allOf: [{ type: ['integer', 'string'] }, integer] }, '5', 5],
  ])('%s', (_, schema, text, value) => {
    const parameters = of(schema, {
      $defs: { count: { ...integer, minimum: 0 }, again: { $ref: '#/$defs/count' } },
    });
    const sent = JSON.stringify({ a: text, b: 'x' });
    expect(decide(parameters, sent, [])).toMatchObject({ kind: 'schema' });
    expect(decide(parameters, sent, ['nested-json'])).toEqual(decide(parameters, sent, []));
    expect(decide(parameters, sent, ['lossless-coerce'])).toMatchObject({
      action: 'run',
      arguments: { a: value, b: 'x' },
      text: JSON.stringify({ a: value, b: 'x' }),
      repair: 'lossless-coerce',
      findings: [{ code: 'repaired', path: '/a', detail: 'lossless-coerce' }, { path: '/b' }],
    });
  });

  it.each([
    ['leading zeros', integer, '007'],
    ['a fraction of nothing', { type: 'number' }, '5.0'],
    ['another spelling', { type: 'number' }, '1e3'],
    ['a plus', integer, '+5'],
    ['white space', integer, ' 5'],
    ['negative zero', { type: 'number' }, '-0'],
    ['more digits than a double holds', integer, '9007199254740993'],
    ['an integer that is not safe', integer, '9007199254740992'],
    ['infinity', { type: 'number' }, 'Infinity'],
    ['a fraction where an integer is wanted', integer, '2.5'],
    ['another base', integer, '0x10'],
    ['nothing', integer, ''],
    ['a word', { type: 'boolean' }, 'yes'],
    ['another case', { type: 'boolean' }, 'True'],
    ['a number for a boolean', { type: 'boolean' }, '1'],
    ['two scalar types', { type: ['boolean', 'integer'] }, '5'],
    ['null', { type: ['integer', 'null'] }, 'null'],
    ['null, where only a number is wanted', { type: 'number' }, 'null'],
    ['null, where a number may be null', { type: ['number', 'null'] }, 'null'],
    ['what is no number', { type: 'number' }, 'NaN'],
    ['a value that the schema refuses too', { ...integer, minimum: 9 }, '5'],
    ['a reference elsewhere', { $ref: '#/$defs/own' }, '5'],
  ])('not %s', (_, schema, text) => {
    const parameters = of(schema, { $defs: { own: { $id: 'urn:own', type: 'integer' } } });
    const sent = JSON.stringify({ a: text });
    const before = decide(parameters, sent, []);
    expect(before.action).toBe('report');
    expect(decide(parameters, sent)).toEqual(before);
  });

  it('not where a string is allowed: there is nothing to repair', () => {
    for (const schema of [{}, true, { type: ['integer', 'string'] }, { enum: ['5', 5] }]) {
      const sent = '{"a": "5"}';
      expect(decide(of(schema), sent)).toEqual(decide(of(schema), sent, []));
      // Nor where something else is wrong.
      const parameters = of(schema, { required: ['c'] });
      expect(decide(parameters, sent)).toEqual(decide(parameters, sent, []));
    }
  });
});

it('runs what the text says, of a number that JavaScript writes otherwise too', () => {
  const parameters = of(integer, { properties: { a: integer, b: { type: 'number' } } });
  const decision = decide(parameters, '{"a": "5", "b": -0}', ['lossless-coerce']);
  expect(decision).toMatchObject({ action: 'run', text: '{"a":5,"b":0}', arguments: { b: 0 } });
  const nested = decide(of(object), String.raw`{"a": "{\"x\": -0.0}"}`, ['nested-json']);
  expect(nested).toMatchObject({ text: '{"a":{"x":0}}', arguments: { a: { x: 0 } } });
});

describe('nested-json', () => {
  it.each([
    ['an object', object, '{"x": [1]}', { x: [1] }],
    ['an array', array, ' [1, "two"]\n', [1, 'two']],
    ['either', { type: ['object', 'array'] }, '[1]', [1]],
    ['beside null', { anyOf: [{ $ref: '#/$defs/point' }, { type: 'null' }] }, '{"x":1}', { x: 1 }],
    ['in words beyond Latin-1', object, '{"é 🚀": "日本"}', { 'é 🚀': '日本' }],
  ])('%s', (_, schema, text, value) => {
    const parameters = of(schema, { $defs: { point: { ...object, required: ['x'] } } });
    const sent = JSON.stringify({ a: text });
    expect(decide(parameters, sent, ['lossless-coerce'])).toEqual(decide(parameters, sent, []));
    expect(decide(parameters, sent, ['nested-json'])).toMatchObject({
      action: 'run',
      arguments: { a: value },
      text: JSON.stringify({ a: value }),
      repair: 'nested-json',
      findings: [{ code: 'repaired', path: '/a', detail: 'nested-json' }],
    });
  });

  it.each([
    ['an array where an object is wanted', object, '[]'],
    ['a scalar', object, '5'],
    ['what is cut off', object, '{"x": 1'],
    ['what has more behind it', object, '{"x": 1} or so'],
    ['what would close the member around it', object, '{}, "b": {}'],
    ['what the rule would not accept', object, '{"x": "\\ud800"}'],
    ['a number beyond the largest', object, '{"x": 1e999}'],
    ['a key that stands twice', object, '{"x": 1, "x": 2}'],
    ['what the schema refuses too', { ...object, required: ['y'] }, '{"x": 1}'],
    ['too many levels', array, '['.repeat(127) + ']'.repeat(127)],
  ])('not %s', (_, schema, text) => {
    const sent = JSON.stringify({ a: text });
    const before = decide(of(schema), sent, []);
    expect(before).toMatchObject({ kind: 'schema' });
    expect(decide(of(schema), sent)).toEqual(before);
  });

  it('leaves a string that the schema wants, whatever it holds', () => {
    const sent = '{"file": "conf.json", "body": "{\\"retries\\": 4}", "n": "5"}';
    const string = { type: 'string' };
    const decision = decide(
      { type: 'object', properties: { file: string, body: string, n: integer } },
      sent,
    );
    expect(decision).toMatchObject({ arguments: { body: '{"retries": 4}', n: 5 } });
  });

  it('goes on inside, and through items, tuples, references and the only alternative', () => {
    const node = {
      type: 'object',
      properties: {
        count: integer,
        child: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        list: { type: 'array', items: optionalInteger },
        pair: { type: 'array', prefixItems: [integer, { type: 'boolean' }], items: integer },
      },
      additionalProperties: { type: 'number' },
    };
    const sent = {
      count: '1',
      child: JSON.stringify({
        count: '2',
        child: { list: ['3', null, 4] },
        pair: '["5", "true", "6"]',
      }),
      'other/one': '0.5',
    };
    const decision = decide({ $ref: '#/$defs/node', $defs: { node } }, sent);
    const value = {
      count: 1,
      child: { count: 2, child: { list: [3, null, 4] }, pair: [5, true, 6] },
      'other/one': 0.5,
    };
    expect(decision).toMatchObject({
      arguments: value,
      text: JSON.stringify(value),
      repair: 'nested-json',
      repairs: schemaRepairs,
    });
    const paths = decision.findings.map(({ path, detail }) => [path, detail]);
    expect(paths).toContainEqual(['/child/child/list/0', 'lossless-coerce']);
    expect(paths).toContainEqual(['/child/pair', 'nested-json']);
    expect(paths).toContainEqual(['/other~1one', 'lossless-coerce']);
  });

  it('in draft-07, whose tuples are `items`', () => {
    const pair = { type: 'array', items: [integer], additionalItems: { type: 'boolean' } };
    const parameters = of(pair, { $schema: 'http://json-schema.org/draft-07/schema#' });
    expect(decide(parameters, '{"a": ["1", "true"]}')).toMatchObject({
      arguments: { a: [1, true] },
    });
  });

  it('not below the levels that the rule accepts, however deep a value is', () => {
    const list = { type: 'array', items: { anyOf: [{ $ref: '#/$defs/list' }, integer] } };
    const parameters = of({ $ref: '#/$defs/list' }, { $defs: { list } });
    const deep = (levels: number): unknown =>
      Array.from({ length: levels }).reduce<unknown>((inner) => [inner], '5');
    expect(decide(parameters, { a: deep(126) })).toMatchObject({ action: 'run' });
    expect(decide(parameters, { a: deep(127) })).toMatchObject({ kind: 'schema' });
    expect(decide(parameters, { a: deep(500) })).toMatchObject({ kind: 'schema' });
  });

  it('not where two alternatives could be meant', () => {
    const one = { type: 'object', properties: { n: integer } };
    const other = { type: 'object', properties: { n: { type: 'boolean' } } };
    const parameters = of({ anyOf: [one, other] });
    const sent = '{"a": {"n": "5"}}';
    expect(decide(parameters, sent)).toEqual(decide(parameters, sent, []));
  });

  it('a schema that refers to itself in every way takes no time', () => {
    const self = { $ref: '#/$defs/self' };
    const many = { anyOf: [self, self, self, { type: 'integer' }], oneOf: [self, self, integer] };
    const parameters = of(self, {
      $defs: { self: { allOf: [many, many], ...many } },
      required: ['b'],
    });
    const start = cpuTime();
    try {
      decide(parameters, '{"a": "5"}');
    } catch (error) {
      // The compiler may refuse it.
      expect(error).toBeInstanceOf(Error);
    }
    expect(cpuTime() - start).toBeLessThan(5000);
  });
});

describe('what was a string is looked into like anything that runs', () => {
  const parameters = of(object);
  const nested = (text: string) => JSON.stringify({ a: text });

  it('keys that reach a prototype are reported, removed or let through', () => {
    const sent = nested('{"__proto__": {"x": 1}, "y": 2}');
    const reported = decide(parameters, sent);
    expect(reported).toMatchObject({ action: 'report', kind: 'forbidden-key' });
    expect(reported.action === 'report' && reported.message).toContain('/a/__proto__');
    const removed = decide(parameters, sent, allRepairs, { forbiddenKeys: 'remove' });
    expect(removed).toMatchObject({ action: 'run', text: '{"a":{"y":2}}' });
    const allowed = decide(parameters, sent, allRepairs, {
      forbiddenKeys: 'allow',
      findings: false,
    });
    expect(allowed).toMatchObject({ action: 'run' });
    expect(allowed.findings.map(({ code }) => code)).toEqual(['forbidden-key', 'repaired']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('an own property called __proto__ stays one', () => {
    const open = { type: 'object', additionalProperties: integer };
    const decision = decide(open, '{"__proto__": "5"}', allRepairs, {
      forbiddenKeys: 'allow',
    });
    expect(decision).toMatchObject({ action: 'run', text: '{"__proto__":5}' });
    const { arguments: value } = decision as RunDecision;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('integers that are not exact are told, where they stand', () => {
    const decision = decide(parameters, nested('{"id": 12345678901234567890}'));
    expect(decision.findings[0]).toMatchObject({
      code: 'unsafe-integer',
      path: '/a/id',
      detail: '12345678901234567890',
    });
  });

  it('what the whole text has is told as before', () => {
    const decision = decide(of(integer), '{"a": "3", "a": "3"}');
    expect(decision).toMatchObject({ arguments: { a: 3 } });
    expect(decision.findings.map(({ code }) => code)).toEqual(['duplicate-key', 'repaired']);
  });

  it('many replacements are counted, not listed', () => {
    const decision = decide(of({ type: 'array', items: integer }), {
      a: Array.from({ length: 1000 }, () => '1'),
    });
    expect(decision.findings).toHaveLength(17);
    expect(decision.findings[16]).toMatchObject({ code: 'more', detail: '984' });
    const strings = [
      ...Array.from({ length: 100 }, () => '{"n": 9007199254740993}'),
      '{"__proto__": 1}',
    ];
    const inside = decide(of({ type: 'array', items: object }), { a: strings });
    expect(inside).toMatchObject({ action: 'report', kind: 'forbidden-key' });
    expect(inside.findings).toHaveLength(32 + 1 + 17);
  });
});

describe('when', () => {
  const parameters = of(integer, { required: ['a'] });

  it('what the schema accepts is not touched', () => {
    for (const sent of ['{"a": 5}', '{"a": 5, "b": "5"}', { a: 5 }, '```\n{"a": 5}\n```']) {
      expect(decide(parameters, sent)).toEqual(decide(parameters, sent, []));
    }
  });

  it('a report is about what the model sent', () => {
    const both = { type: 'object', properties: { a: integer, b: integer } };
    const sent = '{"a": "5", "b": "five"}';
    expect(decide(both, sent)).toEqual(decide(both, sent, []));
  });

  it('with repairs of the text, and with what the rule finds', () => {
    const decision = decide(parameters, 'see:\n{"a": "5", "b": "x\ny"} ok');
    expect(decision).toMatchObject({
      text: String.raw`{"a":5,"b":"x\ny"}`,
      repair: 'control-characters',
      repairs: ['control-characters', 'lossless-coerce', 'prose'],
    });
    expect(decision.findings.map(({ code, detail }) => [code, detail])).toEqual([
      ['repaired', 'control-characters'],
      ['more-text-follows', undefined],
      ['repaired', 'lossless-coerce'],
      ['unknown-key', 'b'],
    ]);
    expect(toHistory(decision as RunDecision, 'openai-chat').function.arguments).toBe(
      (decision as RunDecision).text,
    );
    expect(decide(parameters, JSON.stringify('{"a": "5"}'))).toMatchObject({
      repair: 'lossless-coerce',
      repairs: ['lossless-coerce', 'double-encoding'],
    });
  });

  it.each(textRepairs)('%s tells that it was there', (name) => {
    const texts: Readonly<Record<TextRepair, string>> = {
      'unique-object': '{see} {"a": 5}',
      'repeated-copies': '{"a": 5}{"a": 5}',
      'control-characters': '{"a": 5, "b": "\t"}',
      'literal-backslashes': String.raw`{"a": 5, "b": "\d"}`,
      'extra-closers': '{"a": 5}}',
    };
    const decision = decide(parameters, texts[name], [name], { findings: false });
    expect(decision).toMatchObject({ action: 'run', repair: name });
    expect(decision.findings).toMatchObject([{ code: 'repaired', path: '', detail: name }]);
    expect(decide(parameters, texts[name], schemaRepairs)).toMatchObject({ kind: 'malformed' });
  });

  it('not where the call was cut off, as text or as a value', () => {
    const gate = createGate([{ name: 'tool', parameters }], { repairs: allRepairs });
    const strict = createGate([{ name: 'tool', parameters }]);
    for (const sent of ['{"a": 5}}', '{"a": "5"}', { a: '5' }]) {
      const call = { id: 'call_1', name: 'tool', arguments: sent };
      expect(gate.decide(call).action).toBe('run');
      for (const stop of ['length', 'interrupted'] as const) {
        expect(gate.decide(call, { stop })).toEqual(strict.decide(call, { stop }));
        expect(gate.decide(call, { stop }).action).toBe('report');
      }
    }
  });

  it('calls of a wire, where it says that they are finished', () => {
    const gate = createGate([{ name: 'tool', parameters }], { repairs: allRepairs });
    const calls = (sent: string, reason: string | null, keepText = true) => {
      const call = { index: 0, id: 'call_1', function: { name: 'tool', arguments: sent } };
      const choice = { index: 0, delta: { tool_calls: [call] }, finish_reason: reason };
      const stream = createToolCallStream('openai-chat', { keepText });
      stream.feed(Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`));
      return stream.finish();
    };
    for (const sent of ['{"a": 5}}', '{x} {"a": 5} é', '{"a": "5"}']) {
      const [whole] = calls(sent, 'tool_calls');
      const decision = gate.decide(whole!);
      expect(decision).toMatchObject({ action: 'run', arguments: { a: 5 } });
      const raw = { id: 'call_1', name: 'tool', arguments: sent };
      expect(decision).toEqual(gate.decide(raw));
      for (const reason of ['length', 'content_filter', null]) {
        const [cut] = calls(sent, reason);
        expect(gate.decide(cut!)).toMatchObject({ action: 'report', outcome: cut!.outcome });
      }
    }
    const [unkept] = calls('{"a": 5}}', 'tool_calls', false);
    expect(gate.decide(unkept!)).toMatchObject({ action: 'report', kind: 'malformed' });
    const [hopeless] = calls('{"a": 5', 'tool_calls');
    expect(gate.decide(hopeless!)).toMatchObject({ kind: 'truncated' });
  });
});

describe('Standard Schema', () => {
  const schema = z.object({ a: z.int(), list: z.array(z.number()).optional() });

  it('is asked again where it gives a JSON Schema', async () => {
    const sent = '{"a": "5", "list": "[1, 2]"}';
    expect(decide(schema, sent, [])).toMatchObject({ kind: 'schema' });
    const decision = decide(schema, sent);
    expect(decision).toMatchObject({
      arguments: { a: 5, list: [1, 2] },
      text: '{"a":5,"list":[1,2]}',
      repairs: schemaRepairs,
    });
    expect(decide(schema, '{"a": "five"}')).toEqual(decide(schema, '{"a": "five"}', []));
    const gate = createGate([{ name: 'tool', parameters: schema }], { repairs: allRepairs });
    const call = { id: 'call_1', name: 'tool', arguments: sent };
    expect(await gate.decideAsync(call)).toEqual(decision);
    const poisoned = { ...call, arguments: '{"a": "5", "list": "{\\"__proto__\\": {}}"}' };
    expect((await gate.decideAsync(poisoned)).action).toBe('report');
  });

  it('of arktype too, and not of valibot, which gives none', () => {
    const ark = createGate([{ name: 'tool', parameters: type({ a: 'number.integer' }) }], {
      repairs: allRepairs,
    });
    const valibot = createGate([{ name: 'tool', parameters: v.object({ a: v.number() }) }], {
      repairs: allRepairs,
    });
    const call = { id: 'call_1', name: 'tool', arguments: '{"a": "5"}' };
    expect(ark.decide(call)).toMatchObject({ action: 'run', arguments: { a: 5 } });
    expect(valibot.decide(call)).toMatchObject({ action: 'report', kind: 'schema' });
  });

  it('is not touched where it gives none', () => {
    const standard = {
      version: 1,
      vendor: 'test',
      validate: schema['~standard'].validate,
    } as const;
    const bare = { '~standard': standard };
    const gate = createGate([{ name: 'tool', parameters: bare }], { repairs: allRepairs });
    const call = { id: 'call_1', name: 'tool', arguments: '{"a": "5"}' };
    expect(gate.decide(call)).toMatchObject({ kind: 'schema' });
  });
});

describe('seen from outside', () => {
  it('messages and counters have the names of repairs', () => {
    const messages: DecisionMessage[] = [];
    const onMessage = (message: unknown) => {
      messages.push(message as DecisionMessage);
    };
    subscribe('argspan:decision', onMessage);
    const counters = createDecisionCounters();
    decide(of(integer), '{"a": 1}}');
    decide(of(integer), '{"a": "1"}}');
    decide(of(integer), '{"a": 1}');
    decide(of(integer), '{"a": 1}}', []);
    const counts = counters.counts();
    counters.close();
    unsubscribe('argspan:decision', onMessage);
    expect(messages.map(({ repair, repairs }) => [repair, repairs])).toEqual([
      ['extra-closers', []],
      ['extra-closers', ['extra-closers', 'lossless-coerce']],
      ['none', []],
      [null, []],
    ]);
    expect(counts).toEqual({
      run: { 'extra-closers': 2, none: 1 },
      report: { malformed: 1 },
      findings: { repaired: 3 },
    });
  });

  it('wrong names are the caller’s mistake', () => {
    const gate = (repairs: unknown) => () => createGate([], { repairs: repairs as never });
    expect(gate('nested-json')).toThrow(TypeError);
    expect(gate(['none'])).toThrow(RangeError);
    expect(gate(allRepairs)).not.toThrow();
  });
});

it('whatever is sent, more repairs never change what fewer let run, and what runs is its text', () => {
  const often = <T>(good: fc.Arbitrary<T>, ...others: unknown[]) =>
    fc.oneof({ weight: 3, arbitrary: good }, fc.constantFrom(...others), {
      weight: 1,
      arbitrary: fc.oneof(fc.string(), fc.json()),
    });
  const members = fc.record(
    {
      i: often(fc.integer().map(String), 5, '-0', '007', '9007199254740993', 'true'),
      b: often(fc.boolean().map(String), true, 'True', '1'),
      o: often(
        fc.integer().map((n) => `{"n": "${n}"}`),
        { n: '3' },
        '{"n": 1, "n": 2}',
        '{"__proto__": 1}',
        '{"n": 1',
      ),
      l: often(
        fc.array(fc.double().map(String)),
        '[1, "2"]',
        [1, '0.5'],
        '[1e3, "1e3"]',
        ['null'],
        '["2", -0]',
      ),
      s: often(fc.string(), '{"n": 1}', '5'),
    },
    { requiredKeys: [] },
  );
  const parameters = {
    type: 'object',
    properties: {
      i: integer,
      b: { type: 'boolean' },
      o: { type: 'object', properties: { n: integer } },
      l: { type: 'array', items: { type: 'number' } },
      s: { type: 'string' },
    },
  };
  const sets: readonly Asked[] = [[], ['nested-json'], ['lossless-coerce'], schemaRepairs];
  const gates = sets.map((repairs) => createGate([{ name: 'tool', parameters }], { repairs }));
  let repaired = 0;
  fc.assert(
    fc.property(members, fc.constantFrom('', '}', '\n'), (sent, behind) => {
      const call = { id: 'call_1', name: 'tool', arguments: JSON.stringify(sent) + behind };
      const [strict, nested, coerced, both] = gates.map((gate) => gate.decide(call));
      for (const decision of [strict, nested, coerced]) {
        if (decision?.action === 'run') {
          expect(both).toEqual(decision);
        }
      }
      if (both?.action === 'run') {
        repaired += both.repair === 'none' ? 0 : 1;
        expect(JSON.parse(both.text)).toEqual(both.arguments);
        expect(parseToolArguments('tool', both.text)).toMatchObject({ repair: 'none' });
      }
    }),
    { numRuns: runs * 4 },
  );
  expect(repaired).toBeGreaterThan(runs / 20);
});
