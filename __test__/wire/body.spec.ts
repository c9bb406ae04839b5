// Whole bodies, in every form in which they are handed over.

import { describe, expect, test } from 'vitest';

import { toolCallsFromBody } from '../../src/wire/index.js';

const chat = (fields: object, finish_reason: string | null = 'tool_calls') => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: fields, finish_reason }],
});

const call = (text: unknown, id = 'c', name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

describe('toolCallsFromBody', () => {
  test('reads bytes, text and parsed bodies alike', () => {
    const body = chat({ tool_calls: [call('{"a":1}'), call('{"b":2}', 'd', 'g')] });
    const text = JSON.stringify(body, null, 2);
    const calls = toolCallsFromBody('openai-chat', body);
    expect(calls.map(({ id, name, finished }) => [id, name, finished])).toEqual([
      ['c', 'f', true],
      ['d', 'g', true],
    ]);
    expect(toolCallsFromBody('openai-chat', text)).toEqual(calls);
    expect(toolCallsFromBody('openai-chat', Buffer.from(`\n\n${text}\n`))).toEqual(calls);
    expect(toolCallsFromBody('auto', body)).toEqual(calls);
  });

  test('a whole body is a normal end, where no reason says otherwise', () => {
    const [open] = toolCallsFromBody('openai-chat', chat({ tool_calls: [call('{}')] }, null));
    expect(open).toMatchObject({ finished: true, stopReason: null });
    const [cut] = toolCallsFromBody('openai-chat', chat({ tool_calls: [call('{}')] }, 'length'));
    expect(cut).toMatchObject({ finished: false, outcome: { kind: 'truncated' } });
  });

  test('a text that came in one piece is decided as it stands (guarantee 2)', () => {
    const [one] = toolCallsFromBody('openai-chat', chat({ tool_calls: [call('{}{"a":1}')] }));
    expect(one).toMatchObject({ assembly: 'plain', outcome: { kind: 'malformed' } });
  });

  test('input as an object has its source text in bytes', () => {
    const source =
      '{"type":"message","content":[{"type":"tool_use","id":"t","name":"f","input":{ "n": 1e3 }}],"stop_reason":"tool_use"}';
    expect(toolCallsFromBody('anthropic-messages', source)[0]).toMatchObject({
      wireIndex: 0,
      text: '{"n":1e3}',
      outcome: { value: { n: 1000 } },
    });
    expect(toolCallsFromBody('anthropic-messages', JSON.parse(source))[0]?.text).toBe('{"n":1000}');
  });

  test('a response that is incomplete finishes what it closed', () => {
    const item = (call_id: string, status: string) => ({
      type: 'function_call',
      call_id,
      name: 'f',
      arguments: '{"a":1}',
      status,
    });
    const body = {
      object: 'response',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [item('a', 'completed'), item('b', 'incomplete')],
    };
    const calls = toolCallsFromBody('openai-responses', body);
    expect(calls.map(({ id, finished, stopReason }) => [id, finished, stopReason])).toEqual([
      ['a', true, 'max_output_tokens'],
      ['b', false, 'max_output_tokens'],
    ]);
  });

  test.each([
    { error: { message: 'no', type: 'x' } },
    { type: 'error', error: { type: 'overloaded_error', message: 'no' } },
    '<html>',
    '',
    '[]',
    null,
    {},
    [],
    Buffer.from('{"choices":'),
    { choices: null },
    { choices: [null, 1, { message: null }, { message: { tool_calls: {} } }] },
  ])('%j has no calls', (body) => {
    for (const format of [
      'openai-chat',
      'anthropic-messages',
      'openai-responses',
      'auto',
    ] as const) {
      expect(toolCallsFromBody(format, body)).toEqual([]);
    }
  });

  test('keys that are special in JavaScript stay data', () => {
    const text = '{"__proto__":{"x":1},"constructor":2}';
    const body = `{"__proto__":{"choices":1},"choices":[{"message":{"__proto__":[],"tool_calls":[{"id":"__proto__","function":{"name":"__proto__","arguments":${JSON.stringify(text)}}}]}}]}`;
    const [one] = toolCallsFromBody('openai-chat', body);
    expect(one).toMatchObject({ id: '__proto__', name: '__proto__', text });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test('refuses what is no body', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const body of [undefined, 1, true, Symbol('x'), () => 1, 1n, cycle, { n: 1n }]) {
      expect(() => toolCallsFromBody('openai-chat', body)).toThrow(TypeError);
    }
    expect(() => toolCallsFromBody('x' as never, {})).toThrow(RangeError);
    // Also where there is nothing to read.
    expect(() => toolCallsFromBody('x' as never, null)).toThrow(RangeError);
    expect(() => toolCallsFromBody('auto', null, { maxCalls: -1 })).toThrow(RangeError);
    expect(toolCallsFromBody('auto', null)).toEqual([]);
  });
});
