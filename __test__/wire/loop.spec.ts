// The seed of the project, end to end: a provider streams a call that was cut off, an agent on the
// official client gets the report, the tool never runs, nobody is asked to approve it, the good
// call beside it runs, a user sees the failed call with the same message, and the provider gets
// that message in the next request, which is valid for its wire.

import Anthropic from '@anthropic-ai/sdk';
import AnthropicOld from 'anthropic-sdk-0';
import OpenAI from 'openai';
import OpenAIOld from 'openai-6';
import { describe, expect, test } from 'vitest';

import { watchFetch } from '../../src/wire/index.js';
import type { ToolCall, ToolCallEvent, WireFormat } from '../../src/wire/index.js';
import { type Script, provide } from '../support/server.js';
import { chatChunk, entry, eventOf } from '../support/wire.js';

/** What an agent did with the calls of one turn. */
class Turn {
  readonly approved: string[] = [];
  readonly ran: string[] = [];
  /** What a user interface would show. */
  readonly shown: { id: string; name: string; status: string; content: string }[] = [];

  /** Handles one call; the text that answers it. */
  handle({ id, name, outcome }: ToolCall): string {
    if (outcome?.status !== 'accepted') {
      const content = outcome?.message ?? '';
      this.shown.push({ id, name, status: 'failed', content });
      return content;
    }
    this.approved.push(name);
    this.ran.push(`${name} ${outcome.text}`);
    const content = `ran ${name}`;
    this.shown.push({ id, name, status: 'done', content });
    return content;
  }
}

/** The text that stands in history for a call. */
function replayOf({ outcome }: ToolCall): string {
  return outcome === null ? '' : outcome.status === 'accepted' ? outcome.text : outcome.replay;
}

/** Collects the finished and unfinished calls that a watched fetch tells of. */
function watching(format: WireFormat) {
  const calls: ToolCall[] = [];
  const onEvent = (event: ToolCallEvent) => {
    if (event.type === 'finish') {
      calls.push(event.call);
    }
  };
  return { calls, fetch: watchFetch(fetch, { format, onEvent }) };
}

const goodText = '{"path":"a.txt"}';
const cutText = '{"path":"b.txt","content":"the beginning of a lo';

const expectedMessage =
  'The arguments for `write_file` were not valid JSON (EOF while parsing a string at line 1 column 48). ' +
  `Received: ${cutText}\n` +
  'Call `write_file` again with a single JSON object that matches its parameters.\n' +
  'Nothing was run. Make a smaller call that fits the limit.';

function check(turn: Turn, calls: readonly ToolCall[], sentBack: unknown): void {
  expect(calls.map(({ name, finished }) => [name, finished])).toEqual([
    ['read_file', true],
    ['write_file', false],
  ]);
  expect(turn.ran).toEqual([`read_file ${goodText}`]);
  expect(turn.approved).toEqual(['read_file']);
  expect(turn.shown.map(({ status }) => status)).toEqual(['done', 'failed']);
  expect(turn.shown[1]?.content).toBe(expectedMessage);
  expect(sentBack).toBe(expectedMessage);
}

const chatScripts: readonly Script[] = [
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

describe.each([
  ['7', OpenAI],
  ['6', OpenAIOld as unknown as typeof OpenAI],
])('chat completions through openai %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(chatScripts);
    const { calls, fetch: watched } = watching('openai-chat');
    const client = new Client({
      apiKey: 'x',
      baseURL: `${provider.url}/v1`,
      fetch: watched,
      maxRetries: 0,
    });
    const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
      for await (const chunk of stream) {
        void chunk;
      }
    };
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Write.' }];
    await ask(messages);

    const turn = new Turn();
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: replayOf(call) },
      })),
    });
    for (const call of calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: turn.handle(call) });
    }
    await ask(messages);

    const body = provider.requests[1]?.body as { messages: Record<string, unknown>[] };
    const answer = body.messages.at(-1);
    check(turn, calls, answer?.['content']);
    expect(answer).toMatchObject({ role: 'tool', tool_call_id: 'call_2' });
    const assistant = body.messages.at(-3) as {
      tool_calls: { id: string; function: { arguments: string } }[];
    };
    expect(assistant.tool_calls.map(({ id }) => id)).toEqual(['call_1', 'call_2']);
    for (const call of assistant.tool_calls) {
      expect(JSON.parse(call.function.arguments)).toBeTypeOf('object');
    }
  });
});

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

const messagesScripts: readonly Script[] = [
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

describe.each([
  ['1', Anthropic],
  ['0', AnthropicOld as unknown as typeof Anthropic],
])('messages through @anthropic-ai/sdk %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(messagesScripts);
    const { calls, fetch: watched } = watching('anthropic-messages');
    const client = new Client({
      apiKey: 'x',
      baseURL: provider.url,
      fetch: watched,
      maxRetries: 0,
    });
    const ask = async (messages: Anthropic.MessageParam[]) => {
      const stream = await client.messages.create({
        model: 'm',
        max_tokens: 9,
        messages,
        stream: true,
      });
      for await (const event of stream) {
        void event;
      }
    };
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Write.' }];
    await ask(messages);

    const turn = new Turn();
    messages.push({
      role: 'assistant',
      content: calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: JSON.parse(replayOf(call)) as unknown,
      })),
    });
    messages.push({
      role: 'user',
      content: calls.map((call) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        is_error: !call.finished,
        content: turn.handle(call),
      })),
    });
    await ask(messages);

    const body = provider.requests[1]?.body as {
      messages: { content: Record<string, unknown>[] }[];
    };
    const answer = body.messages.at(-1)?.content.at(-1);
    check(turn, calls, answer?.['content']);
    expect(answer).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_2', is_error: true });
    const uses = body.messages.at(-2)?.content ?? [];
    expect(uses.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_2']);
    expect(uses.every(({ input }) => typeof input === 'object' && input !== null)).toBe(true);
  });
});

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

const responsesScripts: readonly Script[] = [
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

describe.each([
  ['7', OpenAI],
  ['6', OpenAIOld as unknown as typeof OpenAI],
])('responses through openai %s', (_, Client) => {
  test('a call that was cut off never runs', async () => {
    await using provider = await provide(responsesScripts);
    const { calls, fetch: watched } = watching('openai-responses');
    const client = new Client({
      apiKey: 'x',
      baseURL: `${provider.url}/v1`,
      fetch: watched,
      maxRetries: 0,
    });
    const ask = async (input: OpenAI.Responses.ResponseInputItem[]) => {
      const stream = await client.responses.create({ model: 'm', input, stream: true });
      for await (const event of stream) {
        void event;
      }
    };
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Write.' }];
    await ask(input);

    const turn = new Turn();
    for (const call of calls) {
      input.push({
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: replayOf(call),
      });
      input.push({ type: 'function_call_output', call_id: call.id, output: turn.handle(call) });
    }
    await ask(input);

    const body = provider.requests[1]?.body as { input: Record<string, unknown>[] };
    const answer = body.input.at(-1);
    check(turn, calls, answer?.['output']);
    expect(answer).toMatchObject({ type: 'function_call_output', call_id: 'call_2' });
    for (const replayed of body.input.filter(({ type }) => type === 'function_call')) {
      expect(JSON.parse(replayed['arguments'] as string)).toBeTypeOf('object');
    }
  });
});
