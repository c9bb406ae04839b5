// The official clients on every sample stream: where they are right we agree, and where they are
// not, the table says why.

import Anthropic from '@anthropic-ai/sdk';
import AnthropicOld from 'anthropic-sdk-0';
import OpenAI from 'openai';
import OpenAIOld from 'openai-6';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { ToolCall } from '../../src/wire/index.js';
import { readBytes, samples } from '../support/wire.js';

/** A call as both sides can say it. */
type Said = readonly [id: string, name: string, text: string];

const asStream = (bytes: Uint8Array) => () =>
  Promise.resolve(
    new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/event-stream' } }),
  );

const settings = (bytes: Uint8Array) => ({
  apiKey: 'none',
  maxRetries: 0,
  logLevel: 'off' as const,
  fetch: asStream(bytes),
});

async function chat(Client: typeof OpenAI, bytes: Uint8Array): Promise<Said[]> {
  const stream = new Client(settings(bytes)).chat.completions.stream({ model: 'm', messages: [] });
  const completion = await stream.finalChatCompletion();
  const calls = completion.choices[0]?.message.tool_calls ?? [];
  return calls.map((call) =>
    call.type === 'function'
      ? [call.id, call.function.name, call.function.arguments]
      : [call.id, '', ''],
  );
}

async function responses(Client: typeof OpenAI, bytes: Uint8Array): Promise<Said[]> {
  const response = await new Client(settings(bytes)).responses
    .stream({ model: 'm', input: 'x' })
    .finalResponse();
  return response.output.flatMap((item): Said[] =>
    item.type === 'function_call' ? [[item.call_id, item.name, item.arguments]] : [],
  );
}

async function messages(Client: typeof Anthropic, bytes: Uint8Array): Promise<Said[]> {
  const message = await new Client(settings(bytes)).messages
    .stream({ model: 'm', max_tokens: 1, messages: [] })
    .finalMessage();
  return message.content.flatMap((block): Said[] =>
    block.type === 'tool_use' ? [[block.id, block.name, JSON.stringify(block.input)]] : [],
  );
}

const OldOpenAI = OpenAIOld as unknown as typeof OpenAI;
const OldAnthropic = AnthropicOld as unknown as typeof Anthropic;

/** The clients of a format, by their major version. */
const clients = {
  'openai-chat': {
    7: (bytes: Uint8Array) => chat(OpenAI, bytes),
    6: (bytes: Uint8Array) => chat(OldOpenAI, bytes),
  },
  'openai-responses': {
    7: (bytes: Uint8Array) => responses(OpenAI, bytes),
    6: (bytes: Uint8Array) => responses(OldOpenAI, bytes),
  },
  'anthropic-messages': {
    1: (bytes: Uint8Array) => messages(Anthropic, bytes),
    0: (bytes: Uint8Array) => messages(OldAnthropic, bytes),
  },
} as const;

/** What argspan says in the words of a client, which builds Anthropic's values. */
function ours(calls: readonly ToolCall[], format: string): Said[] {
  return calls
    .filter(({ kind }) => kind === 'function')
    .map(({ id, name, text, outcome }) => [
      id,
      name,
      format === 'anthropic-messages' && outcome?.status === 'accepted'
        ? JSON.stringify(outcome.value)
        : text,
    ]);
}

/** What a client does where it does not say what argspan says. */
type Difference =
  /** It throws: what argspan read is lost, or is known only to be broken. */
  | 'throws'
  /** It hands out other calls. */
  | 'differs'
  /** It hands out a call that was cut off as if it were whole. */
  | 'hands out a cut call';

interface Known {
  readonly what: Difference;
  readonly why: string;
  /** Only of this major version. */
  readonly only?: string;
}

const cutCall = 'the call was cut off, and nothing but the finish reason says so';
const noEnd = 'without a terminal event nothing is given, also of calls that were finished';
const wireError = 'the error is thrown, and what came before it is lost';
const plainText = 'fragments are only ever joined, so the arguments are no JSON';

