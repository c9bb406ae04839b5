// Every rule of the lint: what it finds, and what looks like it and is none.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createGate, lintRequest, lintTools } from '../../src/gate/index.js';
import type { LintFinding, ToolDefinition } from '../../src/gate/index.js';
import { type LintCode, lintLevels } from '../../src/lint/types.js';
import { root } from '../support/fixtures.js';

const description =
  'Returns the weather of a city. Call this when the user asks for it. Example: weather(city="Rome")';
const city = { type: 'string', description: 'City name' };
const good = {
  type: 'object',
  properties: { city },
  required: ['city'],
  additionalProperties: false,
};

const tool = (fields: object): ToolDefinition => ({
  name: 'weather',
  description,
  parameters: good,
  ...fields,
});

/** A tool with one more property, which is required. */
const withProperty = (property: unknown, more: object = {}): ToolDefinition =>
  tool({
    parameters: {
      ...good,
      properties: { city, it: property },
      required: ['city', 'it'],
      ...more,
    },
  });

const at = '/0/parameters/properties/it';
const lint = (one: unknown): LintFinding[] => lintTools([one as ToolDefinition]);
const places = (findings: readonly LintFinding[]): string[] =>
  findings.map(({ code, path: place }) => `${code} ${place}`);

it('a good definition has no findings, in each of the shapes that a gate takes', () => {
  const { parameters, ...rest } = { name: 'weather', description, parameters: good };
  const definitions = [
    { ...rest, parameters },
    { type: 'function', function: { ...rest, parameters } },
    { type: 'function', ...rest, parameters, strict: true },
    { ...rest, input_schema: parameters },
    { ...rest, inputSchema: parameters },
  ];
  for (const one of definitions) {
    expect(lintTools([one])).toEqual([]);
    expect(lintTools({ weather: one })).toEqual([]);
    expect(() => createGate([one])).not.toThrow();
  }
  expect(lintTools([])).toEqual([]);
  expect(lintTools({})).toEqual([]);
});

