// The same content in the three wire formats, cut into events as servers cut them.

import { fragmentsOf, required } from './fixtures.js';

/** One format's stream. */
export interface WireStream {
  readonly format: 'openai-chat' | 'anthropic-messages' | 'openai-responses';
  readonly title: string;
  /** The arguments that it holds. */
  readonly text: string;
  /** One event each. */
  readonly events: readonly Buffer[];
}

/** The arguments: 20 KB of code, so that there are some 5,000 fragments of four characters. */
export const [argumentText] = required.code.texts;

const fragments = fragmentsOf(argumentText, 4);

function eventOf(data: object | string, name?: string): Buffer {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`);
}

function chat(): Buffer[] {
  const chunk = (delta: object, finish_reason: string | null = null): Buffer =>
    eventOf({
      id: 'chatcmpl-CkQ3bUqH7TzYvW1nR5sXf0aJdLpE2',
      object: 'chat.completion.chunk',
      created: 1_790_000_001,
      model: 'demo-chat-1-2026-11-30',
      service_tier: 'default',
      system_fingerprint: 'fp_0a1b2c3d4e',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
  const entry = (call: object): object => ({ tool_calls: [{ index: 0, ...call }] });
  const named = { id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } };
  return [
    chunk({ role: 'assistant', content: null }),
    chunk(entry(named)),
    ...fragments.map((text) => chunk(entry({ function: { arguments: text } }))),
    chunk({}, 'tool_calls'),
    eventOf('[DONE]'),
  ];
}

function messages(): Buffer[] {
  const typed = (data: { readonly type: string; readonly [field: string]: unknown }): Buffer =>
    eventOf(data, data.type);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'demo',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    typed({ type: 'message_start', message }),
    typed({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} },
    }),
    ...fragments.map((partial_json) =>
      typed({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      }),
    ),
    typed({ type: 'content_block_stop', index: 0 }),
    typed({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage,
    }),
    typed({ type: 'message_stop' }),
  ];
}

function responses(): Buffer[] {
  let sequence_number = 0;
  const typed = ({ type, ...data }: { readonly type: string; readonly [field: string]: unknown }) =>
    eventOf({ type, sequence_number: sequence_number++, ...data }, type);
  const id = 'fc_68f0c1d2e3f4a5b6c7d8e9f00a1b2c3d4e5f6a7b8c9d0e1f';
  const item = { id, type: 'function_call', call_id: 'call_1', name: 'write' };
  return [
    typed({ type: 'response.created', response: { id: 'resp_1', output: [] } }),
    typed({
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', arguments: '' },
    }),
    ...fragments.map((delta, index) =>
      typed({
        type: 'response.function_call_arguments.delta',
        item_id: id,
        output_index: 0,
        delta,
        // Servers fill events up, so that their lengths tell nothing.
        obfuscation: 'aB3xZq9LmN0pQr'.slice(index % 7),
      }),
    ),
    typed({
      type: 'response.function_call_arguments.done',
      item_id: id,
      output_index: 0,
      arguments: argumentText,
    }),
    typed({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, status: 'completed', arguments: argumentText },
    }),
    typed({
      type: 'response.completed',
      response: { id: 'resp_1', status: 'completed', output: [] },
    }),
  ];
}

export const wireStreams: readonly WireStream[] = [
  { format: 'openai-chat', title: 'chat completions', text: argumentText, events: chat() },
  { format: 'anthropic-messages', title: 'messages', text: argumentText, events: messages() },
  { format: 'openai-responses', title: 'responses', text: argumentText, events: responses() },
];

/** A stream in chunks of one size, as a network delivers them. */
export function inChunks(events: readonly Buffer[], size: number): Buffer[] {
  const bytes = Buffer.concat(events);
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    chunks.push(bytes.subarray(start, start + size));
  }
  return chunks;
}
