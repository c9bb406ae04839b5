// A watched fetch answers as the fetch would have, and tells what went by.

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import { watchFetch } from '../../src/wire/index.js';
import type { ToolCallEvent } from '../../src/wire/index.js';
import { type Script, provide } from '../support/server.js';
import { inRandomChunks, readBytes, sampleOf } from '../support/wire.js';

const { bytes } = sampleOf('openai-chat/parallel_interleaved.sse');

async function ask(script: Script, path = '/', fetchIt: typeof fetch = fetch) {
  await using provider = await provide([script]);
  const events: ToolCallEvent[] = [];
  const watched = watchFetch(fetchIt, { format: 'auto', onEvent: (event) => events.push(event) });
  const response = await watched(provider.url + path);
  const body = Buffer.from(await response.arrayBuffer());
  return { response, body, events, url: provider.url + path };
}

describe('watchFetch', () => {
  test('the body is the same, and so are url, headers and status', async () => {
    const chunks = [...inRandomChunks(bytes, 5)];
    const { response, body, events, url } = await ask(
      {
        status: 203,
        headers: { 'x-request-id': 'r1' },
        chunks,
      },
      '/v1/x?y=z',
    );
    expect(body).toEqual(bytes);
    expect(events).toEqual(readBytes('openai-chat', [bytes]).events);
    expect(response).toMatchObject({
      url,
      redirected: false,
      status: 203,
      ok: true,
      type: 'basic',
    });
    expect(response.headers.get('x-request-id')).toBe('r1');
    expect(response).toBeInstanceOf(Response);
  });

  test('a clone knows its url too', async () => {
    await using provider = await provide([{ chunks: [bytes] }]);
    const watched = watchFetch(fetch, { format: 'auto', onEvent() {} });
    const response = await watched(provider.url);
    const clone = response.clone();
    expect(clone.url).toBe(response.url);
    expect(await clone.text()).toBe(await response.text());
  });

  test('a JSON body is read at its end', async () => {
    const body = sampleOf('anthropic/non_stream.json').bytes;
    const { events, body: passed } = await ask({
      headers: { 'content-type': 'application/json' },
      chunks: [...inRandomChunks(body, 1)],
    });
    expect(passed).toEqual(body);
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2);
  });

  test('an error body is one error event', async () => {
    const body = sampleOf('anthropic/non_stream_error.json').bytes;
    const { response, events } = await ask({
      status: 529,
      headers: { 'content-type': 'application/json' },
      chunks: [body],
    });
    expect(response.status).toBe(529);
    expect(events).toMatchObject([{ type: 'error', error: { type: 'overloaded_error' } }]);
  });

  test('what can hold no call is passed on as it came', async () => {
    for (const type of ['text/html', 'image/png', 'application/octet-stream']) {
      const { events, body } = await ask({
        headers: { 'content-type': type },
        chunks: ['<html>', 'x'],
      });
      expect(body.toString()).toBe('<html>x');
      expect(events).toEqual([]);
    }
    let answer: Response | undefined;
    const empty: typeof fetch = () =>
      Promise.resolve((answer = new Response(null, { status: 204 })));
    expect(await watchFetch(empty, { format: 'auto', onEvent() {} })('http://x')).toBe(answer);
  });

  test('a compressed body that fetch decoded is read', async () => {
    const { events, body } = await ask({
      headers: { 'content-encoding': 'gzip' },
      chunks: [gzipSync(bytes)],
    });
    expect(body).toEqual(bytes);
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2);
  });

  test('a compressed body that nobody decoded is one error event', async () => {
    const raw: typeof fetch = () =>
      Promise.resolve(new Response(gzipSync(bytes), { headers: { 'content-encoding': 'gzip' } }));
    const { events, body } = await ask({ chunks: [] }, '/', raw);
    expect(body).toEqual(gzipSync(bytes));
    expect(events).toMatchObject([{ type: 'error', error: { code: 'encoded-body' } }]);
  });

  test('a connection that breaks breaks for the reader too, and ends the calls', async () => {
    const half = bytes.subarray(0, bytes.indexOf('"finish_reason":"tool_calls"'));
    await using provider = await provide([{ chunks: [half], breaks: true }]);
    const events: ToolCallEvent[] = [];
    const watched = watchFetch(fetch, { format: 'auto', onEvent: (event) => events.push(event) });
    const response = await watched(provider.url);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2);
  });

  test('a response that is none of the standard’s is passed on, and onError told', async () => {
    const errors: unknown[] = [];
    const answer = { headers: new Headers(), body: { on() {} } } as never;
    const odd: typeof fetch = () => Promise.resolve(answer);
    const watched = watchFetch(odd, {
      format: 'auto',
      onEvent() {},
      onError: (error) => errors.push(error),
    });
    expect(await watched('http://x')).toBe(answer);
    expect(errors[0]).toBeInstanceOf(TypeError);
  });

  test('a response that cannot be made anew is passed on with its body, and onError may throw', async () => {
    const body = new Response(bytes).body;
    const answer = { headers: new Headers(), status: 999, statusText: '', bodyUsed: false, body };
    const odd = () => Promise.resolve(answer as unknown as Response);
    const events: ToolCallEvent[] = [];
    const errors: unknown[] = [];
    const watched = watchFetch(odd, {
      format: 'auto',
      onEvent: (event) => events.push(event),
      onError(error) {
        errors.push(error);
        throw error;
      },
    });
    const response = await watched('http://x');
    expect(response).toBe(answer);
    expect(errors).toHaveLength(1);
    expect(Buffer.from(await new Response(response.body).arrayBuffer())).toEqual(bytes);
    expect(events).toEqual([]);
  });

  test('a body that somebody reads already is left to them', async () => {
    const answer = new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
    const reader = answer.body?.getReader();
    const errors: unknown[] = [];
    const watched = watchFetch(() => Promise.resolve(answer), {
      format: 'auto',
      onEvent() {},
      onError: (error) => errors.push(error),
    });
    expect(await watched('http://x')).toBe(answer);
    expect(errors[0]).toBeInstanceOf(TypeError);
    expect((await reader?.read())?.value).toHaveLength(bytes.length);
  });

  test('a body that is told of has default readers and no BYOB ones', async () => {
    await using provider = await provide([{ chunks: [bytes] }]);
    const response = await watchFetch(fetch, { format: 'auto', onEvent() {} })(provider.url);
    expect(() => response.body?.getReader({ mode: 'byob' })).toThrow(TypeError);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  });

  test('requests of every kind, redirects, and answers without a body', async () => {
    const location = { location: '/there' };
    await using provider = await provide([
      { status: 307, headers: location, chunks: [] },
      { chunks: [bytes] },
      { chunks: [] },
      { status: 204, chunks: [] },
      { status: 307, headers: location, chunks: [] },
    ]);
    const events: ToolCallEvent[] = [];
    const watched = watchFetch(fetch, { format: 'auto', onEvent: (event) => events.push(event) });
    const request = new Request(provider.url, { method: 'POST', body: '{"a":1}' });
    const followed = await watched(request);
    expect(Buffer.from(await followed.arrayBuffer())).toEqual(bytes);
    expect(followed).toMatchObject({ redirected: true, url: `${provider.url}/there` });
    expect(provider.requests.map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2);
    const head = await watched(new URL(provider.url), { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect((await watched(provider.url)).status).toBe(204);
    await expect(watched(provider.url, { redirect: 'error' })).rejects.toThrow(TypeError);
  });

  test('a request that is aborted while it is read ends the calls as interrupted', async () => {
    const half = bytes.subarray(0, bytes.indexOf('"finish_reason":"tool_calls"'));
    const endless = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(half);
      },
    });
    const controller = new AbortController();
    const events: ToolCallEvent[] = [];
    const abortable = (_: unknown, init?: RequestInit) =>
      Promise.resolve(
        new Response(
          endless.pipeThrough(new TransformStream(), init?.signal ? { signal: init.signal } : {}),
        ),
      );
    const watched = watchFetch(abortable, {
      format: 'auto',
      onEvent: (event) => events.push(event),
    });
    const response = await watched('http://x', { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort(new Error('enough'));
    await expect(reader?.read()).rejects.toThrow('enough');
    const finished = events.flatMap((event) => (event.type === 'finish' ? [event.call] : []));
    expect(finished.map((call) => call.finished)).toEqual([true, false]);
  });

  test('an aborted request aborts', async () => {
    await using provider = await provide([{ chunks: [bytes] }]);
    const controller = new AbortController();
    controller.abort();
    const watched = watchFetch(fetch, { format: 'auto', onEvent() {} });
    await expect(watched(provider.url, { signal: controller.signal })).rejects.toThrow(/abort/);
  });

  test('refuses wrong options at once', () => {
    expect(() => watchFetch(1 as never, { format: 'auto', onEvent() {} })).toThrow(/fetch/);
    expect(() => watchFetch(fetch, { onEvent() {} } as never)).toThrow(/format/);
    expect(() => watchFetch(fetch, undefined as never)).toThrow(TypeError);
    expect(() => watchFetch(fetch, { format: 'auto' } as never)).toThrow(/onEvent/);
    expect(() => watchFetch(fetch, { format: 'auto', onEvent() {}, maxCalls: 1.5 })).toThrow(
      RangeError,
    );
  });
});
