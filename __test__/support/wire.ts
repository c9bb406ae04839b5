// Samples of the wire formats, and ways to feed them.

import { readFileSync } from 'node:fs';

import { createToolCallAssembler, createToolCallStream } from '../../src/wire/index.js';
import type { ToolCall, ToolCallEvent, WireFormat, WireOptions } from '../../src/wire/index.js';

const folder = new URL('../../fixtures/wire/', import.meta.url);

/** What a sample must give. */
export interface Expected {
  readonly format: WireFormat;
  readonly calls: readonly {
    readonly id: string | null;
    readonly choice?: number;
    readonly wireIndex: number | null;
    readonly name: string;
    readonly argumentsText: string;
    readonly rawText?: string;
    readonly finished: boolean;
    readonly stopReason: string | null;
    readonly parsed?: unknown;
    readonly kind?: string;
    readonly assembly?: string;
    readonly outcome?: unknown;
    readonly doubleEncoded?: boolean;
  }[];
  readonly error?: { readonly message?: string; readonly code?: string; readonly type?: string };
}

export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  readonly expected: Expected;
}

const formats: readonly string[] = ['openai-chat', 'anthropic-messages', 'openai-responses'];

/** Every sample of a format that is read. */
export const samples: readonly Sample[] = Object.entries(
  JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Record<string, Expected>,
)
  .filter(([, { format }]) => formats.includes(format))
  .map(([name, expected]) => ({ name, expected, bytes: readFileSync(new URL(name, folder)) }));

/** The sample with this name. */
export function sampleOf(name: string): Sample {
  const sample = samples.find((candidate) => candidate.name === name);
  if (sample === undefined) {
    throw new Error(`there is no sample ${name}`);
  }
  return sample;
}

/** What came out of a response. */
export interface Read {
  readonly events: ToolCallEvent[];
  readonly calls: ToolCall[];
}

export function readBytes(
  format: WireFormat | 'auto',
  chunks: Iterable<Uint8Array>,
  options: WireOptions = {},
): Read {
  const stream = createToolCallStream(format, options);
  const events: ToolCallEvent[] = [];
  for (const chunk of chunks) {
    events.push(...stream.feed(chunk));
  }
  events.push(...stream.flush());
  return { events, calls: stream.finish() };
}

export function readEvents(
  format: WireFormat,
  wireEvents: Iterable<unknown>,
  options: WireOptions = {},
): Read {
  const assembler = createToolCallAssembler(format, options);
  const events: ToolCallEvent[] = [];
  for (const event of wireEvents) {
    events.push(...assembler.feed(event));
  }
  events.push(...assembler.flush());
  return { events, calls: assembler.finish() };
}

/** Bytes in chunks of one size. */
export function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

/** Bytes in chunks of random sizes, the same for the same seed. */
export function* inRandomChunks(bytes: Uint8Array, seed: number): Generator<Uint8Array> {
  let state = seed;
  for (let start = 0; start < bytes.length;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const size = 1 + ((state >>> 8) % (state % 3 === 0 ? 5 : 300));
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

/** The event objects of a stream, as an SDK would yield them; `[DONE]` as it stands. */
export function objectsOf(bytes: Buffer): unknown[] {
  const text = bytes.toString().replaceAll(/\r\n?/g, '\n').trimStart();
  if (text.startsWith('{')) {
    return [JSON.parse(text)];
  }
  return text.split('\n\n').flatMap((block) => {
    const data = block
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n');
    if (data === '[DONE]') {
      return [data];
    }
    try {
      return [JSON.parse(data) as unknown];
    } catch {
      return [];
    }
  });
}

/** One event of a stream. */
export function eventOf(data: unknown, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** A stream of events as bytes. */
export function streamOf(...events: readonly unknown[]): Buffer {
  return Buffer.from(events.map((event) => eventOf(event)).join(''));
}

/** A chat chunk with these entries. */
export function chatChunk(
  toolCalls: readonly object[],
  finishReason: string | null = null,
  choice = 0,
): object {
  return {
    object: 'chat.completion.chunk',
    choices: [{ index: choice, delta: { tool_calls: toolCalls }, finish_reason: finishReason }],
  };
}

/** An entry of a chat chunk; what is not given is absent. */
export function entry(
  index: number | null,
  known: { id?: string; name?: string; text?: string },
): object {
  const { id, name, text } = known;
  return {
    ...(index === null ? {} : { index }),
    ...(id === undefined ? {} : { id, type: 'function' }),
    function: {
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { arguments: text }),
    },
  };
}
