// Response bytes in, finished tool calls out: against what one writes in JavaScript, and against
// the official SDK's stream.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type * as Wire from '../src/wire/index.js';
import { duel } from './duel.js';
import { load } from './load.js';
import type { Effort } from './race.js';
import type { Row, Section, Target } from './results.js';
import { type WireStream, inChunks, wireStreams } from './wire-streams.js';

const built = new URL('../dist/wire/index.js', import.meta.url).href;
const { createToolCallStream, tapToolCalls } = (await import(built)) as typeof Wire;

export const wireSections: readonly Section[] = [
  {
    id: 'wire',
    title: 'A streamed response of some 5,000 events with four characters each, times faster',
    note:
      'argspan: bytes in, the finished call with its value out. JavaScript: eventsource-parser and `JSON.parse` of each event, ' +
      'the fragments joined and parsed. SDK: its own stream of parsed events over the same bytes, the fragments joined and parsed.',
  },
  {
    id: 'tap',
    title:
      'The same through `tapToolCalls` in a pipe, as a share of the time of an identity `TransformStream`',
    note: 'One event a chunk; source, pipe and consumer are in the same process.',
  },
  {
    id: 'open streams',
    title: '10,000 open streams, one call of 4 KB each, events in turn',
    note:
      'Resident memory for each stream beyond the bytes of its arguments, in a process of its own; and what an event costs ' +
      'more than one of a single stream does.',
  },
];

interface Parser {
  feed(text: string): void;
}

const parserPackage = await load<{
  createParser(callbacks: { onEvent(event: { data: string }): void }): Parser;
}>('eventsource-parser');

/** The fragment that an event's object holds, if any. */
type Pick = (event: never) => string | undefined;

const picks: Readonly<Record<WireStream['format'], Pick>> = {
  'openai-chat': (event: {
    choices: { delta: { tool_calls?: { function: { arguments?: string } }[] } }[];
  }) => event.choices[0]?.delta.tool_calls?.[0]?.function.arguments,
  'anthropic-messages': (event: { type: string; delta: { partial_json?: string } }) =>
    event.type === 'content_block_delta' ? event.delta.partial_json : undefined,
  'openai-responses': (event: { type: string; delta?: string }) =>
    event.type === 'response.function_call_arguments.delta' ? event.delta : undefined,
};

function readWithArgspan(format: WireStream['format'], chunks: readonly Buffer[]): unknown {
  const stream = createToolCallStream(format);
  for (const chunk of chunks) {
    stream.feed(chunk);
  }
  const [call] = stream.finish();
  return call?.outcome?.status === 'accepted' ? call.outcome.value : null;
}

function readWithJavaScript(format: WireStream['format'], chunks: readonly Buffer[]): unknown {
  const pick = picks[format];
  const decoder = new TextDecoder();
  let text = '';
  const parser = parserPackage.createParser({
    onEvent({ data }) {
      if (data !== '[DONE]') {
        text += pick(JSON.parse(data) as never) ?? '';
      }
    },
  });
  for (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
  }
  return JSON.parse(text) as unknown;
}

interface OpenAiClient {
  chat: { completions: { create(request: object): Promise<AsyncIterable<never>> } };
}

type OpenAi = new (options: object) => OpenAiClient;

function sourceOf(chunks: readonly Buffer[]): ReadableStream<Uint8Array> {
  let index = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[index++];
      if (chunk === undefined) {
        controller.close();
      } else {
        controller.enqueue(chunk);
      }
    },
  });
}

async function readWithSdk(client: OpenAiClient): Promise<unknown> {
  const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true });
  let text = '';
  for await (const event of stream) {
    text += picks['openai-chat'](event) ?? '';
  }
  return JSON.parse(text) as unknown;
}

