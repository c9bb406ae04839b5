// The seed of the project through `gate.run`: a provider streams a call that was cut off, an agent
// on the official client gets the report, the tool never runs, nobody is asked to approve it, the
// good call beside it runs, a user sees the failed call with the same message, and the provider
// gets that message in the next request, which is valid for its wire.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';

import { createGate, toHistory, toToolResult } from '../../src/gate/index.js';
import { watchFetch } from '../../src/wire/index.js';
import type { ToolCall, ToolCallEvent, WireFormat } from '../../src/wire/index.js';
import { type Script, provide } from '../support/server.js';
import { chatChunk, entry, eventOf } from '../support/wire.js';

const path = { type: 'string' } as const;
const gate = createGate([
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path }, required: ['path'] },
  },
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
]);

const goodText = '{"path":"a.txt"}';
const cutText = '{"path":"b.txt","content":"the beginning of a lo';
const cutMessage =
  'The arguments for `write_file` were not valid JSON (EOF while parsing a string at line 1 column 48). ' +
  `Received: ${cutText}\n` +
  'Call `write_file` again with a single JSON object that matches its parameters.\n' +
  'Nothing was run. Make a smaller call that fits the limit.';

/** The calls of one response, as a watched fetch tells of them. */
function watching(format: WireFormat) {
  const calls: ToolCall[] = [];
  const onEvent = (event: ToolCallEvent) => {
    if (event.type === 'finish') {
      calls.push(event.call);
    }
  };
  return { calls, fetch: watchFetch(fetch, { format, onEvent }) };
}

/** Runs the calls of a turn as an agent does, and checks what happened on the way. */
async function runTurn(calls: readonly ToolCall[]) {
  const approved: string[] = [];
  const ran: string[] = [];
  const shown: string[] = [];
  const results = await gate.run(calls, {
    handlers: {
      read_file: ({ path: given }) => {
        ran.push(`read_file ${given}`);
        return 'text';
      },
      write_file: ({ path: given }) => {
        ran.push(`write_file ${given}`);
      },
    },
    readOnly: ({ name }) => name === 'read_file',
    approve: ({ name, text }) => approved.push(`${name} ${text}`) > 0,
    onUpdate: ({ name, status, content }) => {
      if (status !== 'running') {
        shown.push(`${name} ${status} ${content}`);
      }
    },
  });
  expect(approved).toEqual([`read_file ${goodText}`]);
  expect(ran).toEqual(['read_file a.txt']);
  expect(shown.sort()).toEqual(['read_file done text', `write_file failed ${cutMessage}`]);
  return results;
}

const answered: Script = { chunks: [eventOf('[DONE]')] };

