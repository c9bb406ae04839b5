// The reasons for the gate: what the seeds show, and a test for each line of their checklists that
// the gate answers.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { callWithRetry, createDecisionLog, createGate } from '../../src/gate/index.js';
import { createToolCallStream } from '../../src/wire/index.js';
import { root } from '../support/fixtures.js';
import { chatChunk, entry, streamOf } from '../support/wire.js';

const weather = {
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: {
      location: { type: 'string' },
      units: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    required: ['location'],
  },
} as const;
const gate = createGate([
  weather,
  {
    name: 'read',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: 'now', parameters: { type: 'object', properties: {} } },
]);
const decide = (name: string, text: unknown) =>
  gate.decide({ id: 'call_1', name, arguments: text });

describe('small models and broken JSON', () => {
  it.each([
    '```json\n{"path": "src/main.rs"}\n```',
    'Let me read the file: {"path": "src/main.rs"}.',
    String.raw`"{\"path\": \"src/main.rs\"}"`,
  ])('one reading: %s', (text) => {
    expect(decide('read', text)).toMatchObject({ arguments: { path: 'src/main.rs' } });
  });

  it('a parse error is never swallowed: no tool runs with {}', () => {
    for (const text of ['{"path": "src/main.rs', '{"path": src/main.rs}']) {
      expect(decide('read', text).action).toBe('report');
    }
  });

  it('the input is quoted back', () => {
    expect(decide('read', '{"path": "src/main.rs')).toMatchObject({
      message:
        'The arguments for `read` were not valid JSON (EOF while parsing a string at line 1 column ' +
        '21). Received: {"path": "src/main.rs\n' +
        'Call `read` again with a single JSON object that matches its parameters.',
    });
  });

  it('a bad call never asks for approval, holds nothing up, and shows as failed', async () => {
    const asked: string[] = [];
    const shown: string[] = [];
    const results = await gate.run(
      [
        { id: '1', name: 'read', arguments: '{"path": "src' },
        { id: '2', name: 'read', arguments: '{"path": "a"}' },
      ],
      {
        handlers: { read: () => 'text' },
        readOnly: () => true,
        approve: ({ id }) => asked.push(id) > 0,
        onUpdate: ({ id, status, content }) => shown.push(`${id} ${status} ${content}`),
      },
    );
    expect(asked).toEqual(['2']);
    expect(shown[0]).toBe(`1 failed ${results[0]?.content}`);
    expect(results[1]?.ok).toBe(true);
  });

  it('valid JSON with wrong field names comes back as a clear error', () => {
    expect(decide('read', '{"file": "a"}')).toMatchObject({
      kind: 'schema',
      outcome: { reason: '/path: a required member, got nothing' },
    });
  });
});

describe('local models', () => {
  it('the JSON smuggler', async () => {
    const answer =
      'Here\'s the tool call:\n\n```json\n{"tool": "get_weather", "arguments": {"location": "Boston"}}\n```';
    const [call] = await callWithRetry(() => answer, { gate });
    expect(call).toMatchObject({ name: 'get_weather', arguments: { location: 'Boston' } });
  });

  it('the thinking token polluter', () => {
    const text = '{"location": "Let me think about this... Boston has weather..."}';
    expect(decide('get_weather', text).findings).toMatchObject([{ code: 'thinking-leak' }]);
    const strict = createGate([weather], { thinkingLeak: 'report' });
    expect(strict.decide({ id: '', name: 'get_weather', arguments: text })).toMatchObject({
      kind: 'schema',
    });
  });

  it('the schema guesser', () => {
    const text = '{"location": "Boston", "type": "celsius"}';
    expect(decide('get_weather', text).findings).toMatchObject([
      {
        code: 'unknown-key',
        path: '/type',
        message: expect.stringContaining('location, units') as string,
      },
    ]);
    const closed = { ...weather.parameters, additionalProperties: false };
    const strict = createGate([{ name: 'get_weather', parameters: closed }]);
    expect(strict.decide({ id: '', name: 'get_weather', arguments: text }).action).toBe('report');
  });

  it('the non-decider', async () => {
    const told: unknown[] = [];
    const asked = callWithRetry(
      ({ feedback }) => (told.push(feedback) > 0 ? 'I have no access.' : ''),
      {
        gate,
        baseDelayMs: 1,
      },
    );
    await expect(asked).rejects.toMatchObject({ kind: 'no-tool-called', attempts: 3 });
    expect(told[1]).toBe('No tool was called. Call one of: get_weather, read, now.');
  });

  it('values that are made up are no values of an enum', () => {
    expect(decide('get_weather', '{"location": "Boston", "units": "kelvin"}')).toMatchObject({
      outcome: { reason: '/units: one of "celsius", "fahrenheit", got "kelvin"' },
    });
  });
});

