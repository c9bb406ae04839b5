// Runs in a process of its own: 10,000 open streams, fed in turn. Prints what each takes beyond
// its arguments, and what an event costs more than one of a single stream, as JSON.
//
//   node --expose-gc --import tsx wire-child.ts ROUNDS

import type * as Wire from '../src/wire/index.js';

import { median } from './statistics.js';

const built = new URL('../dist/wire/index.js', import.meta.url).href;
const { createToolCallStream } = (await import(built)) as typeof Wire;

const STREAMS = 10_000;
const ARGUMENT_BYTES = 4096;
/** Events of one stream. */
const EVENTS = 256;

const text = JSON.stringify({ content: 'x'.repeat(ARGUMENT_BYTES - 14) });
const fragmentLength = ARGUMENT_BYTES / EVENTS;

function chunkOf(entry: object, finish_reason: string | null = null): Buffer {
  const choices = [{ index: 0, delta: { tool_calls: [{ index: 0, ...entry }] }, finish_reason }];
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'demo' };
  return Buffer.from(`data: ${JSON.stringify({ ...head, choices })}\n\n`);
}

const first = chunkOf({
  id: 'call_1',
  type: 'function',
  function: { name: 'write', arguments: '' },
});
const chunks = Array.from({ length: EVENTS }, (_, index) =>
  chunkOf({
    function: { arguments: text.slice(index * fragmentLength, (index + 1) * fragmentLength) },
  }),
);

function opened(): Wire.ToolCallStream {
  const stream = createToolCallStream('openai-chat');
  stream.feed(first);
  return stream;
}

function resident(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** Nanoseconds of the processor's time: what others take of it does not count. */
function busy(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/** Nanoseconds an event of a stream that is fed alone. */
function hot(rounds: number): number {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = busy();
    for (let count = 0; count < 40; count++) {
      const stream = opened();
      for (const chunk of chunks) {
        stream.feed(chunk);
      }
      stream.finish();
    }
    samples.push((busy() - start) / (40 * EVENTS));
  }
  return median(samples);
}

const alone = hot(Number(process.argv[2] ?? 5) * 4);
const before = resident();
const streams = Array.from({ length: STREAMS }, opened);
const rounds: number[] = [];
for (const chunk of chunks) {
  const start = busy();
  for (const stream of streams) {
    stream.feed(chunk);
  }
  rounds.push((busy() - start) / STREAMS);
}
const inTurn = median(rounds);
const after = resident();
for (const stream of streams) {
  const [call] = stream.finish();
  if (call?.text !== text) {
    throw new Error('a call is wrong');
  }
}
const bytes = (after - before) / STREAMS - ARGUMENT_BYTES;
process.stdout.write(JSON.stringify({ bytes, nanos: inTurn - alone, alone, inTurn }));
