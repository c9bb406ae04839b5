// The tap passes every byte on, and nothing that happens in it reaches the stream.

import { ReadableStream } from 'node:stream/web';
import { describe, expect, test } from 'vitest';

import { tapToolCalls } from '../../src/wire/index.js';
import type { ToolCallEvent } from '../../src/wire/index.js';
import { inRandomChunks, readBytes, sampleOf } from '../support/wire.js';

const { bytes } = sampleOf('openai-chat/parallel_interleaved.sse');

function sourceOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
  });
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return chunks;
}

/** Lets what was set in motion happen. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
}

describe('tapToolCalls', () => {
  test('passes on the very chunks, and tells what a stream tells', async () => {
    const chunks = [...inRandomChunks(bytes, 3)];
    const events: ToolCallEvent[] = [];
    const tap = tapToolCalls('openai-chat', { onEvent: (event) => events.push(event) });
    const passed = await drain(sourceOf(chunks).pipeThrough(tap));
    expect(passed).toHaveLength(chunks.length);
    expect(passed.every((chunk, index) => chunk === chunks[index])).toBe(true);
    expect(events).toEqual(readBytes('openai-chat', chunks).events);
  });

  test('tells of an event only after its bytes were passed on', async () => {
    const order: string[] = [];
    const tap = tapToolCalls('openai-chat', { onEvent: ({ type }) => order.push(type) });
    const reader = tap.readable.getReader();
    const writer = tap.writable.getWriter();
    const read = reader.read().then(() => order.push('bytes'));
    await writer.write(bytes);
    await read;
    expect(order).toContain('finish');
    expect(order).toContain('bytes');
    await Promise.all([writer.close(), reader.read()]);
  });

  test('what onEvent throws goes to onError, and every event is still told', async () => {
    const errors: unknown[] = [];
    let told = 0;
    const tap = tapToolCalls('openai-chat', {
      onEvent(event) {
        told += 1;
        throw new Error(event.type);
      },
      onError(error) {
        errors.push(error);
        throw error;
      },
    });
    const passed = await drain(sourceOf([bytes]).pipeThrough(tap));
    expect(Buffer.concat(passed)).toEqual(bytes);
    expect(errors).toHaveLength(told);
    expect(told).toBe(readBytes('openai-chat', [bytes]).events.length);
  });

  test('what a promise of onEvent is rejected with goes to onError too', async () => {
    const errors: unknown[] = [];
    let told = 0;
    const tap = tapToolCalls('openai-chat', {
      // A function that waits is taken for one that answers nothing, also by the compiler.
      onEvent: (event) => {
        told += 1;
        return Promise.reject(new Error(event.type));
      },
      onError: (error) => {
        errors.push(error);
        return Promise.reject(new Error('again'));
      },
    });
    await drain(sourceOf([bytes]).pipeThrough(tap));
    await turn();
    expect(told).toBeGreaterThan(0);
    expect(errors).toHaveLength(told);
    // Without somebody to tell, nothing happens: an unhandled rejection would fail this run.
    const alone = tapToolCalls('openai-chat', { onEvent: () => Promise.reject(new Error('no')) });
    await drain(sourceOf([bytes]).pipeThrough(alone));
    await turn();
  });

  test('what is no bytes passes too, and the misuse goes to onError', async () => {
    const errors: unknown[] = [];
    const tap = tapToolCalls('auto', { onEvent() {}, onError: (error) => errors.push(error) });
    const passed = await drain(sourceOf(['text' as never]).pipeThrough(tap));
    expect(passed).toEqual(['text']);
    expect(errors[0]).toBeInstanceOf(TypeError);
  });

  test('back-pressure passes through', async () => {
    let pulled = 0;
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(Buffer.from(': ping\n\n'));
        },
      },
      { highWaterMark: 0 },
    );
    const reader = source.pipeThrough(tapToolCalls('auto', { onEvent() {} })).getReader();
    await reader.read();
    await turn();
    expect(pulled).toBeLessThan(5);
    await reader.cancel();
  });

  const half = bytes.subarray(0, bytes.indexOf('"finish_reason":"tool_calls"'));

  test('a consumer who cancels ends the calls as interrupted, and the source learns of it', async () => {
    const events: ToolCallEvent[] = [];
    let reason: unknown;
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(half);
      },
      cancel(why) {
        reason = why;
      },
    });
    const reader = source
      .pipeThrough(tapToolCalls('openai-chat', { onEvent: (event) => events.push(event) }))
      .getReader();
    await reader.read();
    await reader.cancel('enough');
    await turn();
    expect(reason).toBe('enough');
    const finished = events.flatMap((event) => (event.type === 'finish' ? [event.call] : []));
    expect(finished.map(({ finished: whole }) => whole)).toEqual([true, false]);
    expect(finished[1]?.outcome).toMatchObject({ kind: 'truncated' });
  });

  test('a source that breaks ends the calls as interrupted, and the consumer learns of it', async () => {
    const events: ToolCallEvent[] = [];
    let sent = false;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) {
          controller.error(new Error('reset'));
        } else {
          sent = true;
          controller.enqueue(half);
        }
      },
    });
    const tap = tapToolCalls('openai-chat', { onEvent: (event) => events.push(event) });
    await expect(drain(source.pipeThrough(tap))).rejects.toThrow('reset');
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2);
  });

  test('refuses wrong options at once', () => {
    expect(() => tapToolCalls('auto', {} as never)).toThrow(/onEvent/);
    expect(() => tapToolCalls('auto', undefined as never)).toThrow(TypeError);
    expect(() => tapToolCalls('auto', { onEvent() {}, onError: 1 as never })).toThrow(/onError/);
    expect(() => tapToolCalls('other' as never, { onEvent() {} })).toThrow(RangeError);
    expect(() => tapToolCalls('auto', { onEvent() {}, maxCalls: -1 })).toThrow(/maxCalls/);
  });
});
