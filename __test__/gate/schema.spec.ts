// Definitions and schemas: every shape, JSON Schema as the gate means it, real Standard Schemas,
// types, and schemas that mean harm.

import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

import { callWithRetry, createGate } from '../../src/gate/index.js';
import type { Gate, GateOptions, JsonSchema } from '../../src/gate/index.js';
import { cpuTime } from '../support/cpu-time.js';

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer' } },
  required: ['path'],
} as const;

/** The decision on a text by one schema. */
function decide(schema: JsonSchema, text: string, options: GateOptions = {}) {
  const gate = createGate([{ name: 'tool', parameters: schema }], options);
  return gate.decide({ id: 'call_1', name: 'tool', arguments: text });
}

const runs = (schema: JsonSchema, text: string, options?: GateOptions) =>
  decide(schema, text, options).action === 'run';

describe('definitions', () => {
  it.each([
    ['OpenAI', [{ type: 'function', function: { name: 'read', parameters, strict: true } }]],
    ['OpenAI responses', [{ type: 'function', name: 'read', parameters }]],
    ['Anthropic', [{ name: 'read', input_schema: parameters }]],
    ['MCP', [{ name: 'read', inputSchema: parameters, annotations: {} }]],
    ['keyed', { read: { inputSchema: parameters } }],
    ['keyed with function', { read: { function: { parameters } } }],
  ])('%s', (_, tools) => {
    const gate = createGate(tools);
    expect(gate.names).toEqual(['read']);
    const of = (text: string) => gate.decide({ id: '', name: 'read', arguments: text }).action;
    expect([of('{"path": "a"}'), of('{"path": 1}')]).toEqual(['run', 'report']);
  });

  it('a tool without a schema takes any object', () => {
    const gate = createGate([{ name: 'a', parameters: null }, { name: 'b' }]);
    expect(gate.decide({ id: '', name: 'a', arguments: '{"x": 1}' }).action).toBe('run');
  });

  it.each([
    [5, 'tools must be a list or an object of definitions (got a number)'],
    [[5], 'tools[0] must be a definition (got a number)'],
    [[{}], 'tools[0] must have a name (got undefined)'],
    [[{ name: 'a' }, { function: { name: 'a' } }], 'tools has two definitions of `a`'],
    [[{ name: 'a', parameters: 5 }], 'the schema of `a` must be an object (got a number)'],
    [
      [{ name: 'a', parameters: { type: 'strin' } }],
      'the schema of `a` cannot be compiled: schema is invalid',
    ],
    [
      [{ name: 'a', parameters: { $ref: 'https://example.com/schema.json' } }],
      "the schema of `a` cannot be compiled: can't resolve reference https://example.com/schema.json",
    ],
    [
      [{ name: 'a', parameters: { properties: { b: { pattern: '(' } } } }],
      'the schema of `a` cannot be compiled: ',
    ],
    [
      [{ name: 'a', parameters: { $async: true } }],
      'the schema of `a` cannot be compiled: it is asynchronous',
    ],
  ])('%j is refused', (tools, message) => {
    expect(() => createGate(tools as never)).toThrow(message);
  });

  it('a schema that changes later changes nothing', () => {
    const schema = { type: 'object', required: [] as string[] };
    const gate = createGate([{ name: 'a', parameters: schema }]);
    schema.required.push('x');
    expect(gate.decide({ id: '', name: 'a', arguments: '{}' }).action).toBe('run');
  });
});

