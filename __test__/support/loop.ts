// One conversation on each wire, for agents on every client that is tested: a good call and one that
// was cut off, and what the provider is asked next.

import Anthropic from '@anthropic-ai/sdk';
import AnthropicOld from 'anthropic-sdk-0';
import OpenAI from 'openai';
import OpenAIOld from 'openai-6';

import { watchFetch } from '../../src/wire/index.js';
import type { ToolCall, ToolCallEvent, WireFormat } from '../../src/wire/index.js';
import type { Script } from './server.js';
import { chatChunk, entry, eventOf } from './wire.js';

/** Collects the finished and unfinished calls that a watched fetch tells of. */
export function watching(format: WireFormat) {
  const calls: ToolCall[] = [];
  const onEvent = (event: ToolCallEvent) => {
    if (event.type === 'finish') {
      calls.push(event.call);
    }
  };
  return { calls, fetch: watchFetch(fetch, { format, onEvent }) };
}

export const goodText = '{"path":"a.txt"}';
export const cutText = '{"path":"b.txt","content":"the beginning of a lo';

/** What the model is told of the call that was cut off. */
export const cutMessage =
  'The arguments for `write_file` were not valid JSON (EOF while parsing a string at line 1 column 48). ' +
  `Received: ${cutText}\n` +
  'Call `write_file` again with a single JSON object that matches its parameters.\n' +
  'Nothing was run. Make a smaller call that fits the limit.';

/** Clients of OpenAI's wires, by their major version. */
export const openaiClients = [
  ['7', OpenAI],
  ['6', OpenAIOld as unknown as typeof OpenAI],
] as const;

/** Clients of Anthropic's, by theirs. */
export const anthropicClients = [
  ['1', Anthropic],
  ['0', AnthropicOld as unknown as typeof Anthropic],
] as const;

const options = { apiKey: 'x', maxRetries: 0 } as const;

/** Reads a stream to its end. */
async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const event of stream) {
    void event;
  }
}

export const chatScripts: readonly Script[] = [
  {
    chunks: [
      chatChunk([entry(0, { id: 'call_1', name: 'read_file', text: '' })]),
      chatChunk([entry(0, { text: goodText })]),
      chatChunk([entry(1, { id: 'call_2', name: 'write_file', text: '' })]),
      chatChunk([entry(1, { text: cutText.slice(0, 20) })]),
      chatChunk([entry(1, { text: cutText.slice(20) })]),
      chatChunk([], 'length'),
      '[DONE]',
    ].map((event) => eventOf(event)),
  },
  {
    chunks: [
      eventOf({
        choices: [
          { index: 0, delta: { role: 'assistant', content: 'Sorry.' }, finish_reason: 'stop' },
        ],
      }),
      eventOf('[DONE]'),
    ],
  },
];

/** Asks by chat completions. */
export async function askChat(
  Client: typeof OpenAI,
  url: string,
  watched: typeof fetch,
  messages: OpenAI.ChatCompletionMessageParam[],
): Promise<void> {
  const client = new Client({ ...options, baseURL: `${url}/v1`, fetch: watched });
  await drain(await client.chat.completions.create({ model: 'm', messages, stream: true }));
}

const block = (index: number, id: string, name: string) =>
  eventOf(
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name, input: {} },
    },
    'content_block_start',
  );
const part = (index: number, partial_json: string) =>
  eventOf(
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } },
    'content_block_delta',
  );
const blockStop = (index: number) =>
  eventOf({ type: 'content_block_stop', index }, 'content_block_stop');
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
const messageEnd = (stop_reason: string) => [
  eventOf(
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    'message_delta',
  ),
  eventOf({ type: 'message_stop' }, 'message_stop'),
];

export const messagesScripts: readonly Script[] = [
  {
    chunks: [
      eventOf({ type: 'message_start', message }, 'message_start'),
      block(0, 'toolu_1', 'read_file'),
      part(0, ''),
      part(0, goodText),
      blockStop(0),
      block(1, 'toolu_2', 'write_file'),
      part(1, cutText.slice(0, 9)),
      part(1, cutText.slice(9)),
      blockStop(1),
      ...messageEnd('max_tokens'),
    ],
  },
  {
    chunks: [
      eventOf({ type: 'message_start', message }, 'message_start'),
      ...messageEnd('end_turn'),
    ],
  },
];

/** Asks by messages. */
export async function askMessages(
  Client: typeof Anthropic,
  url: string,
  watched: typeof fetch,
  messages: Anthropic.MessageParam[],
): Promise<void> {
  const client = new Client({ ...options, baseURL: url, fetch: watched });
  const asked = { model: 'm', max_tokens: 9, messages, stream: true } as const;
  await drain(await client.messages.create(asked));
}

const item = (id: string, name: string, fields: object) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  ...fields,
});
const response = (fields: object) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  output: [],
  ...fields,
});
const typed = (event: { type: string }) => eventOf(event, event.type);
const added = (output_index: number, id: string, name: string) =>
  typed({
    type: 'response.output_item.added',
    output_index,
    item: item(id, name, { arguments: '', status: 'in_progress' }),
  } as { type: string });
const argumentsDelta = (output_index: number, id: string, delta: string) =>
  typed({
    type: 'response.function_call_arguments.delta',
    output_index,
    item_id: `fc_${id}`,
    delta,
  } as { type: string });
const itemDone = (output_index: number, id: string, name: string, text: string, status: string) =>
  typed({
    type: 'response.output_item.done',
    output_index,
    item: item(id, name, { arguments: text, status }),
  } as { type: string });

export const responsesScripts: readonly Script[] = [
  {
    chunks: [
      typed({ type: 'response.created', response: response({ status: 'in_progress' }) } as {
        type: string;
      }),
      added(0, 'call_1', 'read_file'),
      argumentsDelta(0, 'call_1', goodText),
      itemDone(0, 'call_1', 'read_file', goodText, 'completed'),
      added(1, 'call_2', 'write_file'),
      argumentsDelta(1, 'call_2', cutText),
      itemDone(1, 'call_2', 'write_file', cutText, 'incomplete'),
      typed({
        type: 'response.incomplete',
        response: response({
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
        }),
      } as { type: string }),
    ],
  },
  {
    chunks: [
      typed({ type: 'response.completed', response: response({ status: 'completed' }) } as {
        type: string;
      }),
    ],
  },
];

/** Asks by responses. */
export async function askResponses(
  Client: typeof OpenAI,
  url: string,
  watched: typeof fetch,
  input: OpenAI.Responses.ResponseInputItem[],
): Promise<void> {
  const client = new Client({ ...options, baseURL: `${url}/v1`, fetch: watched });
  await drain(await client.responses.create({ model: 'm', input, stream: true }));
}
