// One call through nine backends, streamed and whole, ends in equal decisions. Each row sends what
// the backend is known to send.

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

const claude: Row = {
  format: 'anthropic-messages',
  stream: Buffer.from(
    [
      { type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
      },
      ...['', ...parts].map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ]
      .map((event) => eventOf(event, event.type))
      .join(''),
  ),
  body: {
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: value }],
  },
};

const rows: Readonly<Record<string, Row>> = {
  Claude: claude,
  GPT: {
    format: 'openai-chat',
    stream: fragmented('call_1', text.split('')),
    body: chatBody('call_1', text),
  },
  // Reasoning beside it, and the finish in a chunk with empty fields.
  DeepSeek: {
    format: 'openai-chat',
    stream: Buffer.concat([
      streamOf({ choices: [{ index: 0, delta: { reasoning_content: 'Weather…' } }] }),
      fragmented('call_0_1', parts),
    ]),
    body: chatBody('call_0_1', text),
  },
  // An empty id behind the first entry.
  Qwen: {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'call_q', name: 'get_weather', text: '' })]),
      ...parts.map((part) => chatChunk([entry(0, { id: '', text: part })])),
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
  // Ids of its own, with the name and an index in them.
  Kimi: {
    format: 'openai-chat',
    stream: fragmented('functions.get_weather:0', parts),
    body: chatBody('functions.get_weather:0', text),
  },
  'llama-server': {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'abc', name: 'get_weather', text: '{' })]),
      chatChunk([entry(0, { text: text.slice(1) })]),
      chatChunk([], 'tool_calls'),
      '[DONE]',
    ),
    body: chatBody('abc', text),
  },
  // Whole calls; bodies of its own shape give objects.
  Ollama: {
    format: 'openai-chat',
    stream: streamOf(
      chatChunk([entry(0, { id: 'call_o', name: 'get_weather', text })]),
      chatChunk([], 'tool_calls'),
      '[DONE]',
    ),
    body: chatBody('call_o', value),
  },
  'LM Studio': {
    format: 'openai-chat',
    stream: fragmented('365174485', parts),
    body: chatBody('365174485', text),
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
    for (const { finished, ...call } of readBytes(format, [cut]).calls) {
      expect(finished).toBe(false);
      expect(gate.decide({ finished, ...call }).action).toBe('report');
    }
  });
});
