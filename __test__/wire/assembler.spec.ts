// Event objects, as SDKs yield them.

import { describe, expect, test } from 'vitest';

import { createToolCallAssembler } from '../../src/wire/index.js';
import { chatChunk, entry, readBytes, readEvents, streamOf } from '../support/wire.js';

describe('createToolCallAssembler', () => {
  const events = [
    chatChunk([entry(0, { id: 'a', name: 'read', text: '' })]),
    chatChunk([entry(0, { text: '{"x": "é🎉' })]),
    chatChunk([entry(0, { text: '"}' })], 'tool_calls'),
  ];

  test('says what the same events’ bytes say (guarantee 2)', () => {
    expect(readEvents('openai-chat', events)).toEqual(
      readBytes('openai-chat', [streamOf(...events)]),
    );
  });

  test('takes an event’s JSON text too', () => {
    const texts = [...events.slice(0, 2).map((event) => JSON.stringify(event)), '[DONE]'];
    expect(readEvents('openai-chat', texts).calls[0]).toMatchObject({ finished: false });
    expect(
      readEvents('openai-chat', [...texts.slice(0, 2), JSON.stringify(events[2])]).calls,
    ).toEqual(readEvents('openai-chat', events).calls);
  });

  test('objects of classes, with getters, and without what is undefined', () => {
    class Chunk {
      readonly choices: unknown;
      readonly id = undefined;
      constructor(event: object) {
        this.choices = (event as { choices: unknown }).choices;
      }
      get extra(): never {
        throw new Error('a getter of the prototype is no field');
      }
    }
    expect(
      readEvents(
        'openai-chat',
        events.map((event) => new Chunk(event)),
      ).calls,
    ).toEqual(readEvents('openai-chat', events).calls);
  });

  test('half pairs in strings join across events', () => {
    const halves = ['{"a":"\ud83d', '\ude00"}'].map((text) =>
      chatChunk([entry(0, { id: 'a', name: 'f', text })]),
    );
    expect(readEvents('openai-chat', [...halves, '[DONE]']).calls[0]?.outcome).toMatchObject({
      value: { a: '😀' },
    });
  });

  test('a long event crosses in pieces', () => {
    const text = JSON.stringify({ a: 'é'.repeat(100_000) });
    const long = [chatChunk([entry(0, { id: 'a', name: 'f', text })], 'tool_calls')];
    const { calls } = readEvents('openai-chat', long);
    expect(calls[0]?.text).toBe(text);
    expect(calls[0]?.outcome?.status).toBe('accepted');
  });

  test('refuses what is no event', () => {
    const assembler = createToolCallAssembler('openai-chat');
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const event of [undefined, null, 1, true, 1n, Symbol('x'), () => 1, cycle, { n: 1n }]) {
      expect(() => assembler.feed(event)).toThrow(TypeError);
    }
    for (const event of [[], {}, 'no JSON', '', '[1', new Map(), Buffer.from('x')]) {
      expect(assembler.feed(event)).toEqual([]);
    }
    assembler.flush();
    expect(() => assembler.feed({})).toThrow(/ended/);
    assembler[Symbol.dispose]();
    expect(() => assembler.finish()).toThrow(/disposed/);
  });
});
