/**
 * The responses that the demo's servers stream: one format each, one thing that goes wrong.
 */
import type { WireFormat } from '../wire/index.js';

/** One response, and what is interesting about it. */
export interface Scene {
  readonly title: string;
  readonly format: WireFormat;
  /** The stream's events, as they are written. */
  readonly events: readonly string[];
}

/** A call in a scene: its text as it is streamed. */
interface SceneCall {
  readonly name: string;
  readonly fragments: readonly string[];
}

const good: SceneCall = { name: 'read_file', fragments: ['{"path"', ':"a.txt"}'] };
const cut: SceneCall = {
  name: 'delete_files',
  fragments: ['{"paths":["build",', '"cache"],"options":', '{"force":true,"dry_'],
};
const fenced: SceneCall = { name: 'read_file', fragments: ['```json\n{"path":', '"a.txt"}\n```'] };
const doubled: SceneCall = {
  name: 'read_file',
  fragments: [String.raw`"{\"path\":`, String.raw`\"a.txt\"}"`],
};

/** What the demo shows, in this order. */
export const scenes: readonly Scene[] = [
  {
    title: 'chat completions: a call that the token limit cut, beside a good one',
    format: 'openai-chat',
    events: chat([good, cut], 'length'),
  },
  {
    title: 'chat completions: two calls whose fragments take turns',
    format: 'openai-chat',
    events: chat([good, { ...good, fragments: ['{"path"', ':"b.txt"}'] }], 'tool_calls', true),
  },
  {
    title: 'chat completions: arguments in a Markdown fence',
    format: 'openai-chat',
    events: chat([fenced], 'tool_calls'),
  },
  {
    title: 'messages: a call that the token limit cut, beside a good one',
    format: 'anthropic-messages',
    events: messages([good, cut], 'max_tokens'),
  },
  {
    title: 'responses: arguments that are encoded twice',
    format: 'openai-responses',
    events: responses([doubled], null),
  },
  {
    title: 'responses: a call that the token limit cut, beside a good one',
    format: 'openai-responses',
    events: responses([good, cut], 'max_output_tokens'),
  },
];

function event(data: unknown, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** The fragments of several calls: one call after another, or in turns. */
function fragmentsOf(calls: readonly SceneCall[], inTurns: boolean): [number, string][] {
  const all = calls.flatMap(({ fragments }, index) =>
    fragments.map((text, turn) => ({ index, text, turn })),
  );
  const ordered = inTurns ? all.toSorted((one, other) => one.turn - other.turn) : all;
  return ordered.map(({ index, text }) => [index, text]);
}

function chat(calls: readonly SceneCall[], reason: string, inTurns = false): string[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      id: 'chatcmpl-demo',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'demo',
      choices: [{ index: 0, delta, finish_reason }],
    });
  return [
    chunk({ role: 'assistant', content: null }),
    ...calls.map(({ name }, index) =>
      chunk({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
        ],
      }),
    ),
    ...fragmentsOf(calls, inTurns).map(([index, text]) =>
      chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
    ),
    chunk({}, reason),
    event('[DONE]'),
  ];
}

function messages(calls: readonly SceneCall[], stop_reason: string): string[] {
  const typed = (data: { type: string; [field: string]: unknown }) => event(data, data.type);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_demo',
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
    ...calls.flatMap(({ name, fragments }, index) => [
      typed({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
      }),
      ...fragments.map((partial_json) =>
        typed({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json },
        }),
      ),
      typed({ type: 'content_block_stop', index }),
    ]),
    typed({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }),
    typed({ type: 'message_stop' }),
  ];
}

function responses(calls: readonly SceneCall[], reason: string | null): string[] {
  let sequence_number = 0;
  const typed = (data: { type: string; [field: string]: unknown }) =>
    event({ ...data, sequence_number: sequence_number++ }, data.type);
  const items = calls.map(({ name, fragments }, index) => ({
    type: 'function_call',
    id: `fc_${index}`,
    call_id: `call_${index}`,
    name,
    arguments: fragments.join(''),
    status: reason !== null && index === calls.length - 1 ? 'incomplete' : 'completed',
  }));
  const response = (fields: object) => ({
    id: 'resp_demo',
    object: 'response',
    created_at: 1,
    model: 'demo',
    output: [],
    ...fields,
  });
  const end = reason === null ? 'completed' : 'incomplete';
  const incomplete_details = reason === null ? null : { reason };
  return [
    typed({ type: 'response.created', response: response({ status: 'in_progress' }) }),
    ...items.flatMap((item, output_index) => [
      typed({
        type: 'response.output_item.added',
        output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
      ...(calls[output_index]?.fragments ?? []).map((delta) =>
        typed({
          type: 'response.function_call_arguments.delta',
          output_index,
          item_id: item.id,
          delta,
        }),
      ),
      typed({
        type: 'response.function_call_arguments.done',
        output_index,
        item_id: item.id,
        arguments: item.arguments,
      }),
      typed({ type: 'response.output_item.done', output_index, item }),
    ]),
    typed({
      type: `response.${end}`,
      response: response({ status: end, incomplete_details, output: items }),
    }),
  ];
}
