// A proxy on the loopback interface that forwards many streams at once, with a tap and without:
// what the tap adds to the latency of an event, and to the proxy's processor time.

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { type Server, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Row, Section } from './results.js';
import { median, quartiles } from './statistics.js';
import type { Message } from './wire-proxy-server.js';

export const proxySections: readonly Section[] = [
  {
    id: 'proxy',
    title: 'A proxy with 1,000 streams at once, with `tapToolCalls` and without',
    note:
      'The proxy is a process of its own; origin and reader share another. Each stream has an event every second, ' +
      'so that two processors keep up. Rounds with and without take turns. The latency is that of an event, from the origin to the reader.',
  },
];

/** Milliseconds between two events of a stream. */
const PACE = 1000;
/** Sockets of each stream in one process: the origin's, and the reader's. */
const SOCKETS = 2;
/** Files that a process has open anyhow. */
const FILES = 64;
/** A round that takes longer has hung, in ms. */
const PATIENCE = 60_000;

/** What became of one round, in nanoseconds. */
interface Round {
  readonly p99: number;
  readonly cpu: number;
}

function eventOf(text: string, finish_reason: string | null = null): string {
  const entry = { index: 0, id: 'call_1', function: { name: 'write', arguments: text } };
  const choices = [{ index: 0, delta: { tool_calls: [entry] }, finish_reason }];
  return `data: ${JSON.stringify({ sent: performance.now(), choices })}\n\n`;
}

async function startOrigin(events: number): Promise<Server> {
  const server = createServer((_, response) => {
    void (async () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Not all at the same moment.
      await sleep(Math.random() * PACE);
      for (let index = 0; index < events; index++) {
        response.write(eventOf(index === 0 ? '{"a":"' : 'word'));
        await sleep(PACE);
      }
      response.end(eventOf('"}', 'tool_calls'));
    })();
  });
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 });
  await once(server, 'listening');
  return server;
}

async function next(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message', {
    signal: AbortSignal.timeout(PATIENCE),
  })) as [Message];
  return message;
}

async function used(child: ChildProcess): Promise<{ nanos: number; finished: number }> {
  child.send('used');
  const message = await next(child);
  assert.ok('nanos' in message);
  return message;
}

/** Reads one stream; what each event took on its way, in ms. */
function readOne(url: string, signal: AbortSignal): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = [];
    get(url, { agent: false, signal }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const now = performance.now();
        for (const [, sent] of text.matchAll(/"sent":([\d.]+)/g)) {
          latencies.push(now - Number(sent));
        }
      });
      response.on('end', () => resolve(latencies)).on('error', reject);
    }).on('error', reject);
  });
}

async function round(child: ChildProcess, url: string, streams: number): Promise<Round> {
  const signal = AbortSignal.timeout(PATIENCE);
  setMaxListeners(0, signal);
  const before = await used(child);
  const reads: Promise<number[]>[] = [];
  while (reads.length < streams) {
    reads.push(readOne(url, signal));
    // A few at a time, so that connecting is not what is measured.
    if (reads.length % 50 === 0) {
      await sleep(10);
    }
  }
  const latencies = (await Promise.all(reads)).flat().sort((one, other) => one - other);
  const after = await used(child);
  assert.equal(after.finished - before.finished, url.endsWith('/tap') ? streams : 0);
  return {
    p99: (latencies[Math.floor(latencies.length * 0.99)] ?? 0) * 1e6,
    cpu: after.nanos - before.nanos,
  };
}

/** As many streams as asked for, or as this process may have sockets for. */
function streamsWithin(asked: number): number {
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft: number | string } };
  };
  const files = Number(report.userLimits?.open_files?.soft ?? Infinity);
  return Number.isNaN(files) ? asked : Math.min(asked, Math.floor((files - FILES) / SOCKETS));
}

export async function* proxy(quick: boolean): AsyncGenerator<Row> {
  const streams = streamsWithin(quick ? 100 : 1000);
  const events = quick ? 2 : 6;
  const origin = await startOrigin(events);
  const script = fileURLToPath(new URL('wire-proxy-server.ts', import.meta.url));
  const child = fork(script, [`http://127.0.0.1:${(origin.address() as AddressInfo).port}`]);
  try {
    const started = await next(child);
    assert.ok('url' in started);
    await round(child, `${started.url}/plain`, streams);
    await round(child, `${started.url}/tap`, streams);
    const plain: Round[] = [];
    const tapped: Round[] = [];
    for (let pair = 0; pair < (quick ? 1 : 4); pair++) {
      const turns = [
        { rounds: plain, path: '/plain' },
        { rounds: tapped, path: '/tap' },
      ];
      // Neither is always first.
      for (const { path, rounds } of pair % 2 === 0 ? turns : turns.toReversed()) {
        rounds.push(await round(child, started.url + path, streams));
      }
    }
    yield* rowsOf(plain, tapped, streams);
  } finally {
    child.disconnect();
    origin.closeAllConnections();
    origin.close();
  }
}

function rowsOf(plain: readonly Round[], tapped: readonly Round[], streams: number): Row[] {
  const pairs = tapped.map((tap, place) => ({ tap, none: plain[place] ?? tap }));
  const added = pairs.map(({ tap, none }) => tap.p99 - none.p99);
  const shares = pairs.map(({ tap, none }) => tap.cpu / none.cpu);
  const inMs = (rounds: readonly Round[], part: keyof Round): string =>
    `${(median(rounds.map((each) => each[part])) / 1e6).toFixed(1)} ms`;
  const detail = (part: keyof Round): string => `${inMs(tapped, part)} : ${inMs(plain, part)}`;
  const row = { section: 'proxy', rival: null, own: null, other: null, target: null };
  return [
    {
      ...row,
      what: `latency that the tap adds, 99th percentile of ${streams} streams`,
      reading: 'nanos',
      value: median(added),
      spread: quartiles(added),
      detail: detail('p99'),
    },
    {
      ...row,
      what: "the proxy's processor time with the tap, as a share of that without",
      reading: 'share',
      value: median(shares),
      spread: quartiles(shares),
      detail: detail('cpu'),
    },
  ];
}
