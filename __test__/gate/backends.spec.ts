// One call through nine backends, streamed and whole, ends in equal decisions. Each row sends what
// the backend is known to send, on each wire of its own.

import { describe, expect, it } from 'vitest';

import { createGate } from '../../src/gate/index.js';
import type { Decision } from '../../src/gate/index.js';
import { toolCallsFromBody } from '../../src/wire/index.js';
import type { WireFormat } from '../../src/wire/index.js';
import { chatChunk, entry, eventOf, inChunks, readBytes, streamOf } from '../support/wire.js';

const gate = createGate([
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string' }, days: { type: 'integer' } },
      required: ['location'],
      additionalProperties: false,
    },
  },
]);

const value = { location: 'Boston', days: 3 };
const text = JSON.stringify(value);
const half = 13;

interface Row {
  readonly format: WireFormat;
  readonly stream: Buffer;
  readonly body: object;
}

const chatBody = (id: string, given: unknown) => ({
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'get_weather', arguments: given } }],
      },
    },
  ],
});

/** Fragments under one index, as OpenAI sends them. */
const fragmented = (id: string, parts: readonly string[]) =>
  streamOf(
    chatChunk([entry(0, { id, name: 'get_weather', text: '' })]),
    ...parts.map((part) => chatChunk([entry(0, { text: part })])),
    chatChunk([], 'tool_calls'),
    '[DONE]',
  );
const parts = [text.slice(0, half), text.slice(half)];

/** A response of one call; a server that has no ids for items names the call's. */
function responsesStream(
  place: { readonly output_index?: number },
  ids: { readonly id?: string; readonly call_id: string },
  deltas: readonly string[],
): Buffer {
  const item_id = ids.id ?? ids.call_id;
  const item = { type: 'function_call', ...ids, name: 'get_weather' };
  const events = [
    { type: 'response.created', response: { id: 'resp_1', object: 'response' } },
    { type: 'response.output_item.added', ...place, item: { ...item, arguments: '' } },
    ...deltas.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...place,
      item_id,
      delta,
    })),
    ...(deltas.length > 0 && ids.id === undefined
      ? []
      : [{ type: 'response.function_call_arguments.done', ...place, item_id, arguments: text }]),
    {
      type: 'response.output_item.done',
      ...place,
      item: { ...item, arguments: text, status: 'completed' },
    },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } },
  ];
  return Buffer.from(events.map((event) => eventOf(event, event.type)).join(''));
}

/** Messages events, each with its name. */
const messageEvents = (events: readonly Readonly<Record<string, unknown>>[]) =>
  Buffer.from(events.map((event) => eventOf(event, String(event['type']))).join(''));

const jsonDelta = (index: number, partial_json: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});

const messageEnd = [
  { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  { type: 'message_stop' },
];

const messageBody = (id: string) => ({
  type: 'message',
  role: 'assistant',
  stop_reason: 'tool_use',
  content: [{ type: 'tool_use', id, name: 'get_weather', input: value }],
});

const responseBody = (call_id: string) => ({
  object: 'response',
  status: 'completed',
  output: [{ type: 'function_call', call_id, name: 'get_weather', arguments: text }],
});

const rows: Readonly<Record<string, Row>> = {
  // A ping, an empty first delta, text before the call, padding inside the JSON.
  Claude: {
    format: 'anthropic-messages',
    stream: Buffer.concat([
      messageEvents([
        { type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'text', text: '' },
        },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
        },
        { type: 'ping' },
        ...['', ...parts].map((part) => jsonDelta(1, part)),
      ]),
      Buffer.from(
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":1      }\n\n',
      ),
      messageEvents(messageEnd),
    ]),
    body: messageBody('toolu_1'),
  },
  GPT: {
    format: 'openai-chat',
    stream: fragmented('call_1', text.split('')),
    body: chatBody('call_1', text),
  },
  'GPT, responses': {
    format: 'openai-responses',
    stream: responsesStream({ output_index: 0 }, { id: 'fc_1', call_id: 'call_1' }, parts),
    body: responseBody('call_1'),
  },
  // Comments to keep the connection, reasoning beside it, and the usage in a chunk of its own.
  DeepSeek: {
    format: 'openai-chat',
    stream: Buffer.concat([
      Buffer.from(': keep-alive\n\n'),
      streamOf({ choices: [{ index: 0, delta: { reasoning_content: 'Weather…' } }] }),
      fragmented('call_0_1', parts),
      streamOf({ choices: [], usage: { total_tokens: 9 } }),
    ]),
    body: chatBody('call_0_1', text),
  },
  // An empty id and name behind the first entry.
  Qwen: {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'call_q', name: 'get_weather', text: '' })]),
      ...parts.map((part) => chatChunk([entry(0, { id: '', name: '', text: part })])),
      chatChunk([], 'tool_calls'),
      '[DONE]',
    ),
    body: chatBody('call_q', text),
  },
  // The whole call in one chunk with its finish.
  GLM: {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'call_-8', name: 'get_weather', text })], 'tool_calls'),
      '[DONE]',
    ),
    body: chatBody('call_-8', text),
  },
  // A placeholder for the arguments before them, and the name again at the end.
  'GLM behind SGLang': {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'call_g', name: 'get_weather', text: '{}' })]),
      chatChunk([entry(0, { text })]),
      chatChunk([entry(0, { id: 'call_g', name: 'get_weather' })], 'tool_calls'),
      '[DONE]',
    ),
    body: chatBody('call_g', text),
  },
  // Ids of its own, with the name and an index in them.
  Kimi: {
    format: 'openai-chat',
    stream: fragmented('functions.get_weather:0', parts),
    body: chatBody('functions.get_weather:0', text),
  },
  // Empty comments; the arguments begin with the name; objects in whole bodies.
  'llama-server': {
    format: 'openai-chat',
    stream: Buffer.concat([
      streamOf(chatChunk([entry(0, { id: 'abc', name: 'get_weather', text: '{' })])),
      Buffer.from(':\n\n'),
      streamOf(
        chatChunk([entry(0, { text: text.slice(1) })]),
        chatChunk([], 'tool_calls'),
        '[DONE]',
      ),
    ]),
    body: chatBody('abc', value),
  },
  // No `input` in the block.
  'llama-server, messages': {
    format: 'anthropic-messages',
    stream: messageEvents([
      { type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'abc', name: 'get_weather' },
      },
      ...parts.map((part) => jsonDelta(0, part)),
      { type: 'content_block_stop', index: 0 },
      ...messageEnd,
    ]),
    body: messageBody('abc'),
  },
  // No output index, an item without an id, and the call's id where the item's belongs.
  'llama-server, responses': {
    format: 'openai-responses',
    stream: responsesStream({}, { call_id: 'fc_abc' }, parts),
    body: responseBody('fc_abc'),
  },
  // Whole calls, all under index 0, and `stop` as the reason.
  Ollama: {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'call_o', name: 'get_weather', text })]),
      chatChunk([], 'stop'),
      '[DONE]',
    ),
    body: chatBody('call_o', value),
  },
  // The whole input in one delta.
  'Ollama, messages': {
    format: 'anthropic-messages',
    stream: messageEvents([
      { type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'call_o', name: 'get_weather', input: {} },
      },
      jsonDelta(0, text),
      { type: 'content_block_stop', index: 0 },
      ...messageEnd,
    ]),
    body: messageBody('call_o'),
  },
  // Numbers for ids, and empty ones behind the first entry.
  'LM Studio': {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: '365174485', name: 'get_weather', text: '' })]),
      ...parts.map((part) => chatChunk([entry(0, { id: '', name: '', text: part })])),
      chatChunk([], 'tool_calls'),
      '[DONE]',
    ),
    body: chatBody('365174485', text),
  },
  // No deltas, only the end of the arguments.
  'LM Studio, responses': {
    format: 'openai-responses',
    stream: responsesStream({ output_index: 0 }, { id: 'fc_1', call_id: '365174485' }, []),
    body: responseBody('365174485'),
  },
};

