// Asking again.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { describe, expect, it } from 'vitest';

import { ToolCallRetryError, callWithRetry, createGate } from '../../src/gate/index.js';
import type { Answer, Attempt, RetryMessage, RetryOptions } from '../../src/gate/index.js';

const gate = createGate([
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string' } },
      required: ['location'],
      additionalProperties: false,
    },
  },
]);

const boston = '{"location": "Boston"}';
const good = { id: 'call_1', name: 'get_weather', arguments: boston };

/** Gives one answer after the other, and keeps what it was told. */
async function ask(answers: readonly Answer[], options: Partial<RetryOptions> = {}) {
  const told: Attempt[] = [];
  const execute = async (attempt: Attempt) => {
    told.push(attempt);
    return await Promise.resolve(answers[attempt.attempt - 1] ?? '');
  };
  const asked = callWithRetry(execute, {
    gate,
    baseDelayMs: 1,
    ...options,
  });
  const [ended] = await Promise.allSettled([asked]);
  return { ended, told: told.map(({ feedback }) => feedback) };
}

async function failed(answers: readonly Answer[], options: Partial<RetryOptions> = {}) {
  const { ended, told } = await ask(answers, options);
  const error: unknown = ended.status === 'rejected' ? ended.reason : null;
  expect(error).toBeInstanceOf(ToolCallRetryError);
  const { kind, attempts, message } = error as ToolCallRetryError;
  return { kind, attempts, message, told };
}

const noTool = 'No tool was called. Call one of: get_weather.';

it('three attempts in all, and feedback from one to the next', async () => {
  const { kind, attempts, message, told } = await failed(['No.', [], 'Still no.']);
  expect({ kind, attempts, message }).toEqual({
    kind: 'no-tool-called',
    attempts: 3,
    message: noTool,
  });
  expect(told).toEqual([null, noTool, noTool]);
});

it.each<[string, Answer]>([
  ['a call', good],
  ['calls', [good]],
  ['text that is the call', `{"tool": "get_weather", "arguments": ${boston}}`],
  [
    'a fence',
    `Here's the tool call:\n\n\`\`\`json\n{"tool": "get_weather", "arguments": ${boston}}\n\`\`\``,
  ],
  ['arguments as text', JSON.stringify({ name: 'get_weather', arguments: boston })],
  ['parameters', `{"name": "get_weather", "parameters": ${boston}}`],
  ['tags', `<tool_call>\n{"name": "get_weather", "arguments": ${boston}}\n</tool_call>`],
  [
    'reasoning before it',
    `<think>{"tool": "x", "arguments": {}}</think>{"tool": "get_weather", "arguments": ${boston}}`,
  ],
  [
    'the same call twice',
    `{"tool": "get_weather", "arguments": ${boston}} {"tool": "get_weather", "arguments": ${boston}}`,
  ],
])('takes %s', async (_, answer) => {
  const { ended, told } = await ask([answer]);
  expect(ended).toMatchObject({
    status: 'fulfilled',
    value: [{ action: 'run', arguments: { location: 'Boston' } }],
  });
  expect(told).toEqual([null]);
});

it.each<[string, Answer, string]>([
  ['an unknown tool', { ...good, name: 'weather' }, 'no-tool-called'],
  ['wrong fields', { ...good, arguments: '{"city": "Boston"}' }, 'schema-mismatch'],
  ['a forbidden key', { ...good, arguments: '{"__proto__": {}}' }, 'schema-mismatch'],
  ['a cut call', { ...good, arguments: '{"location": "Bos' }, 'invalid-json'],
  ['a cut call as text', '{"tool": "get_weather", "argu', 'invalid-json'],
  ['a broken call as text', '{"tool": "get_weather", "arguments": {city}}', 'invalid-json'],
  [
    'two candidates',
    `{"tool": "get_weather", "arguments": ${boston}}\n{"tool": "get_weather", "arguments": {}}`,
    'no-tool-called',
  ],
  ['an unknown tool as text', `{"tool": "weather", "arguments": ${boston}}`, 'no-tool-called'],
  ['a known tool without arguments', '{"tool": "get_weather"}', 'schema-mismatch'],
  ['a wrong shape', { ...good, arguments: '[]' }, 'invalid-json'],
])('%s is told', async (_, answer, kind) => {
  const { ended, told } = await ask([answer, good]);
  expect(ended.status).toBe('fulfilled');
  expect(told[1]).toBeTypeOf('string');
  const all = await failed([answer, answer, answer]);
  expect(all.kind).toBe(kind);
  expect(all.message).toBe(told[1]);
});

