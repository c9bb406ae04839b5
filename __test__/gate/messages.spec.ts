// Every message that a gate can give, word for word.

import { describe, expect, it } from 'vitest';

import { createGate } from '../../src/gate/index.js';
import type { DecideContext, GateOptions } from '../../src/gate/index.js';

const parameters = {
  type: 'object',
  properties: {
    location: { type: 'string', minLength: 2 },
    units: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  },
  required: ['location'],
  additionalProperties: false,
} as const;
const schemaText = JSON.stringify(parameters);

const again = 'Call `weather` again with a single JSON object that matches its parameters';
const mismatch = (issues: string, text: string) =>
  `The arguments for \`weather\` do not match its parameters (${issues}). Received: ${text}\n` +
  `${again}: ${schemaText}`;

function messageOf(
  text: unknown,
  { name = 'weather', ...more }: GateOptions & { name?: string; context?: DecideContext } = {},
): string {
  const { context, ...options } = more;
  const tools = [
    { name: 'weather', parameters },
    { name: 'forecast', parameters },
  ];
  const gate = createGate(tools, options);
  const decision = gate.decide({ id: 'call_1', name, arguments: text }, context);
  return decision.action === 'report' ? decision.message : `runs: ${decision.text}`;
}

describe('schema', () => {
  it.each([
    ['{}', '/location: a required member, got nothing'],
    ['{"location": 5}', '/location: a string, got 5'],
    ['{"location": "x"}', '/location: at least 2 characters, got "x"'],
    ['{"location": null}', '/location: a string, got null'],
    ['{"location": {"city": "Boston"}}', '/location: a string, got an object'],
    ['{"location": []}', '/location: a string, got an empty array'],
    [
      '{"location": "Boston", "units": "kelvin"}',
      '/units: one of "celsius", "fahrenheit", got "kelvin"',
    ],
    ['{"location": "Boston", "days": "5"}', '/days: an integer, got "5"'],
    ['{"location": "Boston", "days": 9}', '/days: a number <= 7, got 9'],
    [
      '{"location": "Boston", "type": "celsius"}',
      '/type: no member of this name (known: location, units, days), got "celsius"',
    ],
    [
      '{"units": 1, "days": 1.5}',
      '/location: a required member, got nothing; /units: a string, got 1; ' +
        '/units: one of "celsius", "fahrenheit", got 1; /days: an integer, got 1.5',
    ],
  ])('%s', (text, issues) => {
    expect(messageOf(text)).toBe(mismatch(issues, text));
  });

  it('names eight issues at most', () => {
    const keys = Array.from({ length: 20 }, (_, index) => `"k${index}": 1`).join(', ');
    const message = messageOf(`{"location": "Boston", ${keys}}`);
    expect(message.match(/no member of this name/g)).toHaveLength(8);
    expect(message).toContain('; …). Received: ');
  });

  it('caps the echo and the schema', () => {
    expect(messageOf('{"location": 5}', { echoLimit: 4, schemaLimit: 10 })).toBe(
      'The arguments for `weather` do not match its parameters (/location: a string, got 5). ' +
        `Received: {"lo…\n${again}: {"type":"o…`,
    );
    expect(messageOf('{"location": 5}', { echoLimit: 0, schemaLimit: 0 })).toBe(
      'The arguments for `weather` do not match its parameters (/location: a string, got 5).\n' +
        `${again}.`,
    );
  });
});

it('unknown-tool', () => {
  expect(messageOf('{}', { name: 'forcast' })).toBe(
    'There is no tool `forcast`. Call one of: forecast, weather.',
  );
  expect(messageOf('{}', { name: 'get_weather' })).toBe(
    'There is no tool `get_weather`. Call one of: weather, forecast.',
  );
  const none = createGate([]).decide({ id: '', name: 'x', arguments: '' });
  expect(none).toMatchObject({ kind: 'unknown-tool', message: 'There is no tool `x`.' });
});

it('forbidden-key', () => {
  expect(messageOf('{"location": "Boston", "__proto__": {}}')).toBe(
    'The arguments for `weather` hold the key `__proto__` (/__proto__), which is not allowed.\n' +
      `${again}.`,
  );
  expect(messageOf('{"a": [{"constructor": {"prototype": 1}}]}')).toBe(
    'The arguments for `weather` hold the key `constructor` (/a/0/constructor), which is not ' +
      `allowed.\n${again}.`,
  );
});

it('corrections spent', () => {
  const last = '\nThis was the last attempt at this call: do not make it again.';
  const plain = messageOf('{}');
  expect(messageOf('{}', { context: { corrections: 1 } })).toBe(plain);
  expect(messageOf('{}', { context: { corrections: 2 } })).toBe(plain + last);
  expect(messageOf('{}', { context: { corrections: 5 }, maxCorrections: 6 })).toBe(plain);
  expect(messageOf('{', { context: { corrections: 9 } })).toMatch(last);
});

it.each([
  [
    '{"location": "Bos',
    'The arguments for `weather` were not valid JSON (EOF while parsing a string at line 1 column ' +
      `17). Received: {"location": "Bos\n${again}.`,
  ],
  [
    '[]',
    `The arguments for \`weather\` were not valid JSON (expected a JSON object). Received: []\n${again}.`,
  ],
  [5, `The arguments for \`weather\` were not text or an object (got a number).\n${again}.`],
])('the core’s own: %s', (text, message) => {
  expect(messageOf(text)).toBe(message);
});

it('a value with reasoning, where that is reported', () => {
  const text = '{"location": "Let me think about this... Boston"}';
  expect(messageOf(text, { thinkingLeak: 'report' })).toBe(
    mismatch('/location: a value without reasoning, got "let me think"', text),
  );
  expect(messageOf(text)).toBe(`runs: ${text}`);
});