describe('definitions and names', () => {
  it.each([
    ['null', null, 'not-a-definition /0'],
    ['a string', 'weather', 'not-a-definition /0'],
    ['a list', [good], 'not-a-definition /0'],
    ['no name', { description, parameters: good }, 'no-name /0'],
    ['a blank name', tool({ name: ' ' }), 'no-name /0'],
    ['a name that is none', tool({ name: 5 }), 'no-name /0'],
    [
      'no name inside',
      { type: 'function', function: { description, parameters: good } },
      'no-name /0/function',
    ],
    ['no schema', tool({ parameters: undefined }), 'no-schema /0'],
    ['a schema that is none', tool({ parameters: 'object' }), 'invalid-schema /0/parameters'],
    ['a list as schema', tool({ parameters: [] }), 'invalid-schema /0/parameters'],
    [
      'a type that is none',
      tool({ parameters: { ...good, properties: { city: { ...city, type: 'text' } } } }),
      'invalid-schema /0/parameters',
    ],
    [
      'a reference to nothing',
      withProperty({ $ref: '#/$defs/none', description: 'It' }),
      'invalid-schema /0/parameters',
    ],
    [
      'no type at the top',
      tool({ parameters: { ...good, type: undefined } }),
      'not-an-object-schema /0/parameters',
    ],
    [
      'another type at the top',
      tool({ parameters: { ...good, type: 'array' } }),
      'not-an-object-schema /0/parameters',
    ],
    [
      'forms at the top',
      tool({ parameters: { ...good, oneOf: [{ required: ['city'] }] } }),
      'not-an-object-schema /0/parameters/oneOf',
    ],
    [
      'a name in brackets',
      tool({
        parameters: {
          ...good,
          properties: { city, 'filter[a]': city },
          required: ['city', 'filter[a]'],
        },
      }),
      'property-name-refused /0/parameters/properties/filter[a]',
    ],
  ])('%s', (_, definition, place) => {
    const findings = lint(definition);
    expect(places(findings)).toEqual([place]);
    expect(findings[0]?.level).toBe(place.startsWith('no-schema') ? 'warning' : 'error');
  });

  it.each([
    ['a.b', 'OpenAI, Anthropic', 'a_b'],
    ['files/read', 'OpenAI, Anthropic, Gemini', 'files_read'],
    ['läs', 'OpenAI, Anthropic, Gemini', 'l_s'],
    ['1st', 'Gemini', 'tool_1st'],
    ['-a', 'Gemini', 'tool_-a'],
    ['a'.repeat(65), 'OpenAI, Gemini', 'a'.repeat(64)],
    ['a'.repeat(129), 'OpenAI, Anthropic, Gemini', 'a'.repeat(64)],
    ['a\n', 'OpenAI, Anthropic, Gemini', 'a'],
    ['日本', 'OpenAI, Anthropic, Gemini', 'tool'],
  ])('the name %j is refused by %s', (name, who, better) => {
    const [finding, ...others] = lint(tool({ name }));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ level: 'error', code: 'name-refused', tool: name });
    expect(finding?.message).toMatch(new RegExp(`by: ${who}$`));
    expect(finding?.fix).toContain(`\`${better}\``);
    expect(lint(tool({ name: better }))).toEqual([]);
  });

  it.each(['a', '_a', 'read_file', 'read-file', 'Read2', 'a'.repeat(64)])(
    'the name %s is taken',
    (name) => {
      expect(lint(tool({ name }))).toEqual([]);
    },
  );

  it('names stand once, and by name they are what is linted', () => {
    const twice = lintTools([tool({}), tool({ name: 'other' }), tool({})]);
    expect(places(twice)).toEqual(['duplicate-name /2/name']);
    expect(places(lintTools({ 'a/b': tool({ name: 'fine' }) }))).toEqual(['name-refused /a~1b']);
  });

  it('tools that a provider brings are passed over, and tools that take text need no schema', () => {
    const tools = [
      { type: 'web_search' },
      { type: 'bash_20250124', name: 'bash' },
      { type: 'mcp', server_label: 'docs' },
      { type: 'custom', name: 'sql', description: 'Runs a query. Call this when data is needed.' },
      {
        type: 'custom',
        custom: { name: 'shell', description: 'Runs it. Only for short commands.' },
      },
    ];
    expect(lintTools(tools as ToolDefinition[])).toEqual([]);
    const custom = { type: 'custom', custom: { name: 'a b' } } as ToolDefinition;
    expect(places(lint(custom))).toEqual([
      'name-refused /0/custom/name',
      'no-description /0/custom',
    ]);
    const anthropic = {
      type: 'custom',
      name: 'a',
      description,
      input_schema: {},
    } as ToolDefinition;
    expect(places(lint(anthropic))).toEqual(['not-an-object-schema /0/input_schema']);
  });

  it.each([
    [20, []],
    [21, ['warning']],
    [128, ['warning']],
    [129, ['error']],
  ])('%i tools', (count, levels) => {
    const tools = Array.from({ length: count }, (_, index) => tool({ name: `tool_${index}` }));
    const findings = lintTools(tools);
    expect(findings.map(({ level }) => level)).toEqual(levels);
    for (const finding of findings) {
      expect(finding).toMatchObject({ code: 'too-many-tools', tool: null, path: '' });
    }
  });
});

