// The lint on definitions from elsewhere: the articles' own, those that MCP servers have, and those
// that nobody should have.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createGate, lintRequest, lintTools } from '../../src/gate/index.js';
import type { JsonSchema, LintFinding, ToolDefinition } from '../../src/gate/index.js';
import { root } from '../support/fixtures.js';
import { cpuTime } from '../support/cpu-time.js';

const places = (findings: readonly LintFinding[]): string[] =>
  findings.map(({ level, code, path: place }) => `${level} ${code} ${place}`);

/** The definition that one of the articles tells to write instead of the other. */
const better = {
  name: 'get_weather',
  description:
    'Returns current weather for a location. \n    Always call this when user asks about weather.',
  parameters: {
    type: 'object',
    properties: {
      location: { type: 'string', description: "City name, e.g. 'Boston' or 'London'" },
      units: {
        type: 'string',
        enum: ['celsius', 'fahrenheit'],
        description: 'Temperature unit, defaults to celsius',
      },
    },
    required: ['location'],
  },
};

describe('the definitions of the articles', () => {
  it('the bad one', () => {
    expect(places(lintTools([{ name: 'get_weather', description: 'Get weather info' }]))).toEqual([
      'warning no-when /0/description',
      'warning no-schema /0',
    ]);
  });

  it('the better one, which another article would close', () => {
    expect(places(lintTools([better]))).toEqual([
      'warning open-object /0/parameters',
      'info enum-not-repeated /0/parameters/properties/units/description',
    ]);
    const { location, units } = better.parameters.properties;
    const description = 'Temperature unit, celsius or fahrenheit, defaults to celsius';
    const properties = { location, units: { ...units, description } };
    const best = { ...better.parameters, properties, additionalProperties: false };
    expect(lintTools([{ ...better, parameters: best }])).toEqual([]);
  });

  it('a field with an enum, as one of them writes it', () => {
    const status = {
      type: 'string',
      enum: ['pending', 'active', 'completed', 'failed'],
      description: 'One of: pending, active, completed, failed',
    };
    const { enum: _, ...prose } = status;
    const of = (one: object) => ({
      ...better,
      parameters: {
        type: 'object',
        properties: { status: one },
        required: ['status'],
        additionalProperties: false,
      },
    });
    expect(lintTools([of(status)])).toEqual([]);
    expect(lintTools([of(prose)])).toMatchObject([
      { code: 'no-example' },
      { code: 'values-in-prose', fix: 'add "enum": ["pending","active","completed","failed"]' },
    ]);
  });

  it('a description with an example, as one of them writes it', () => {
    const description =
      "Get weather for a location. \nExample: get_weather(location='Boston', units='fahrenheit')";
    const { location } = better.parameters.properties;
    const parameters = {
      type: 'object',
      properties: { location: { ...location, description: 'City name' } },
      required: ['location'],
      additionalProperties: false,
    };
    expect(places(lintTools([{ ...better, description, parameters }]))).toEqual([
      'warning no-when /0/description',
    ]);
    expect(
      places(lintTools([{ ...better, description: 'Call this when asked.', parameters }])),
    ).toEqual(['info no-example /0/description']);
  });
});

const read = (name: string): unknown =>
  JSON.parse(readFileSync(path.join(root, 'fixtures/tools', `${name}.json`), 'utf8'));

describe('definitions as MCP servers have them', () => {
  it('a server of files, written with zod', () => {
    const { result } = read('mcp-files') as { result: { tools: ToolDefinition[] } };
    expect(places(lintTools(result.tools))).toEqual([
      'info no-example /0/description',
      'warning property-without-description /0/inputSchema/properties/path',
      'info optional-without-default /0/inputSchema/properties/head/description',
      'info optional-without-default /0/inputSchema/properties/tail/description',
      'warning no-when /1/description',
      'info no-example /1/description',
      'warning property-without-description /1/inputSchema/properties/path',
      'info enum-not-repeated /1/inputSchema/properties/sortBy/description',
      'info no-example /2/description',
      'warning property-without-description /2/inputSchema/properties/path',
      'warning property-without-description /2/inputSchema/properties/edits',
      'warning open-object /3/inputSchema',
    ]);
    expect(() => createGate(result.tools)).not.toThrow();
  });

  it('a server of tickets, written by hand', () => {
    const { tools } = read('mcp-tracker') as { tools: ToolDefinition[] };
    const at = '/inputSchema/properties';
    expect(places(lintTools(tools))).toEqual([
      'error name-refused /0/name',
      'warning no-when /0/description',
      'info no-example /0/description',
      'error unknown-required /0/inputSchema/required',
      'warning open-object /0/inputSchema',
      `info optional-without-default /0${at}/q/description`,
      `warning values-in-prose /0${at}/state/description`,
      `info optional-without-default /0${at}/state/description`,
      `info enum-not-repeated /0${at}/order/description`,
      `info optional-without-default /0${at}/order/description`,
      `warning range-in-prose /0${at}/perPage/description`,
      `info optional-without-default /0${at}/perPage/description`,
      `info optional-without-default /0${at}/page/description`,
      'error name-refused /1/name',
      'warning no-description /1',
      `error property-name-refused /1${at}/filter[owner]`,
      'info no-example /1',
      'warning open-object /1/inputSchema',
      `warning open-object /1${at}/fields`,
      `warning property-without-description /1${at}/fields`,
      `warning property-without-type /1${at}/filter[owner]`,
      `info optional-without-default /1${at}/filter[owner]/description`,
    ]);
  });

  it('a server of pages, written with pydantic', () => {
    const tools = read('mcp-python') as ToolDefinition[];
    expect(places(lintTools(tools))).toEqual(['warning open-object /0/inputSchema']);
  });
});

