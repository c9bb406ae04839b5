// A proxy on the loopback interface that forwards many streams at once, with a tap and without:
// what the tap adds to the latency of an event, and to the processor's time. Prints JSON.
//
//   node --import tsx wire-proxy.ts [STREAMS [EVENTS]]

import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import type * as Wire from '../src/wire/index.js';

const built = new URL('../dist/wire/index.js', import.meta.url).href;
const { tapToolCalls } = (await import(built)) as typeof Wire;

const [streams = 1000, events = 20] = process.argv.slice(2).map(Number);
/** Milliseconds between two events of a stream, as a model writes them. */
const PACE = 50;

let finished = 0;
const onEvent = ({ type }: Wire.ToolCallEvent): void => {
  finished += Number(type === 'finish');
};

function chunkOf(text: string, finish_reason: string | null = null): string {
  const entry = { index: 0, id: 'call_1', function: { name: 'write', arguments: text } };
  const choices = [{ index: 0, delta: { tool_calls: [entry] }, finish_reason }];
  return `data: ${JSON.stringify({ sent: performance.now(), choices })}\n\n`;
}

const origin = createServer((_, response) => {
  void (async () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Not all at the same moment.
    await sleep(Math.random() * PACE);
    for (let index = 0; index < events; index++) {
      response.write(chunkOf(index === 0 ? '{"a":"' : 'word'));
      await sleep(PACE);
    }
    response.end(chunkOf('"}', 'tool_calls'));
  })();
});

const proxy = createServer((request, response) => {
  void (async () => {
    const through =
      request.url === '/tap'
        ? tapToolCalls('openai-chat', { onEvent })
        : new TransformStream<Uint8Array, Uint8Array>();
    const upstream = await fetch(portOf(origin));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const body = upstream.body?.pipeThrough(through);
    Readable.fromWeb(body as never).pipe(response);
  })();
});

function portOf(server: typeof origin): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const server of [origin, proxy]) {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

/** Reads one stream; what each event took on its way, in milliseconds. */
function readOne(path: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = [];
    get(portOf(proxy) + path, { agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const now = performance.now();
        for (const [, sent] of text.matchAll(/"sent":([\d.]+)/g)) {
          latencies.push(now - Number(sent));
        }
      });
      response.on('end', () => resolve(latencies));
    }).on('error', reject);
  });
}

/** One round: the 99th percentile of the latency in ms, and the processor's time in ms. */
async function round(path: string): Promise<{ p99: number; cpu: number }> {
  const before = process.cpuUsage();
  const all = await Promise.all(Array.from({ length: streams }, () => readOne(path)));
  const { user, system } = process.cpuUsage(before);
  const latencies = all.flat().sort((one, other) => one - other);
  return {
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    cpu: (user + system) / 1000,
  };
}

await round('/plain');
const plain = await round('/plain');
const tap = await round('/tap');
if (finished !== streams) {
  throw new Error(`${finished} of ${streams} calls finished`);
}
process.stdout.write(`${JSON.stringify({ streams, events, plain, tap })}\n`);
origin.closeAllConnections();
proxy.closeAllConnections();
origin.close();
proxy.close();