async function measure(
  what: string,
  rival: string,
  own: () => unknown,
  other: { readonly run: () => unknown; readonly waits?: boolean },
  things: number,
  target: Target | null,
  effort: Effort,
): Promise<Row> {
  return duel(
    { section: 'wire', what, rival, reading: 'faster', target },
    { name: 'argspan', run: own, things },
    { name: rival, ...other, things },
    effort,
  );
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return bytes;
    }
    bytes += value.length;
  }
}

async function measureTap({ format, title, events }: WireStream, effort: Effort): Promise<Row> {
  const pipe = (through: TransformStream<Uint8Array, Uint8Array>): Promise<number> =>
    drain(sourceOf(events).pipeThrough(through));
  let finished = 0;
  const onEvent = ({ type }: Wire.ToolCallEvent): void => {
    finished += Number(type === 'finish');
  };
  const tapped = (): Promise<number> => pipe(tapToolCalls(format, { onEvent }));
  assert.equal(await tapped(), Buffer.concat(events).length);
  assert.equal(finished, 1);
  const things = events.length;
  return duel(
    { section: 'tap', what: title, reading: 'share', target: { must: 1.3, aim: 1.1 } },
    { name: 'argspan', run: tapped, waits: true, things },
    { name: 'identity', run: () => pipe(new TransformStream()), waits: true, things },
    effort,
  );
}

function openStreams(quick: boolean): Row[] {
  const script = fileURLToPath(new URL('wire-child.ts', import.meta.url));
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', script, String(quick ? 3 : 15)],
    { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' },
  );
  if (status !== 0) {
    throw new Error(`the measurement of open streams ended with status ${status}:\n${stderr}`);
  }
  const { bytes, nanos } = JSON.parse(stdout) as { bytes: number; nanos: number };
  const row = { section: 'open streams', rival: null, spread: null, own: null, other: null };
  return [
    {
      ...row,
      what: 'memory of a stream beyond its 4 KB of arguments',
      reading: 'bytes',
      value: bytes,
      target: { must: 4096 + 2048, aim: 2048 + 1024 },
    },
    {
      ...row,
      what: "an event more than a single stream's",
      reading: 'nanos',
      value: nanos,
      target: { must: 400, aim: 200 },
    },
  ];
}

const single = { must: 6, aim: 15 };

export async function* wire(effort: Effort, quick: boolean): AsyncGenerator<Row> {
  for (const { format, title, text, events } of wireStreams) {
    const value: unknown = JSON.parse(text);
    const large = inChunks(events, 16_384);
    for (const chunks of [events, large]) {
      assert.deepEqual(readWithArgspan(format, chunks), value);
      assert.deepEqual(readWithJavaScript(format, chunks), value);
    }
    const isChat = format === 'openai-chat';
    yield await measure(
      `${title}, one event a chunk`,
      'JavaScript',
      () => readWithArgspan(format, events),
      { run: () => readWithJavaScript(format, events) },
      events.length,
      single,
      effort,
    );
    yield await measure(
      `${title}, chunks of 16 KB`,
      'JavaScript',
      () => readWithArgspan(format, large),
      { run: () => readWithJavaScript(format, large) },
      events.length,
      isChat ? { must: 7, aim: 25 } : null,
      effort,
    );
  }
  const [chat] = wireStreams;
  assert.ok(chat !== undefined);
  const { default: OpenAI } = await load<{ default: OpenAi }>('openai');
  const headers = { 'content-type': 'text/event-stream' };
  const client = new OpenAI({
    apiKey: 'none',
    fetch: () => Promise.resolve(new Response(sourceOf(chat.events), { headers })),
  });
  assert.deepEqual(await readWithSdk(client), JSON.parse(chat.text));
  yield await measure(
    'chat completions, one event a chunk',
    'openai SDK',
    () => readWithArgspan(chat.format, chat.events),
    { run: () => readWithSdk(client), waits: true },
    chat.events.length,
    { must: 35, aim: 80 },
    effort,
  );
  yield await measureTap(chat, effort);
  yield* openStreams(quick);
}