/** An object that holds itself. */
function circle(): object {
  const object: Record<string, unknown> = { type: 'object' };
  object['properties'] = { again: object };
  return object;
}

/** An object of some lines that stands for a tree of 2^40 values. */
function forest(): object {
  let tree: object = { type: 'string' };
  for (let level = 0; level < 40; level++) {
    tree = { type: 'object', properties: { a: tree, b: tree } };
  }
  return tree;
}

function deep(levels: number): object {
  let schema: object = { type: 'string', description: 'It' };
  for (let level = 0; level < levels; level++) {
    schema = { type: 'array', items: schema };
  }
  return { type: 'object', properties: { it: schema }, additionalProperties: false };
}

const throwing = () => {
  throw new Error('no');
};
const broken = new Proxy({}, { get: throwing, ownKeys: throwing, getPrototypeOf: throwing });

describe('definitions that nobody should have', () => {
  const tool = (schema: unknown): ToolDefinition => ({
    name: 'a',
    description: 'Only if asked, e.g. now',
    parameters: schema as JsonSchema,
  });

  it.each<[string, unknown, string]>([
    ['a definition that throws', broken, 'error not-a-definition /0'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'name', { get: throwing, enumerable: true }),
      'error not-a-definition /0',
    ],
    ['a schema that throws', tool(broken), 'error not-a-definition /0'],
    [
      'a schema that throws inside',
      tool({ type: 'object', properties: broken }),
      'error invalid-schema /0/parameters',
    ],
    ['a circle', tool(circle()), 'error invalid-schema /0/parameters'],
    ['a tree that is never written out', tool(forest()), 'warning long-schema /0/parameters'],
    ['many levels', tool(deep(200)), 'error invalid-schema /0/parameters'],
    ['a BigInt', tool({ type: 'object', maxProperties: 5n }), 'error invalid-schema /0/parameters'],
    [
      'a list without end',
      tool({
        type: 'object',
        required: { length: 1e9 },
        enum: Array.from({ length: 200_000 }, () => 1),
      }),
      'warning long-schema /0/parameters',
    ],
    [
      'a text of 2 MiB',
      tool({ type: 'object', description: 'x'.repeat(1 << 21) }),
      'warning long-schema /0/parameters',
    ],
    [
      'a `toJSON`',
      tool({ type: 'object', properties: { a: { toJSON: () => ({ type: 'x' }) } } }),
      'warning open-object /0/parameters',
    ],
    [
      'keywords of the wrong kind',
      tool({ type: 'object', properties: [], required: 'a', anyOf: {}, $defs: 5 }),
      'error not-an-object-schema /0/parameters/anyOf',
    ],
  ])('%s is a finding', (_, definition, place) => {
    const started = cpuTime();
    const findings = lintTools([definition as ToolDefinition]);
    expect(cpuTime() - started).toBeLessThan(5000);
    expect(places(findings)).toContain(place);
    expect(JSON.parse(JSON.stringify(findings))).toEqual(findings);
  });

  it('a member by name that cannot be read is one, and the others are linted', () => {
    const tools = Object.defineProperty({ b: tool({}) }, 'a', { get: throwing, enumerable: true });
    expect(places(lintTools(tools))).toEqual([
      'error not-an-object-schema /b/parameters',
      'error not-a-definition /a',
    ]);
    expect(lintRequest(Object.defineProperty({}, 'tools', { get: throwing }))).toEqual([]);
  });

  it('as deep as `createGate` takes it is looked into', () => {
    expect(places(lintTools([tool(deep(96))]))).toEqual([
      'warning property-without-description /0/parameters/properties/it',
    ]);
    expect(() => createGate([tool(deep(96))])).not.toThrow();
    expect(lintTools([tool(deep(97))])[0]).toMatchObject({ level: 'error' });
    expect(() => createGate([tool(deep(97))])).toThrow(RangeError);
  });

  it('names that reach a prototype are names, of which a gate cannot check one', () => {
    const schema = JSON.parse(
      '{"type": "object", "properties": {"__proto__": {"type": "string"}, "constructor": {}}, "additionalProperties": false}',
    ) as object;
    const findings = lintTools([tool(schema)]);
    expect(places(findings)).toEqual([
      // Which `createGate` refuses, because nothing can check it.
      'error invalid-schema /0/parameters',
      'warning property-without-description /0/parameters/properties/__proto__',
      'warning property-without-type /0/parameters/properties/constructor',
      'warning property-without-description /0/parameters/properties/constructor',
    ]);
    const byName = JSON.parse('{"__proto__": {"description": "Only if asked"}}') as object;
    expect(lintTools(byName as never)).toMatchObject([{ code: 'no-schema', tool: '__proto__' }]);
  });

  it('a hundred findings a tool are told, and how many more there are', () => {
    const properties = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`p${n}`, {}]));
    const schema = { type: 'object', properties, additionalProperties: false };
    const findings = lintTools([
      tool(schema),
      tool({ type: 'object', additionalProperties: false }),
    ]);
    expect(findings).toHaveLength(102);
    expect(findings[100]).toMatchObject({ level: 'info', code: 'more', tool: 'a', path: '/0' });
    expect(findings[100]?.message).toMatch(/^8\d more were found$/);
    expect(findings[101]).toMatchObject({ code: 'duplicate-name', path: '/1/name' });
  });

  it.each([
    ['quotes', "'a',"],
    ['words', 'one of a, '],
    ['bars', 'a | '],
    ['spaces', '      '],
    ['numbers', '1-'],
    ['digits', '1,111'],
    ['examples', 'e.g. '],
    ['parentheses', '(a or '],
    ['letters', 'a'],
    ['when', 'when x '],
    ['dots', '...'],
  ])('a description of nothing but %s takes no time', (_, text) => {
    const description = text.repeat((1 << 18) / text.length);
    const properties = Object.fromEntries(
      Array.from({ length: 3 }, (_unused, n) => [
        `p${n}`,
        { type: n === 0 ? 'integer' : 'string', description },
      ]),
    );
    const started = cpuTime();
    lintTools([{ name: 'a', description, parameters: { type: 'object', properties } }]);
    expect(cpuTime() - started).toBeLessThan(3000);
  });

  it('a thousand definitions are looked into, and how many more there are', () => {
    const some = lintTools(Array.from({ length: 1000 }, () => ({})) as never);
    expect(some.filter(({ code }) => code === 'more')).toEqual([]);
    const all = lintTools(Array.from({ length: 1_000_000 }, () => ({})) as never);
    expect(all.at(-1)).toEqual({
      level: 'info',
      code: 'more',
      tool: null,
      path: '',
      message: '999000 more definitions were not looked into',
      fix: 'lint at most 1000 at a time',
    });
    expect(all).toHaveLength(some.length + 1);
  });

  it('a schema that multiplies what is said once takes no time', () => {
    const many = <T>(count: number, make: (n: number) => T): T[] =>
      Array.from({ length: count }, (_, n) => make(n));
    const names = many(20_000, (n) => `p${n}`);
    const described = { description: "'a', ".repeat(800), enum: many(20_000, (n) => n) };
    const schemas = [
      {
        properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/a' }])),
        $defs: { a: described },
      },
      {
        properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/a' }])),
        $defs: { a: { anyOf: many(20_000, () => ({})) } },
      },
      { properties: Object.fromEntries(names.map((name) => [name, {}])), required: names },
      {
        properties: Object.fromEntries(names.map((name) => [name, {}])),
        required: names.map((name) => `${name}x`),
      },
    ];
    for (const schema of schemas) {
      const started = cpuTime();
      expect(lintTools([tool({ type: 'object', ...schema })]).length).toBeGreaterThan(1);
      expect(cpuTime() - started).toBeLessThan(5000);
    }
  });

  it('whatever JSON stands in a definition, it is linted, and twice alike', () => {
    const words = fc.constantFrom(
      'type',
      'properties',
      'required',
      'items',
      'enum',
      'anyOf',
      '$ref',
      'description',
      'name',
      'function',
      'parameters',
      'input_schema',
      'custom',
      'additionalProperties',
      'default',
      '$defs',
    );
    const values = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5, depthSize: 'medium' },
        fc.constantFrom(
          'object',
          'string',
          'integer',
          '#/$defs/a',
          'One of: a, b',
          'between 1 and 9',
          '',
          null,
          true,
          5,
        ),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(words, tie('any'), { maxKeys: 5 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.array(values, { maxLength: 3 }), (tools) => {
        const first = lintTools(tools as never);
        expect(lintTools(structuredClone(tools) as never)).toEqual(first);
        expect(JSON.parse(JSON.stringify(first))).toEqual(first);
      }),
      { numRuns: 200 },
    );
  });

  it.each([undefined, null, 'x', 5, () => []])('%s is no list of tools', (tools) => {
    expect(() => lintTools(tools as never)).toThrow(TypeError);
    expect(() => lintTools(tools as never)).toThrow(
      /^tools must be a list or an object of definitions/,
    );
  });
});