describe('descriptions', () => {
  it.each([
    ['none', { description: undefined }, 'no-description /0'],
    ['blank', { description: ' \n' }, 'no-description /0'],
    ['no text', { description: 5 }, 'no-description /0'],
    [
      'the name again',
      { name: 'getWeather', description: 'Get the weather' },
      'no-description /0/description',
    ],
    [
      'the name again, in the plural',
      { name: 'list_file', description: 'List files.' },
      'no-description /0/description',
    ],
  ])('no-description: %s', (_, fields, place) => {
    expect(places(lint(tool(fields)))).toContain(place);
  });

  it('more than the name is a description', () => {
    const fields = { name: 'get_weather', description: `Get weather when asked, e.g. "Rome"` };
    expect(lint(tool(fields))).toEqual([]);
  });

  it.each([
    ['Returns the weather of a city.', true],
    ['Gets weather info, such as rain', true],
    ['Returns the weather. Always call this when user asks about weather.', false],
    ['Returns the weather. Use it for trips.', false],
    ['Searches the index. Prefer this to grep.', false],
    ['Deletes a file. Never without asking.', false],
    ['Useful for trips', false],
    ['Returns the weather if the city is known', false],
    ['The whenever-less wind of a place', false],
    // Words that are parts of others.
    ['Whence and Iffy, the thenceforth cities', true],
    // Not English: the patterns cannot tell.
    ['都市の天気を返します', false],
    ['Возвращает погоду в городе', false],
  ])('no-when: %s', (text, found) => {
    const codes = lint(tool({ description: text })).map(({ code }) => code);
    expect(codes.includes('no-when')).toBe(found);
  });

  it('long-description', () => {
    const long = `${description} ${'And so on. '.repeat(100)}`;
    expect(places(lint(tool({ description: long.slice(0, 1025) })))).toEqual([
      'long-description /0/description',
    ]);
    expect(lint(tool({ description: long.slice(0, 1024) }))).toEqual([]);
  });

  const without = 'Returns the weather of a city. Call this when the user asks for it.';
  it.each<[string, object, boolean]>([
    ['nothing shows what a text looks like', {}, true],
    ['in the description', { description: `${without} E.g. weather("Rome")` }, false],
    [
      'in the description, with other words',
      { description: `${without} Cities such as Rome.` },
      false,
    ],
    ['no example but the word "like"', { description: `${without} Users like it.` }, true],
    [
      'in a property',
      { parameters: { ...good, properties: { city: { ...city, description: "Like 'Rome'" } } } },
      false,
    ],
    [
      'by `examples`',
      { parameters: { ...good, properties: { city: { ...city, examples: ['Rome'] } } } },
      false,
    ],
    ['by `examples` at the top', { parameters: { ...good, examples: [{ city: 'Rome' }] } }, false],
    ['by `input_examples`', { input_examples: [{ city: 'Rome' }] }, false],
    ['by an empty `input_examples`', { input_examples: [] }, true],
    [
      'values that are listed need none',
      {
        parameters: {
          ...good,
          properties: { city: { enum: ['Rome', 'Oslo'], description: 'Rome or Oslo' } },
        },
      },
      false,
    ],
    [
      'numbers and truth values need none',
      {
        parameters: {
          ...good,
          properties: { city: { type: 'integer', description: 'Number of the city' } },
        },
      },
      false,
    ],
    ['no properties need none', { parameters: { ...good, properties: {}, required: [] } }, false],
  ])('no-example: %s', (_, fields, found) => {
    const findings = lint(tool({ description: without, ...fields }));
    expect(findings.map(({ code }) => code)).toEqual(found ? ['no-example'] : []);
  });
});

describe('schemas as a whole', () => {
  it('long-schema', () => {
    const long = (length: number) => {
      const properties = { city: { ...city, description: 'x' } };
      const filled = { ...good, properties };
      properties.city.description = 'x'.repeat(length - JSON.stringify(filled).length + 1);
      return tool({ parameters: filled });
    };
    expect(lint(long(4000))).toEqual([]);
    expect(places(lint(long(4001)))).toEqual(['long-schema /0/parameters']);
  });

  it.each<[string, object, readonly string[]]>([
    ['open at the top', { additionalProperties: undefined }, ['/0/parameters']],
    ['said to be open', { additionalProperties: true }, ['/0/parameters']],
    ['open for values of a type', { additionalProperties: { type: 'string' } }, ['/0/parameters']],
    ['closed', {}, []],
    [
      'closed by the other word',
      { additionalProperties: undefined, unevaluatedProperties: false },
      [],
    ],
  ])('open-object: %s', (_, fields, where) => {
    const findings = lint(tool({ parameters: { ...good, ...fields } }));
    expect(places(findings)).toEqual(where.map((place) => `open-object ${place}`));
  });

  it.each<[string, unknown, readonly string[]]>([
    ['an object without properties', { type: 'object', description: 'It' }, [at]],
    [
      'an object that is open',
      { type: 'object', description: 'It', properties: { a: city } },
      [at],
    ],
    [
      'objects in a list',
      { type: 'array', description: 'It', items: { type: 'object', properties: {} } },
      [`${at}/items`],
    ],
    [
      'one of several forms',
      { description: 'It', anyOf: [{ type: 'null' }, { type: 'object', properties: {} }] },
      [`${at}/anyOf/1`],
    ],
    ['a map', { type: 'object', description: 'It', additionalProperties: { type: 'string' } }, []],
    [
      'a map by pattern',
      { type: 'object', description: 'It', patternProperties: { '^x': {} } },
      [],
    ],
    [
      'parts that hold together',
      { description: 'It', allOf: [{ type: 'object', properties: {} }] },
      [],
    ],
    ['what it refers to', { description: 'It', $ref: '#/$defs/a' }, ['/0/parameters/$defs/a']],
  ])('open-object inside: %s', (_, property, where) => {
    const findings = lint(
      withProperty(property, {
        $defs: where[0]?.includes('$defs') ? { a: { type: 'object', properties: {} } } : {},
      }),
    );
    expect(places(findings.filter(({ code }) => code === 'open-object'))).toEqual(
      where.map((place) => `open-object ${place}`),
    );
  });

  it.each<[string, object, readonly string[]]>([
    ['a name that no property has', { required: ['city', 'town'] }, ['/0/parameters/required']],
    ['two of them', { required: ['a', 'b'] }, ['/0/parameters/required', '/0/parameters/required']],
    ['a member of every object', { required: ['city', 'constructor'] }, ['/0/parameters/required']],
    [
      'properties that stand elsewhere',
      {
        properties: { city },
        required: ['city', 'town'],
        $ref: '#/$defs/a',
        $defs: { a: { properties: { town: city } } },
      },
      [],
    ],
  ])('unknown-required: %s', (_, fields, where) => {
    const findings = lint(tool({ parameters: { ...good, ...fields } }));
    const found = findings.filter(({ code }) => code === 'unknown-required');
    expect(found.map(({ path: place }) => place)).toEqual(where);
  });

  it('unknown-required says which names there are', () => {
    const [finding] = lint(tool({ parameters: { ...good, required: ['town'] } }));
    expect(finding?.message).toContain('`town` is required');
    expect(finding?.fix).toContain('`city`');
  });
});