it.each<[string, string, Partial<RetryOptions>]>([
  [
    `{"tool": "a", "arguments": ${boston}} {"tool": "b", "arguments": {}}`,
    'The text holds more than one tool call.\nNothing was run. Make one call, as a single JSON object.',
    {},
  ],
  [
    '{"tool": "get_weather", "arguments": {"location": "Bos',
    'The tool call was cut off (EOF while parsing a string).\nNothing was run. Make one call, as a single JSON object.',
    {},
  ],
  [
    '{"tool": "get_weather", "arguments": {"location": "Bos',
    'The tool call was cut off (EOF while parsing a string).\nNothing was run. Make a smaller call that fits the limit.',
    { context: { stop: 'length' } },
  ],
  [
    '{"tool": "get_weather", "arguments": {location: 1}}',
    'The tool call was not valid JSON (key must be a string).\nNothing was run. Make one call, as a single JSON object.',
    {},
  ],
  [
    "{'tool': 'get_weather'}",
    'No tool was called (nothing in the text reads as a tool call; what begins like one is not valid JSON (key must be a string)). Call one of: get_weather.',
    {},
  ],
  [
    '<think>I should call get_weather',
    'No tool was called (the text ended inside its reasoning, and no tool call came). Call one of: get_weather.',
    {},
  ],
  [
    '<tool_call>\n<function=get_weather>',
    'What was announced as a tool call is not a JSON object with a name and arguments.\nNothing was run. Make one call, as a single JSON object.',
    {},
  ],
])('the reason is true: %s', async (answer, message, options) => {
  const { told } = await failed([answer, answer, answer], options);
  expect(told).toEqual([null, message, message]);
});

it('a call as text that the token limit cut off does not run, though its braces are closed', async () => {
  const answer = `{"tool": "get_weather", "arguments": ${boston}}`;
  const { kind, message } = await failed([answer, answer, answer], { context: { stop: 'length' } });
  expect(kind).toBe('invalid-json');
  expect(message).toContain('cut off by the token limit');
});

it('returns calls only if all of them run, and tells of all that do not', async () => {
  const bad = { ...good, id: 'call_2', arguments: '{}' };
  const { ended, told } = await ask([
    [good, bad, { ...bad, name: 'x' }],
    [good, good],
  ]);
  expect(ended).toMatchObject({
    status: 'fulfilled',
    value: [{ id: 'call_1' }, { id: 'call_1_2' }],
  });
  expect(told[1]?.split('\n\n')).toHaveLength(2);
});

it('names so many tools and no more', async () => {
  const many = createGate(Array.from({ length: 31 }, (_, index) => ({ name: `tool_${index}` })));
  const { message } = await failed(['No.'], { gate: many, maxAttempts: 1 });
  expect(message).toMatch(/^No tool was called\. Call one of: tool_0, .*, tool_29, …\.$/);
});

it('with requireTool: false a plain answer is returned as one', async () => {
  for (const answer of ['It is sunny.', '{"city": "Boston"}', 'Use {braces}.', "{'a': 1}"]) {
    const { ended } = await ask([answer], { requireTool: false });
    expect(ended).toEqual({ status: 'fulfilled', value: answer });
  }
});