describe('JSON Schema', () => {
  it('strict types, no defaults, unknown keywords ignored, formats as asked', () => {
    const limit = { type: 'object', properties: { n: { type: 'integer', default: 5 } } };
    expect(runs(limit, '{"n": "5"}')).toBe(false);
    expect(runs(limit, '{"n": 5.0}')).toBe(true);
    expect(decide(limit, '{}')).toMatchObject({ action: 'run', arguments: {}, text: '{}' });
    expect(runs({ type: 'object', 'x-order': 1, example: {} }, '{}')).toBe(true);
    const mail = { type: 'object', properties: { to: { type: 'string', format: 'email' } } };
    expect(runs(mail, '{"to": "x"}')).toBe(true);
    expect(runs(mail, '{"to": "x"}', { formats: { email: /@/ } })).toBe(false);
    expect(decide(mail, '{"to": "x"}', { formats: { email: /@/ } })).toMatchObject({
      message: expect.stringContaining('/to: a string in the format email, got "x"') as string,
    });
  });

  it('draft 2020-12, and draft-07 by $schema', () => {
    const tuple = { properties: { a: { prefixItems: [{ type: 'string' }], items: false } } };
    expect(runs(tuple, '{"a": ["x", 1]}')).toBe(false);
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }], additionalItems: false } },
    };
    expect(runs(old, '{"a": ["x", 1]}')).toBe(false);
    expect(runs(old, '{"a": ["x"]}')).toBe(true);
  });

  it('the same $id in two tools is no conflict', () => {
    const schema = { $id: 'https://example.com/args', type: 'object' };
    expect(() =>
      createGate([
        { name: 'a', parameters: schema },
        { name: 'b', parameters: schema },
      ]),
    ).not.toThrow();
  });

  it('several forms are one issue', () => {
    const forms = { properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } };
    expect(decide(forms, '{"a": []}')).toMatchObject({
      outcome: { reason: '/a: one of the forms that the parameters allow, got an empty array' },
    });
  });

  it('valid JSON with wrong field names, as constrained decoding can give', () => {
    const closed = { ...parameters, additionalProperties: false };
    const decision = decide(closed, '{"file_path": "a.txt"}');
    expect(decision).toMatchObject({ action: 'report', kind: 'schema' });
    expect(decision.action === 'report' && decision.outcome.replay).toBe('{"file_path": "a.txt"}');
  });
});

describe('Standard Schema', () => {
  const schemas = {
    zod: z.object({ path: z.string(), limit: z.coerce.number().default(5) }),
    valibot: v.object({
      path: v.string(),
      limit: v.optional(v.pipe(v.unknown(), v.transform(Number)), 5),
    }),
    arktype: type({ path: 'string', limit: 'string.numeric.parse = "5"' }),
  };

  it.each(Object.entries(schemas))('%s: what it returns is what runs', (_, inputSchema) => {
    const gate = createGate([{ name: 'read', inputSchema }]);
    const of = (text: string) => gate.decide({ id: '', name: 'read', arguments: text });
    const run = of('{"path": "a", "limit": "7"}');
    expect(run).toMatchObject({
      action: 'run',
      arguments: { path: 'a', limit: 7 },
      text: '{"path":"a","limit":7}',
      findings: [{ code: 'schema-transformed' }],
    });
    const report = of('{"path": 5}');
    expect(report).toMatchObject({ action: 'report', kind: 'schema' });
    expect(report.action === 'report' && report.message).toMatch(
      /^The arguments for `read` do not match its parameters \(\/path: .*string.*, got 5\)\. Received: {"path": 5}\nCall `read` again with a single JSON object that matches its parameters/,
    );
  });

  it('what it leaves alone keeps its text', () => {
    const gate = createGate([{ name: 'read', inputSchema: z.object({ path: z.string() }) }]);
    const text = '{ "path": "a" }';
    expect(gate.decide({ id: '', name: 'read', arguments: text })).toMatchObject({
      text,
      findings: [],
    });
  });

  it('one that answers later needs decideAsync', async () => {
    const later = z.object({ path: z.string().refine(async (path) => path !== 'x') });
    const gate = createGate([{ name: 'read', inputSchema: later }]);
    const call = { id: '', name: 'read', arguments: '{"path": "x"}' };
    expect(() => gate.decide(call)).toThrow('the schema of `read` answers with a promise');
    expect((await gate.decideAsync(call)).action).toBe('report');
    expect((await gate.planAsync([{ ...call, arguments: '{"path": "y"}' }])).run).toHaveLength(1);
  });

  it('a value that has no JSON runs, and the text is what came', () => {
    const dates = z.object({ id: z.string().transform((id) => BigInt(id)) });
    const gate = createGate({ dates: { inputSchema: dates } });
    expect(gate.decide({ id: '', name: 'dates', arguments: '{"id": "7"}' })).toMatchObject({
      action: 'run',
      arguments: { id: 7n },
      text: '{"id": "7"}',
      findings: [{ code: 'schema-transformed' }],
    });
  });
});