describe('properties', () => {
  it.each<[string, unknown, boolean]>([
    ['nothing', { description: 'It' }, true],
    ['a default is no type', { description: 'It', default: 5 }, true],
    ['a type', { description: 'It', type: 'string' }, false],
    ['several types', { description: 'It', type: ['integer', 'null'] }, false],
    ['values', { description: 'a or b', enum: ['a', 'b'] }, false],
    ['one value', { description: 'Always a', const: 'a' }, false],
    ['forms', { description: 'It', anyOf: [{ type: 'integer' }, { type: 'null' }] }, false],
  ])('property-without-type: %s', (_, property, found) => {
    const codes = lint(withProperty(property)).map(({ code }) => code);
    expect(codes.includes('property-without-type')).toBe(found);
  });

  it('a property that may be anything has neither type nor description', () => {
    expect(places(lint(withProperty(true)))).toEqual([
      `property-without-type ${at}`,
      `property-without-description ${at}`,
    ]);
  });

  it.each<[string, unknown, boolean]>([
    ['nothing', { type: 'integer' }, true],
    ['blank', { type: 'integer', description: '' }, true],
    ['a title is none', { type: 'integer', title: 'It' }, true],
    ['its own', { type: 'integer', description: 'It' }, false],
    ['that of what it refers to', { $ref: '#/$defs/it' }, false],
    [
      'that of its form',
      { anyOf: [{ type: 'integer', description: 'It' }, { type: 'null' }] },
      false,
    ],
  ])('property-without-description: %s', (_, property, found) => {
    const $defs = { it: { type: 'integer', description: 'It' } };
    const codes = lint(withProperty(property, { $defs })).map(({ code }) => code);
    expect(codes.includes('property-without-description')).toBe(found);
  });

  const listed: readonly (readonly [string, readonly string[]])[] = [
    ['One of: pending, active, completed, failed', ['pending', 'active', 'completed', 'failed']],
    ['Sort order, one of asc or desc.', ['asc', 'desc']],
    ['must be one of the following: low, medium, or high', ['low', 'medium', 'high']],
    ['Allowed values are a, b and c', ['a', 'b', 'c']],
    ['Possible values: `dev`, `prod`', ['dev', 'prod']],
    ['Valid formats: png/jpg', ['png', 'jpg']],
    ["State of the tickets: 'open', 'closed' or 'all'", ['open', 'closed', 'all']],
    ['The order, "up" | "down"', ['up', 'down']],
    ['Sort order (asc or desc)', ['asc', 'desc']],
    ['Sort order (asc, desc, or none)', ['asc', 'desc', 'none']],
    ['asc|desc', ['asc', 'desc']],
    ["Either 'fast' or 'slow', default 'fast'", ['fast', 'slow']],
    ['Unit. Options: c, f (default: c)', ['c', 'f']],
    ['Choose from: v1.0, v2.0', ['v1.0', 'v2.0']],
    ['Either fast or slow', ['fast', 'slow']],
  ];
  it.each(listed)('values-in-prose: %s', (text, values) => {
    const [finding, ...others] = lint(withProperty({ type: 'string', description: text }));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'values-in-prose', path: `${at}/description` });
    expect(finding?.fix).toBe(`add "enum": ${JSON.stringify(values)}`);
    // With what is proposed, nothing is left to say.
    const mended = { type: 'string', description: text, enum: values };
    expect(lint(withProperty(mended))).toEqual([]);
  });

  it.each([
    "City name, e.g. 'Boston' or 'London'",
    'Cities such as Boston, London or Rome',
    "A word like 'a', 'b' or 'c'",
    'File types, for example: png, jpg',
    'The path, absolute or relative to the root',
    'A path or URL',
    'The name (or id) of the user',
    'The first and last name',
    'One of the tags of the project',
    'One of your files, or a URL',
    'Size in km/h',
    'Width, height and depth',
    "Replaces 'foo' and then goes on",
    'The options of the call',
    'Either way, a text',
    'Any of these is fine',
    'True or false',
    'one of true or false',
    'Values are kept',
    'Extensions to look at, including png, jpg',
    'x || y',
  ])('no values in prose: %s', (text) => {
    expect(lint(withProperty({ type: 'string', description: text }))).toEqual([]);
  });

  it('values in prose are no matter where the schema says more than a type', () => {
    for (const more of [
      { type: 'string', pattern: '^(a|b)$' },
      { type: 'string', enum: ['a', 'b', 'c'] },
      { type: 'boolean' },
      { type: 'array', items: { enum: ['a', 'b'] } },
      { $ref: '#/$defs/it' },
    ]) {
      const property = { description: 'One of: a, b or c', ...more };
      const $defs = { it: { enum: ['a', 'b', 'c'] } };
      expect(lint(withProperty(property, { $defs })).map(({ code }) => code)).toEqual([]);
    }
    const many = { type: 'array', items: { type: 'string' }, description: 'Any of: a, b' };
    expect(lint(withProperty(many))[0]?.code).toBe('values-in-prose');
    const numbers = { type: 'integer', description: 'One of 1, 2 or 5' };
    expect(lint(withProperty(numbers))[0]?.fix).toBe('add "enum": [1,2,5]');
  });

  it.each<[string, object, string | null]>([
    ['none is named', { enum: ['c', 'f'], description: 'Unit' }, 'c'],
    [
      'one is missing',
      { enum: ['celsius', 'fahrenheit'], description: 'Defaults to celsius' },
      'fahrenheit',
    ],
    ['numbers', { enum: [1, 2], description: 'One or two' }, '1, 2'],
    ['in a list', { type: 'array', items: { enum: ['a-b'] }, description: 'Marks' }, 'a-b'],
    ['all are named', { enum: ['c', 'f'], description: 'c or f' }, null],
    ['in other letters', { enum: ['ASC', 'DESC'], description: 'asc or desc' }, null],
    ['only null is not', { enum: ['up', null], description: 'up, or nothing' }, null],
    [
      'too many to name',
      { enum: Array.from({ length: 21 }, (_, n) => `v${n}`), description: 'Version' },
      null,
    ],
  ])('enum-not-repeated: %s', (_, property, missing) => {
    const findings = lint(withProperty(property));
    expect(findings.map(({ code }) => code)).toEqual(missing === null ? [] : ['enum-not-repeated']);
    expect(findings[0]?.message ?? null).toEqual(
      missing === null ? null : expect.stringContaining(missing),
    );
    expect(findings.every(({ level }) => level === 'info')).toBe(true);
  });

  it.each<[string, string]>([
    ['between 1 and 10', '"minimum": 1 and "maximum": 10'],
    ['From 0 to 1', '"minimum": 0 and "maximum": 1'],
    ['Results (1-100)', '"minimum": 1 and "maximum": 100'],
    ['Percent, 0–100%', '"minimum": 0 and "maximum": 100'],
    ['-90 to 90 degrees', '"minimum": -90 and "maximum": 90'],
    ['up to 1,000 results', '"maximum": 1000'],
    ['Results per page (min 1, max 100)', '"minimum": 1 and "maximum": 100'],
    ['At least 1', '"minimum": 1'],
    ['No more than 50', '"maximum": 50'],
    ['Not less than 5', '"minimum": 5'],
    ['Maximum: 20', '"maximum": 20'],
    ['must be >= 0.5', '"minimum": 0.5'],
    ['≤ 3', '"maximum": 3'],
    ['greater than 0', '"exclusiveMinimum": 0'],
    ['less than 10', '"exclusiveMaximum": 10'],
    ['greater than or equal to 2', '"minimum": 2'],
    ['less than or equal to 2', '"maximum": 2'],
    ['a positive integer', '"exclusiveMinimum": 0'],
    ['non-negative', '"minimum": 0'],
    ['must not exceed 7', '"maximum": 7'],
  ])('range-in-prose: %s', (text, fix) => {
    for (const kind of ['integer', 'number', ['integer', 'null']]) {
      const [finding, ...others] = lint(withProperty({ type: kind, description: text }));
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ code: 'range-in-prose', fix: `add ${fix}` });
    }
    const bounds = JSON.parse(`{${fix.replace(' and ', ', ')}}`) as object;
    expect(lint(withProperty({ type: 'number', description: text, ...bounds }))).toEqual([]);
    expect(lint(withProperty({ type: 'string', description: text }))).toEqual([]);
  });

  it.each([
    'Maximum number of results to return (default 10)',
    'Number of results, e.g. 1-100',
    'The page, 1-based',
    'The 3rd of 4',
    'Year, as in 2024-01-31',
    'Port, usually 8080',
    'Version 2.0-beta',
    'Minimum age of the account',
    'A positive answer',
    'Seconds to wait, default 30',
    '10-1',
  ])('no range in prose: %s', (text) => {
    expect(lint(withProperty({ type: 'number', description: text }))).toEqual([]);
  });

  it('range-in-prose asks for what is missing, and for nothing that stands elsewhere', () => {
    const half = { type: 'integer', minimum: 1, description: 'between 1 and 9' };
    expect(lint(withProperty(half))[0]?.fix).toBe('add "maximum": 9');
    const inside = {
      anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'null' }],
      description: '1 to 9',
    };
    expect(lint(withProperty(inside))).toEqual([]);
    const either = { type: ['string', 'integer'], description: '1 to 9' };
    expect(lint(withProperty(either))).toEqual([]);
  });

  it.each<[string, object, boolean]>([
    ['nothing is said', { type: 'string', description: 'Unit of the temperature' }, true],
    ['only that it is optional', { type: 'string', description: 'Unit (optional)' }, true],
    ['a default', { type: 'string', description: 'Unit, defaults to c' }, false],
    ['a default, as a noun', { type: 'string', description: 'Unit (default: c)' }, false],
    [
      'what holds without it',
      { type: 'string', description: 'Unit. If not given, that of the place.' },
      false,
    ],
    [
      'what holds otherwise',
      { type: 'string', description: 'If set, only this folder; otherwise all' },
      false,
    ],
    ['that it can be left out', { type: 'string', description: 'Omit to see all of them' }, false],
    ['`default`', { type: 'string', description: 'Unit', default: 'c' }, false],
    [
      '`default` of a form',
      { description: 'It', anyOf: [{ type: 'string', default: 'c' }, { type: 'null' }] },
      false,
    ],
  ])('optional-without-default: %s', (_, property, found) => {
    const optional = withProperty(property, { required: ['city'] });
    const codes = lint(optional).map(({ code }) => code);
    expect(codes).toEqual(found ? ['optional-without-default'] : []);
    expect(lint(withProperty(property)).map(({ code }) => code)).toEqual([]);
  });

  it('what stands inside lists, forms and definitions is looked at too', () => {
    const inner = {
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: false,
    };
    const findings = lint(
      tool({
        parameters: {
          ...good,
          properties: {
            city,
            list: { type: 'array', description: 'It', items: inner },
            form: { description: 'It', oneOf: [inner, { type: 'null' }] },
            map: { type: 'object', description: 'It', additionalProperties: inner },
            'a/b~c': { description: 'It', ...inner },
          },
          required: ['city', 'list', 'form', 'map', 'a/b~c'],
          $defs: { unused: inner },
        },
      }),
    );
    const under = '/0/parameters/properties';
    expect(places(findings)).toEqual([
      `property-name-refused ${under}/a~1b~0c`,
      `property-without-description ${under}/list/items/properties/a`,
      `property-without-description ${under}/form/oneOf/0/properties/a`,
      `property-without-description ${under}/map/additionalProperties/properties/a`,
      `property-without-description ${under}/a~1b~0c/properties/a`,
      'property-without-description /0/parameters/$defs/unused/properties/a',
    ]);
  });

  it('the rules that read prose pass over what is not in English', () => {
    const texts = ['並び順 (asc or desc)', '1 から 10 まで、1-10'];
    expect(
      lint(withProperty({ type: 'string', description: texts[0] }, { required: ['city'] })),
    ).toEqual([]);
    expect(lint(withProperty({ type: 'integer', description: texts[1] }))).toEqual([]);
  });
});

