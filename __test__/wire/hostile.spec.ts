// Streams that nobody should send: bounded time, bounded memory, no crash.

import { describe, expect, test } from 'vitest';

import { createToolCallStream } from '../../src/wire/index.js';
import type { WireFormat } from '../../src/wire/index.js';
import { chatChunk, entry, eventOf, readBytes, streamOf } from '../support/wire.js';

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
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      for (const type of ['x', 'content_block_start', 'response.output_item.done']) {
        const text = JSON.stringify({ ...event(key), type });
        const { calls } = readBytes(format, [Buffer.from(eventOf(text))]);
        expect(calls.every(({ id, name }) => id === key && name === key)).toBe(true);
      }
    }
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
});
