// A proxy in a process of its own, as a gateway runs it: forwards what ORIGIN answers, through a
// tap where the path is /tap. Tells its parent where it listens, and when asked what it has used of
// the processor's time, in nanoseconds, and how many calls the taps have seen to their end.
//
//   forked by wire-proxy.ts: ORIGIN

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

import type * as Wire from '../src/wire/index.js';

const built = new URL('../dist/wire/index.js', import.meta.url).href;
const { tapToolCalls } = (await import(built)) as typeof Wire;

/** What the parent is told. */
export type Message =
  | { readonly url: string }
  | { readonly nanos: number; readonly finished: number };

const [origin = ''] = process.argv.slice(2);
let finished = 0;
const onEvent = ({ type }: Wire.ToolCallEvent): void => {
  finished += Number(type === 'finish');
};

const server = createServer((request, response) => {
  void (async () => {
    const through =
      request.url === '/tap'
        ? tapToolCalls('openai-chat', { onEvent })
        : new TransformStream<Uint8Array, Uint8Array>();
    const upstream = await fetch(origin);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const body = upstream.body?.pipeThrough(through);
    Readable.fromWeb(body as ReadableStream).pipe(response);
  })().catch(() => response.destroy());
});

function tell(message: Message): void {
  process.send?.(message);
}

process.on('message', () => {
  const { system, user } = process.cpuUsage();
  tell({ nanos: (user + system) * 1000, finished });
});
process.on('disconnect', () => process.exit());
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