describe('Standard Schemas', () => {
  it('are looked at as the JSON Schema that they give', () => {
    const inputSchema = z.strictObject({
      city: z.string().describe('City name'),
      unit: z.string().describe('One of: celsius, fahrenheit'),
      days: z.number().describe('From 1 to 7').min(1).max(7),
    });
    expect(places(lint({ name: 'weather', description, inputSchema }))).toEqual([
      'values-in-prose /0/inputSchema/properties/unit/description',
    ]);
    const parameters = type({ city: 'string' });
    expect(places(lint({ name: 'weather', description, parameters }))).toEqual([
      'open-object /0/parameters',
      'property-without-description /0/parameters/properties/city',
    ]);
  });

  it('that give none are said to be opaque', () => {
    const parameters = v.object({ city: v.string() });
    const findings = lint({ name: 'weather', description, parameters });
    expect(findings).toMatchObject([
      { level: 'info', code: 'opaque-schema', path: '/0/parameters' },
    ]);
  });
});

describe('lintRequest', () => {
  const parameters = { ...good, properties: { city: { type: 'string' } } };
  const bodies = {
    chat: {
      messages: [],
      tools: [{ type: 'function', function: { name: 'weather', description, parameters } }],
    },
    responses: {
      input: 'x',
      tools: [
        { type: 'web_search' },
        { type: 'function', name: 'weather', description, parameters },
      ],
    },
    messages: {
      messages: [],
      max_tokens: 9,
      tools: [{ name: 'weather', description, input_schema: parameters }],
    },
    old: { messages: [], functions: [{ name: 'weather', description, parameters }] },
  };
  it.each([
    ['chat completions', bodies.chat, '/tools/0/function/parameters'],
    ['responses', bodies.responses, '/tools/1/parameters'],
    ['messages', bodies.messages, '/tools/0/input_schema'],
    ['old chat completions', bodies.old, '/functions/0/parameters'],
  ])('%s', (_, body, place) => {
    const missing = `property-without-description ${place}/properties/city`;
    expect(places(lintRequest(body))).toEqual([missing]);
    expect(places(lintRequest({ ...body, temperature: 0.3 }))).toEqual([missing]);
    expect(places(lintRequest({ ...body, temperature: 0.31 }))).toEqual([
      'high-temperature /temperature',
      missing,
    ]);
    expect(places(lintRequest({ ...body, options: { temperature: 1 } }))).toEqual([
      'high-temperature /options/temperature',
      missing,
    ]);
  });

  it.each([
    ['no tools', { messages: [], temperature: 1 }],
    ['an empty list', { messages: [], temperature: 1, tools: [] }],
    ['nothing as tools', { temperature: 1, tools: null }],
    ['a temperature that is none', { temperature: '1', tools: [tool({})] }],
  ])('nothing to say: %s', (_, body) => {
    expect(lintRequest(body)).toEqual([]);
  });

  it('tools that are no list', () => {
    expect(places(lintRequest({ tools: { weather: tool({}) } }))).toEqual([
      'not-a-definition /tools',
    ]);
  });

  it.each([null, 'x', 5, []])('%j is no body', (body) => {
    expect(() => lintRequest(body as never)).toThrow(/^body must be an object \(got/);
  });
});

describe('the documentation', () => {
  const text = readFileSync(path.join(root, 'docs/lint.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| (error|warning|info)/gm)];

  it('has a row for each code, in the order and with the level of the source', () => {
    expect(rows.map(([, code, level]) => `${code} ${level}`)).toEqual(
      Object.entries(lintLevels).map(([code, level]) => `${code} ${level}`),
    );
  });

  it('every code has a test of its own here', () => {
    const source = readFileSync(path.join(root, '__test__/lint/rules.spec.ts'), 'utf8');
    const elsewhere: readonly LintCode[] = ['more'];
    for (const code of Object.keys(lintLevels).filter(
      (one) => !elsewhere.some((other) => other === one),
    )) {
      expect(source, code).toContain(code);
    }
  });
});