/** What a decision says, without what each backend calls the call. */
function said(decision: Decision | undefined) {
  return decision?.action === 'run'
    ? { action: 'run', arguments: decision.arguments, findings: decision.findings }
    : decision;
}

const expected = { action: 'run', arguments: value, findings: [] };

describe.each(Object.entries(rows))('%s', (_, { format, stream, body }) => {
  it('streamed, in chunks of any size', () => {
    for (const size of [1, 7, 64, stream.length]) {
      const { calls } = readBytes(format, inChunks(stream, size));
      expect(calls.map((call) => said(gate.decide(call)))).toEqual([expected]);
    }
  });

  it('whole', () => {
    for (const form of [body, JSON.stringify(body), Buffer.from(JSON.stringify(body))]) {
      const calls = toolCallsFromBody(format, form);
      expect(calls.map((call) => said(gate.decide(call)))).toEqual([expected]);
    }
  });

  it('as the raw call of an SDK', () => {
    const [call] = toolCallsFromBody(format, body);
    for (const given of [text, value, new Map(Object.entries(value)), Buffer.from(text)]) {
      const raw = { id: call!.id, name: call!.name, arguments: given };
      expect(said(gate.decide(raw))).toEqual(expected);
    }
  });

  it('cut off, it is reported everywhere alike', () => {
    const cut = stream.subarray(0, Math.floor(stream.length / 3));
    const { calls } = readBytes(format, [cut]);
    expect(calls.length).toBeLessThanOrEqual(1);
    for (const { finished, ...call } of calls) {
      expect(finished).toBe(false);
      expect(gate.decide({ finished, ...call }).action).toBe('report');
    }
  });
});

describe('Ollama’s own wire', () => {
  // A line is a whole JSON value, its calls are whole and have objects, and few have an id.
  const line = (calls: readonly object[], done: boolean) =>
    `${JSON.stringify({ message: { role: 'assistant', content: '', tool_calls: calls }, done })}\n`;
  const named = (given: unknown) => ({ function: { name: 'get_weather', arguments: given } });

  it.each([
    ['streamed', line([named(value)], false) + line([], true)],
    ['whole', line([{ id: 'call_1', ...named(value) }], true)],
    ['as text', line([named(text)], true)],
  ])('%s', (_, lines) => {
    const calls = lines
      .trim()
      .split('\n')
      .map(
        (one) => JSON.parse(one) as { message: { tool_calls: { id?: string; function: never }[] } },
      )
      .flatMap(({ message }) => message.tool_calls);
    const decisions = calls.map(({ id, function: called }) =>
      gate.decide({ id: id as string, ...(called as { name: string; arguments: unknown }) }),
    );
    expect(decisions.map((decision) => said(decision))).toEqual([expected]);
    expect(decisions[0]?.id).not.toBe('');
  });

  it('no arguments', () => {
    const now = createGate([{ name: 'now', parameters: { type: 'object' } }]);
    for (const given of [null, undefined, {}, '']) {
      const decision = now.decide({ id: '', name: 'now', arguments: given });
      expect(decision).toMatchObject({ action: 'run', arguments: {}, text: '{}' });
    }
  });
});