const differences: Readonly<Record<string, readonly Known[]>> = {
  'openai-chat/length_empty_args.sse': [{ what: 'hands out a cut call', why: cutCall }],
  'openai-chat/tool_calls_reason_but_truncated.sse': [
    { what: 'hands out a cut call', why: 'the finish reason lies, and the text is not looked at' },
  ],
  'openai-chat/content_filter_cut.sse': [{ what: 'hands out a cut call', why: cutCall }],
  'openai-chat/cut_between_events.sse': [{ what: 'throws', why: noEnd }],
  'openai-chat/cut_after_complete_json.sse': [{ what: 'throws', why: noEnd }],
  'openai-chat/error_object.sse': [{ what: 'throws', why: wireError }],
  'openai-chat/error_event_groq.sse': [{ what: 'throws', why: wireError }],
  'openai-chat/framing_keepalives.sse': [
    { what: 'throws', why: 'an event without data, or with a comment as data, ends the stream' },
  ],
  'openai-chat/framing_no_final_blank.sse': [
    { what: 'throws', why: 'the unterminated last event is dropped', only: '6' },
  ],
  'openai-chat/index_missing_same_chunk.sse': [
    { what: 'differs', why: 'calls without an index vanish', only: '6' },
    { what: 'throws', why: 'an index is required', only: '7' },
  ],
  'openai-chat/single_chunk_mistral.sse': [
    { what: 'differs', why: 'calls without an index vanish', only: '6' },
    { what: 'throws', why: 'an index is required', only: '7' },
  ],
  'openai-chat/id_missing.sse': [{ what: 'differs', why: 'each makes up an id of its own' }],
  'openai-chat/args_placeholder_braces.sse': [{ what: 'differs', why: plainText }],
  'openai-chat/args_doubled_empty.sse': [{ what: 'differs', why: plainText }],
  'openai-chat/args_cumulative.sse': [{ what: 'differs', why: plainText }],
  'openai-chat/args_resent_at_end.sse': [{ what: 'differs', why: plainText }],
  'openai-chat/legacy_function_call.sse': [
    { what: 'differs', why: 'the old form is kept beside the calls, not among them' },
  ],
  'openai-chat/index_zero_id_repeated.sse': [
    { what: 'differs', why: 'only the index counts, so two calls become one' },
  ],
  'openai-chat/index_zero_no_args_then_call.sse': [
    { what: 'differs', why: 'only the index counts, so the second call replaces the first' },
  ],
  'openai-chat/id_changes_per_chunk.sse': [
    { what: 'differs', why: 'the last id counts, though the first one was announced' },
  ],
  'anthropic/max_tokens_cut.sse': [
    { what: 'differs', why: 'the cut object is completed: a smaller call that nobody made' },
  ],
  'anthropic/refusal_mid_call.sse': [
    { what: 'differs', why: 'the cut object is completed: a smaller call that nobody made' },
  ],
  'anthropic/cut_mid_utf8.sse': [{ what: 'throws', why: noEnd }],
  'anthropic/cut_no_message_stop.sse': [{ what: 'throws', why: noEnd }],
  'anthropic/error_overloaded.sse': [{ what: 'throws', why: wireError }],
  'anthropic/data_only_no_event_lines.sse': [
    { what: 'throws', why: 'events are told by their names, which are missing' },
  ],
  'anthropic/sparse_block_index.sse': [
    { what: 'differs', why: 'blocks are counted, so fragments for later indexes are lost' },
  ],
  'openai-responses/incomplete_item_says_completed.sse': [
    { what: 'hands out a cut call', why: 'the item says that it is completed' },
  ],
  'openai-responses/cut_mid_utf8.sse': [
    { what: 'throws', why: 'the cut event is read as one', only: '7' },
    { what: 'hands out a cut call', why: 'the end of the stream is taken for its end', only: '6' },
  ],
  'openai-responses/error_flat.sse': [{ what: 'throws', why: wireError }],
  'openai-responses/done_empty_after_deltas.sse': [
    { what: 'differs', why: 'the last snapshot, which is empty, replaces what was streamed' },
  ],
  'openai-responses/call_id_changes_in_completed.sse': [
    { what: 'differs', why: 'the last snapshot replaces the id that was announced' },
  ],
};

const streams = samples
  .filter(({ name }) => name.endsWith('.sse'))
  .flatMap(({ name, bytes, expected }) =>
    Object.entries(clients[expected.format]).map(([major, ask]) => ({
      name,
      bytes,
      expected,
      major,
      ask,
    })),
  );

describe('the official clients', () => {
  beforeAll(() => {
    // They print what they cannot read.
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  test('the table speaks of samples that there are', () => {
    const names = new Set(streams.map(({ name }) => name));
    expect(Object.keys(differences).filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(streams)('$major on $name', async ({ name, major, ask, bytes, expected }) => {
    const { calls } = readBytes(expected.format, [bytes]);
    const known = differences[name]?.find(({ only }) => only === undefined || only === major);
    const said = ask(bytes);
    if (known?.what === 'throws') {
      await expect(said).rejects.toThrow();
      return;
    }
    const own = ours(calls, expected.format);
    if (known?.what === 'differs') {
      expect(await said, known.why).not.toEqual(own);
      return;
    }
    expect(await said).toEqual(own);
    const cut = calls.some(({ finished }) => !finished);
    expect(cut).toBe(known?.what === 'hands out a cut call');
  });
});