test('chat completions', async () => {
  const chunks = [
    chatChunk([entry(0, { id: 'call_1', name: 'read_file', text: goodText })]),
    chatChunk([entry(1, { id: 'call_2', name: 'write_file', text: '' })]),
    chatChunk([entry(1, { text: cutText })]),
    chatChunk([], 'length'),
    '[DONE]',
  ];
  await using provider = await provide([{ chunks: chunks.map((one) => eventOf(one)) }, answered]);
  const { calls, fetch: watched } = watching('openai-chat');
  const baseURL = `${provider.url}/v1`;
  const client = new OpenAI({ apiKey: 'x', baseURL, fetch: watched, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Write.' }];
  const ask = async () => {
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    for await (const chunk of stream) {
      void chunk;
    }
  };
  await ask();
  const results = await runTurn(calls);
  messages.push({
    role: 'assistant',
    content: null,
    tool_calls: results.map(({ decision }) => toHistory(decision, 'openai-chat')),
  });
  messages.push(...results.map((result) => toToolResult(result, undefined, 'openai-chat')));
  await ask();
  const body = provider.requests[1]?.body as { messages: Record<string, unknown>[] };
  expect(body.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'read_file', arguments: goodText },
        },
        {
          id: 'call_2',
          type: 'function',
          function: { name: 'write_file', arguments: JSON.stringify({ INVALID_JSON: cutText }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'text' },
    { role: 'tool', tool_call_id: 'call_2', content: cutMessage },
  ]);
});

test('messages', async () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const blocks = [
    ['toolu_1', 'read_file', goodText],
    ['toolu_2', 'write_file', cutText],
  ].flatMap(([id, name, partial_json], index) => [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name, input: {} },
    },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } },
    { type: 'content_block_stop', index },
  ]);
  const events = [
    { type: 'message_start', message },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason: 'max_tokens', stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ];
  const end = [{ type: 'message_start', message }, { type: 'message_stop' }];
  const script = (list: readonly { type: string }[]): Script => ({
    chunks: list.map((event) => eventOf(event, event.type)),
  });
  await using provider = await provide([script(events), script(end)]);
  const { calls, fetch: watched } = watching('anthropic-messages');
  const options = { apiKey: 'x', baseURL: provider.url, fetch: watched, maxRetries: 0 };
  const client = new Anthropic(options);
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Write.' }];
  const ask = async () => {
    const asked = { model: 'm', max_tokens: 9, messages, stream: true } as const;
    for await (const event of await client.messages.create(asked)) {
      void event;
    }
  };
  await ask();
  const results = await runTurn(calls);
  const content = results.map(({ decision }) => toHistory(decision, 'anthropic-messages'));
  messages.push({ role: 'assistant', content });
  messages.push({
    role: 'user',
    content: results.map((result) => toToolResult(result, undefined, 'anthropic-messages')),
  });
  await ask();
  const body = provider.requests[1]?.body as { messages: Record<string, unknown>[] };
  expect(body.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.txt' } },
        { type: 'tool_use', id: 'toolu_2', name: 'write_file', input: { INVALID_JSON: cutText } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: cutMessage, is_error: true },
      ],
    },
  ]);
});

test('responses', async () => {
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    output: [],
    status: 'in_progress',
  };
  const items = [
    ['call_1', 'read_file', goodText, 'completed'],
    ['call_2', 'write_file', cutText, 'incomplete'],
  ].flatMap(([call_id, name, text, status], output_index) => {
    const item = { type: 'function_call', id: `fc_${call_id}`, call_id, name };
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      },
      {
        type: 'response.function_call_arguments.delta',
        output_index,
        item_id: item.id,
        delta: text,
      },
      {
        type: 'response.output_item.done',
        output_index,
        item: { ...item, arguments: text, status },
      },
    ];
  });
  const events = [
    { type: 'response.created', response },
    ...items,
    {
      type: 'response.incomplete',
      response: {
        ...response,
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      },
    },
  ];
  const end = [{ type: 'response.completed', response: { ...response, status: 'completed' } }];
  const script = (list: readonly { type: string }[]): Script => ({
    chunks: list.map((event) => eventOf(event, event.type)),
  });
  await using provider = await provide([script(events), script(end)]);
  const { calls, fetch: watched } = watching('openai-responses');
  const baseURL = `${provider.url}/v1`;
  const client = new OpenAI({ apiKey: 'x', baseURL, fetch: watched, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Write.' }];
  const ask = async () => {
    const stream = await client.responses.create({ model: 'm', input, stream: true });
    for await (const event of stream) {
      void event;
    }
  };
  await ask();
  for (const result of await runTurn(calls)) {
    input.push(toHistory(result.decision, 'openai-responses'));
    input.push(toToolResult(result, undefined, 'openai-responses'));
  }
  await ask();
  const body = provider.requests[1]?.body as { input: Record<string, unknown>[] };
  expect(body.input.slice(1)).toEqual([
    { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: goodText },
    { type: 'function_call_output', call_id: 'call_1', output: 'text' },
    {
      type: 'function_call',
      call_id: 'call_2',
      name: 'write_file',
      arguments: JSON.stringify({ INVALID_JSON: cutText }),
    },
    { type: 'function_call_output', call_id: 'call_2', output: cutMessage },
  ]);
});