it('types go from a schema to its handler', async () => {
  const gate = createGate([
    { name: 'read', parameters },
    {
      type: 'function',
      function: {
        name: 'mode',
        parameters: {
          type: 'object',
          properties: {
            mode: { enum: ['r', 'w'] },
            tags: { type: 'array', items: { type: ['string', 'null'] } },
          },
          required: ['mode'],
        },
      },
    },
    { name: 'zod', inputSchema: z.object({ when: z.coerce.number() }) },
    { name: 'any' },
  ]);
  await gate.run([], {
    handlers: {
      read: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ path: string; limit?: number }>();
      },
      mode: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ mode: 'r' | 'w'; tags?: (string | null)[] }>();
      },
      zod: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ when: number }>();
      },
      any: (input) => {
        expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
      },
    },
  });
  const decision = gate.decide({ id: '', name: 'read', arguments: '{"path": "a"}' });
  if (decision.action === 'run' && decision.name === 'read') {
    expectTypeOf(decision.arguments.path).toBeString();
  }
  // @ts-expect-error -- there is no such tool
  await gate.run([], { handlers: { write: () => '' } });
});

describe('hostile schemas', () => {
  it('one of thousands of properties is refused, and not worked on for ever', () => {
    const names = Array.from({ length: 8000 }, (_, index) => [`p${index}`, { type: 'string' }]);
    const enormous = { type: 'object', properties: Object.fromEntries(names) };
    expect(() => runs(enormous, '{}')).toThrow(/^the schema of `tool` cannot be compiled/);
  });

  it('an enormous one is refused, by size and by levels', () => {
    const wide = { enum: ['x'.repeat(1024 * 1024)] };
    expect(() => runs(wide, '{}')).toThrow(
      'cannot be compiled: it has more than 1048576 characters',
    );
    expect(() => runs({ type: 'object' }, '{}', { maxSchemaBytes: 5 })).toThrow(RangeError);
    let deep: JsonSchema = {};
    for (let level = 0; level < 200; level++) {
      deep = { not: deep };
    }
    expect(() => runs(deep, '{}')).toThrow('cannot be compiled: it has more than 100 levels');
    const circle: Record<string, unknown> = {};
    circle['not'] = circle;
    expect(() => runs(circle, '{}')).toThrow('the schema of `tool` cannot be compiled: ');
  });

  it('one that refers to itself is fine, unless it never ends', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } };
    const deep = '{"child":'.repeat(126) + '{}' + '}'.repeat(126);
    expect(runs(tree, deep)).toBe(true);
    expect(() => runs({ allOf: [{ $ref: '#' }] }, '{}')).toThrow(
      'the schema of `tool` cannot be compiled: it refers to itself without end',
    );
  });

  it('a catastrophic pattern needs another engine, which can be given', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const started = cpuTime();
    expect(() => createGate([{ name: 'tool', parameters: schema }])).not.toThrow();
    const regExp = () => ({ test: (text: string) => !text.includes('!') });
    expect(runs(schema, `{"a": "${'a'.repeat(60)}!"}`, { regExp })).toBe(false);
    expect(cpuTime() - started).toBeLessThan(5000);
  });

  it('many wrong values are told in bounded memory', () => {
    const schema = { properties: { a: { items: { type: 'string' } } } };
    const text = `{"a": [${'1,'.repeat(300_000)}1]}`;
    const decision = decide(schema, text);
    expect(decision.action === 'report' && decision.message.length).toBeLessThan(2000);
  });
});

it('a gate of known tools is a gate', async () => {
  const gate = createGate([
    { name: 'read', parameters },
    { name: 'zod', inputSchema: z.object({ when: z.coerce.number() }) },
  ]);
  const any: Gate = gate;
  expect(any.decide({ id: '', name: 'read', arguments: '{"path": "a"}' }).action).toBe('run');
  const [call] = await callWithRetry(() => '{"name": "read", "arguments": {"path": "a"}}', {
    gate,
  });
  if (typeof call === 'object' && call.name === 'read') {
    expectTypeOf(call.arguments.path).toBeString();
  }
});