it('with requireTool: false a call that was cut off is no answer', async () => {
  const { told } = await ask(['{"tool": "get_weather", "argu', good], { requireTool: false });
  expect(told[1]).toContain('was cut off');
});

it('what execute throws ends it at once', async () => {
  const cause = new Error('offline');
  const asked = callWithRetry(() => Promise.reject(cause), { gate });
  await expect(asked).rejects.toMatchObject({ kind: 'parse-error', attempts: 1, cause });
});

describe('delays and aborts', () => {
  async function delays(options: Partial<RetryOptions>) {
    const seen: (number | null)[] = [];
    const onRetry = (message: unknown) => {
      seen.push((message as RetryMessage).delayMs);
    };
    subscribe('argspan:retry', onRetry);
    await failed(
      Array.from({ length: 9 }, () => 'No.'),
      options,
    );
    unsubscribe('argspan:retry', onRetry);
    return seen;
  }

  it('double up to the cap, none after the last attempt', async () => {
    expect(await delays({ maxAttempts: 5, baseDelayMs: 2, maxDelayMs: 7 })).toEqual([
      2,
      4,
      7,
      7,
      null,
    ]);
    expect(await delays({ maxAttempts: 1 })).toEqual([null]);
  });

  it('abort stops at once, during execute and during a delay', async () => {
    const reason = new Error('enough');
    for (const answer of [new Promise<string>(() => undefined), Promise.resolve('No.')]) {
      const controller = new AbortController();
      const asked = callWithRetry(() => answer, {
        gate,
        baseDelayMs: 100_000,
        maxDelayMs: 100_000,
        signal: controller.signal,
      });
      setTimeout(() => controller.abort(reason), 5);
      await expect(asked).rejects.toBe(reason);
    }
    const asked = callWithRetry(() => 'No.', { gate, signal: AbortSignal.abort(reason) });
    await expect(asked).rejects.toBe(reason);
  });

  it('abort stops at once also before anybody listens, and while a schema thinks', async () => {
    const reason = new Error('enough');
    const never = new Promise<never>(() => undefined);
    const first = new AbortController();
    const asked = callWithRetry(
      () => {
        first.abort(reason);
        return never;
      },
      { gate, signal: first.signal },
    );
    await expect(asked).rejects.toBe(reason);

    const second = new AbortController();
    const thinking = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: () => {
          second.abort(reason);
          return never;
        },
      },
    };
    const slow = createGate([{ name: 'tool', parameters: thinking }]);
    const judged = callWithRetry(() => ({ id: '1', name: 'tool', arguments: '{}' }), {
      gate: slow,
      signal: second.signal,
    });
    await expect(judged).rejects.toBe(reason);
  });

  it('a delay that is longer than a timer’s is no short one', async () => {
    for (const delay of [Infinity, 2 ** 31]) {
      const signal = AbortSignal.timeout(30);
      let attempts = 0;
      const asked = callWithRetry(
        () => {
          attempts++;
          return 'No.';
        },
        { gate, baseDelayMs: delay, maxDelayMs: delay, signal },
      );
      await expect(asked).rejects.toThrow('timeout');
      expect(attempts).toBe(1);
    }
  });

  it('refuses wrong options', async () => {
    await expect(callWithRetry(() => '', { gate, maxAttempts: 0 })).rejects.toThrow(RangeError);
    await expect(callWithRetry(() => '', { gate: {} as never })).rejects.toThrow('options.gate');
    await expect(callWithRetry(() => '', { gate, signal: {} as never })).rejects.toThrow(
      'options.signal must be an AbortSignal',
    );
    await expect(callWithRetry(() => '', { gate: createGate([]), maxAttempts: 1 })).rejects.toThrow(
      /^No tool was called\.$/,
    );
    await expect(callWithRetry(5 as never, { gate })).rejects.toThrow('execute must be a function');
  });
});