describe('the checklist of six backends', () => {
  it('arguments are normalised before any business logic runs', async () => {
    const seen: unknown[] = [];
    const given = [
      '{"path": "a"}',
      { path: 'a' },
      new Map([['path', 'a']]),
      Buffer.from('{"path": "a"}'),
    ];
    const calls = given.map((one, index) => ({ id: `${index}`, name: 'read', arguments: one }));
    await gate.run(calls, { handlers: { read: (input) => seen.push(input) } });
    expect(seen).toEqual(given.map(() => ({ path: 'a' })));
    expect(seen[1]).not.toBe(given[1]);
  });

  it('empty or missing payloads are {}', () => {
    for (const text of ['', ' \n', null, undefined, new Uint8Array()]) {
      expect(decide('now', text)).toMatchObject({ action: 'run', arguments: {}, text: '{}' });
      expect(decide('read', text)).toMatchObject({ action: 'report', kind: 'schema' });
    }
  });

  it('strings are parsed once, and parse failures surface', () => {
    const twice = JSON.stringify(JSON.stringify(JSON.stringify({ path: 'a' })));
    expect(decide('read', twice)).toMatchObject({ action: 'report', kind: 'not-object' });
  });

  it('a strict schema: "5" is no integer, and nothing is filled in', () => {
    const parameters = {
      type: 'object',
      properties: { n: { type: 'integer' }, m: { type: 'integer', default: 5 } },
      required: ['n'],
      additionalProperties: false,
    };
    const strict = createGate([{ name: 'tool', parameters }]);
    const of = (text: string) => strict.decide({ id: '', name: 'tool', arguments: text });
    expect(of('{"n": "5"}').action).toBe('report');
    expect(of('{}').action).toBe('report');
    expect(of('{"n": 5, "x": 1}').action).toBe('report');
    expect(of('{"n": 5}')).toMatchObject({ arguments: { n: 5 } });
  });

  it('streamed fragments are validated only when complete', () => {
    const stream = createToolCallStream('openai-chat');
    const finished = [
      chatChunk([entry(0, { id: 'call_1', name: 'read', text: '{"path"' })]),
      chatChunk([entry(0, { text: ': "a"}' })]),
      chatChunk([], 'tool_calls'),
    ].map((event) => stream.feed(streamOf(event)).filter(({ type }) => type === 'finish').length);
    expect(finished).toEqual([0, 0, 1]);
    const [call] = stream.finish();
    expect(gate.decide(call!)).toMatchObject({ action: 'run', text: '{"path": "a"}' });
  });

  it('validation errors return to the model, with a cap', () => {
    const call = { id: 'call_1', name: 'read', arguments: '{}' };
    const reports = [0, 1, 2].map((corrections) => gate.decide(call, { corrections }));
    expect(reports.map((report) => report.action === 'report' && report.final)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('raw and normalised values are logged for each backend, redacted', () => {
    const lines: string[] = [];
    using log = createDecisionLog({ write: (line) => lines.push(line), redact: ['path'] });
    void log;
    const context = { backend: 'qwen' };
    gate.decide({ id: '', name: 'read', arguments: '{"path": "secret", "n": 1}' }, context);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      backend: 'qwen',
      shape: 'string',
      raw: '[redacted]',
      arguments: { path: '[redacted]', n: 1 },
    });
  });

  it('nothing is ever assigned from a key of the model’s', () => {
    const files = readdirSync(path.join(root, 'src/gate')).filter((file) => file.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const source = readFileSync(path.join(root, 'src/gate', file), 'utf8');
      expect(source, file).not.toMatch(/[\w)\]]\[[a-z]\w*\]\s*(?:\?\?|\|\|)?=[^=>]/i);
    }
  });
});
