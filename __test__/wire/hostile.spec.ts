// Streams that nobody should send: bounded time, bounded memory, no crash.

import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';

import { createToolCallAssembler, createToolCallStream } from '../../src/wire/index.js';
import type { WireFormat } from '../../src/wire/index.js';
import { chatChunk, entry, eventOf, readBytes, streamOf } from '../support/wire.js';
import { cpuTime } from '../support/cpu-time.js';

const formats: readonly WireFormat[] = ['openai-chat', 'anthropic-messages', 'openai-responses'];

const { gc } = globalThis as { gc?: () => void };

/** Bytes that the process holds, as well as they can be told. */
function held(): number {
  gc?.();
  return process.memoryUsage().rss;
}

describe('hostile streams', () => {
  test('a million tiny chunks', () => {
    const stream = createToolCallStream('openai-chat');
    const text = `{"a":"${'x'.repeat(990_000)}"}`;
    const bytes = streamOf(chatChunk([entry(0, { id: 'a', name: 'f', text })], 'tool_calls'));
    for (let index = 0; index < bytes.length; index++) {
      stream.feed(bytes.subarray(index, index + 1));
    }
    expect(stream.finish()[0]).toMatchObject({ finished: true, text });
  });

  test('endless lines of every kind take no more than the limit', () => {
    const before = held();
    for (const begin of ['data: {"a":"', ': ', 'event: ', 'other: ', '', 'data', '{"']) {
      const stream = createToolCallStream('openai-chat', { maxEventBytes: 1 << 20 });
      stream.feed(Buffer.from(begin));
      const chunk = Buffer.alloc(1 << 16, 'x');
      for (let count = 0; count < 1000; count++) {
        stream.feed(chunk);
      }
      stream.finish();
    }
    expect(held() - before).toBeLessThan(64 << 20);
  });

  test('endless arguments take no more than the limit', () => {
    const before = held();
    const stream = createToolCallStream('openai-chat', { maxTotalBytes: Infinity });
    stream.feed(streamOf(chatChunk([entry(0, { id: 'a', name: 'f', text: '{"a":"' })])));
    const chunk = streamOf(chatChunk([entry(0, { text: 'x'.repeat(1 << 16) })]));
    for (let count = 0; count < 2000; count++) {
      stream.feed(chunk);
    }
    expect(held() - before).toBeLessThan(80 << 20);
    expect(stream.finish()[0]?.outcome).toMatchObject({ kind: 'too-large' });
  });

  test('20,000 calls', () => {
    const chunks = Array.from({ length: 20_000 }, (_, index) =>
      streamOf(chatChunk([entry(index, { id: `c${index}`, name: 'f', text: '{}' })])),
    );
    const { calls, events } = readBytes('openai-chat', chunks);
    expect(calls).toHaveLength(128);
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
    const all = readBytes('openai-chat', chunks, { maxCalls: Infinity });
    expect(all.calls).toHaveLength(20_000);
  });

  test('60,000 choices, each with an end', () => {
    const chunks = Array.from({ length: 60_000 }, (_, choice) =>
      streamOf(
        chatChunk([entry(0, { id: `c${choice}`, name: 'f', text: '{}' })], null, choice),
        chatChunk([], 'tool_calls', choice),
      ),
    );
    const began = cpuTime();
    const { calls } = readBytes('openai-chat', chunks, { maxCalls: Infinity });
    expect(calls).toHaveLength(60_000);
    expect(calls.every(({ finished }) => finished)).toBe(true);
    // A look at every choice for each one would take minutes.
    expect(cpuTime() - began).toBeLessThan(30_000);
  });

  test('20,000 calls in one event', () => {
    const entries = Array.from({ length: 20_000 }, (_, index) =>
      entry(index, { id: `c${index}`, name: 'f', text: '{}' }),
    );
    const { calls } = readBytes('openai-chat', [streamOf(chatChunk(entries, 'tool_calls'))]);
    expect(calls).toHaveLength(128);
  });

  test.each(formats)('deep nesting everywhere in %s', (format) => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const events = [
      `{"x":${deep},"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":${deep}}}]}}]}`,
      `{"type":"content_block_start","index":0,"x":${deep},"content_block":{"type":"tool_use","id":"a","name":"f","input":${deep}}}`,
      `{"type":"response.output_item.done","x":${deep},"item":{"type":"function_call","call_id":"a","name":"f","arguments":${deep}}}`,
    ];
    const { calls } = readBytes(
      format,
      events.map((event) => Buffer.from(eventOf(event))),
    );
    expect(calls).toHaveLength(1);
    expect(calls[0]?.outcome?.status).toBe('reported');
  });

  test.each(formats)('a block or item a hundred thousand times over in %s', (format) => {
    const stream = createToolCallStream(format);
    const before = held();
    for (let index = 0; index < 100_000; index++) {
      stream.feed(
        streamOf(
          {
            choices: [{ index: index % 70_000, delta: { tool_calls: [] }, finish_reason: 'stop' }],
          },
          { type: 'content_block_start', index: index % 60_000, content_block: { type: 'text' } },
          { type: 'message_start', message: { id: `m${index}`, content: [] } },
          { type: 'response.output_item.added', output_index: index, item: { type: 'message' } },
        ),
      );
    }
    expect(stream.finish()).toEqual([]);
    expect(held() - before).toBeLessThan(64 << 20);
  });

  test.each(formats)('the prototype of everything in %s', (format) => {
    const event = (key: string) => ({
      type: key,
      [key]: { [key]: key },
      choices: [
        {
          index: 0,
          delta: { tool_calls: [entry(0, { id: key, name: key, text: `{"${key}":1}` })] },
        },
      ],
      content_block: { type: 'tool_use', id: key, name: key },
      item: { type: 'function_call', call_id: key, name: key, arguments: `{"${key}":1}` },
    });
    let read = 0;
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      for (const type of ['x', 'content_block_start', 'response.output_item.done']) {
        const text = JSON.stringify({ ...event(key), type });
        const { calls } = readBytes(format, [Buffer.from(eventOf(text))]);
        expect(calls.every(({ id, name }) => id === key && name === key)).toBe(true);
        read += calls.length;
      }
    }
    expect(read).toBeGreaterThanOrEqual(5);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('abandoned streams do not pile up', async () => {
    const chunk = streamOf(
      chatChunk([entry(0, { id: 'a', name: 'f', text: `{"a":"${'x'.repeat(4096)}` })]),
    );
    const round = async (count: number) => {
      for (let index = 0; index < count; index++) {
        createToolCallStream('openai-chat').feed(chunk);
        if (index % 1000 === 0) {
          // Finalizers run between turns of the event loop, as they do in a server.
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
      }
    };
    await round(20_000);
    const before = held();
    await round(100_000);
    // All of them would be 500 MB and more.
    expect(held() - before).toBeLessThan(250 << 20);
  });

  test('streams that one synchronous loop abandons are freed when it yields', async () => {
    const chunk = streamOf(chatChunk([entry(0, { id: 'a', name: 'f', text: '{"a":"xxxx' })]));
    const round = async () => {
      for (let index = 0; index < 100_000; index++) {
        createToolCallStream('openai-chat').feed(chunk);
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 500);
      });
    };
    await round();
    const before = held();
    await round();
    // The same memory serves again.
    expect(held() - before).toBeLessThan(75 << 20);
  });

  test('10,000 streams that are open at once', () => {
    const streams = Array.from({ length: 10_000 }, () => createToolCallStream('openai-chat'));
    const first = streamOf(chatChunk([entry(0, { id: 'a', name: 'f', text: '{"a":' })]));
    const last = streamOf(chatChunk([entry(0, { text: '1}' })], 'tool_calls'));
    for (const chunk of [first, last]) {
      for (const stream of streams) {
        stream.feed(chunk);
      }
    }
    expect(streams.every((stream) => stream.finish()[0]?.finished === true)).toBe(true);
  });

  test('worker threads have streams of their own, and end in the middle of them', () => {
    const program = `
      import { Worker } from 'node:worker_threads';
      const work = \`
        const { parentPort, workerData } = require('node:worker_threads');
        import(workerData).then(({ createToolCallStream }) => {
          const streams = Array.from({ length: 200 }, () => createToolCallStream('auto'));
          const call = { id: 'a', function: { name: 'f', arguments: '{"a": ' } };
          const choices = [{ index: 0, delta: { tool_calls: [call] } }];
          const chunk = Buffer.from('data: ' + JSON.stringify({ choices }) + '\\\\n\\\\n');
          for (let round = 0; ; round++) {
            streams[round % 200].feed(chunk);
            if (round === 1000) parentPort.postMessage(streams[0].finish().length);
            if (round % 200 === 0) streams[0] = createToolCallStream('auto');
          }
        });
      \`;
      let ended = 0;
      for (let count = 0; count < 6; count++) {
        const worker = new Worker(work, { eval: true, execArgv: [], workerData: process.argv[1] });
        worker.on('message', async (calls) => {
          await worker.terminate();
          ended += calls;
          if (ended === 6) console.log('all');
        });
      }
    `;
    const library = new URL('../../dist/wire/index.js', import.meta.url).href;
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', program, library],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect(stderr).toBe('');
    expect(stdout).toBe('all\n');
    expect(status).toBe(0);
  });

  test('what is built while an event is made into text may use the same reader', () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    const inner = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'stop' }] };
    const assembler = createToolCallAssembler('openai-chat');
    const seen: string[] = [];
    const feeding = {
      get choices() {
        seen.push(...assembler.feed(inner).map(({ type }) => type));
        return [];
      },
    };
    expect(assembler.feed(feeding)).toEqual([]);
    expect(seen).toEqual(['start', 'verdict', 'finish']);
    const ending = {
      get choices() {
        assembler.flush();
        return [];
      },
    };
    expect(() => assembler.feed(ending)).toThrow(/has ended/);
    const disposing = {
      get choices() {
        assembler[Symbol.dispose]();
        return [];
      },
    };
    expect(() => assembler.feed(disposing)).toThrow(/disposed/);
  });

  test('ids, names and event names of megabytes', () => {
    const huge = 'x'.repeat(4 << 20);
    const { calls, events } = readBytes('openai-chat', [
      Buffer.from(`event: ${huge}\n`),
      streamOf(chatChunk([entry(0, { id: huge, name: huge, text: '{}' })], 'tool_calls')),
    ]);
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(calls).toMatchObject([{ outcome: { kind: 'too-large' } }]);
    expect(calls[0]?.id).toHaveLength(256);
    expect(calls[0]?.name).toHaveLength(256);
  });
});
