// What a stream says, when, and where its limits are.

import { describe, expect, test } from 'vitest';

import { createToolCallStream } from '../../src/wire/index.js';
import type { ToolCallEvent, WireFormat } from '../../src/wire/index.js';
import {
  chatChunk,
  entry,
  eventOf,
  inChunks,
  readBytes,
  readEvents,
  sampleOf,
  streamOf,
} from '../support/wire.js';

/** Events in short: `start 0 name`, `verdict 0 complete`, `finish 0 true`, `error code`. */
function short(events: readonly ToolCallEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case 'start':
        return `start ${event.index} ${event.name}`;
      case 'fragment':
        return `fragment ${event.index} ${event.text}`;
      case 'verdict':
        return `verdict ${event.index} ${event.verdict}`;
      case 'finish':
        return `finish ${event.call.index} ${event.call.finished}`;
      case 'error':
        return `error ${event.error.code}`;
      default:
        return event satisfies never;
    }
  });
}

/** Feeds events one by one; what each brought. */
function live(format: WireFormat, events: readonly unknown[], options = {}): string[][] {
  const stream = createToolCallStream(format, options);
  const told = events.map((event) => short(stream.feed(streamOf(event))));
  return [...told, short(stream.flush())];
}

const start = entry(0, { id: 'call_1', name: 'read', text: '' });
const chat = (...texts: string[]) => texts.map((text) => chatChunk([entry(0, { text })]));

describe('chat completions, live', () => {
  test('start waits for the first text, finish for the finish reason (guarantee 7)', () => {
    const events = [
      chatChunk([start]),
      ...chat('{"a"', ':1}'),
      chatChunk([], 'tool_calls'),
      '[DONE]',
    ];
    expect(live('openai-chat', events)).toEqual([
      [],
      ['start 0 read'],
      ['verdict 0 complete'],
      ['finish 0 true'],
      [],
      [],
    ]);
  });

  test('a hopeless call is told at once, and so the stream can be aborted', () => {
    const told = live('openai-chat', [chatChunk([start]), ...chat('{"a": tru', 'th', 'ful}')]);
    expect(told).toEqual([[], ['start 0 read'], ['verdict 0 malformed'], [], ['finish 0 false']]);
  });

  test('[DONE] without a finish reason is a normal end', () => {
    const events = [chatChunk([start]), ...chat('{}'), '[DONE]'];
    expect(live('openai-chat', events).flat()).toContain('finish 0 true');
  });

  test('an earlier call is finished by a later one only at the end of the stream', () => {
    const events = [
      chatChunk([start]),
      ...chat('{"a":1}'),
      chatChunk([entry(1, { id: 'call_2', name: 'write', text: '{"b"' })]),
    ];
    expect(live('openai-chat', events)).toEqual([
      [],
      ['start 0 read', 'verdict 0 complete'],
      ['start 1 write'],
      ['finish 0 true', 'finish 1 false'],
    ]);
  });

  test('a place without anything in it ends no call (guarantee 7)', () => {
    const events = [chatChunk([start]), ...chat('{"a":1}'), chatChunk([entry(1, {})])];
    expect(live('openai-chat', events).flat()).toContain('finish 0 false');
  });

  test.each<[what: string, events: object[]]>([
    [
      'an id behind the verdict',
      [chatChunk([entry(0, { name: 'f', text: '{}' })]), chatChunk([entry(0, { id: 'late' })])],
    ],
    [
      'a name behind the verdict',
      [chatChunk([entry(0, { id: 'a', text: '}' })]), chatChunk([entry(0, { name: 'late' })])],
    ],
    [
      'an index behind the end',
      [
        chatChunk([entry(null, { id: 'a', name: 'f', text: '{}' })], 'stop'),
        chatChunk([entry(7, { id: 'a', text: '' })]),
      ],
    ],
  ])('%s says the same however it is cut (guarantee 1)', (_what, events) => {
    const bytes = streamOf(...events, '[DONE]');
    const [whole, ...cut] = [bytes.length, 100, 1].map((size) => {
      const { events: told, calls } = readBytes('openai-chat', inChunks(bytes, size));
      const begun = told.find(({ type }) => type === 'start');
      expect(begun).toMatchObject({ id: calls[0]?.id });
      return JSON.stringify([told, calls]).replaceAll(/call_\w{24}/g, 'minted');
    });
    expect(cut).toEqual([whole, whole]);
  });

  test('choices are kept apart, and ordered', () => {
    const events = [
      chatChunk([entry(0, { id: 'b', name: 'two', text: '{}' })], null, 1),
      chatChunk([entry(0, { id: 'a', name: 'one', text: '{}' })], null, 0),
      chatChunk([], 'tool_calls', 1),
      chatChunk([], 'length', 0),
    ];
    const { calls } = readBytes('openai-chat', [streamOf(...events)]);
    expect(calls.map(({ choice, id, finished }) => [choice, id, finished])).toEqual([
      [0, 'a', false],
      [1, 'b', true],
    ]);
  });

  test('several nameless entries of an array go to the calls in their order', () => {
    const events = [
      chatChunk([entry(null, { id: 'a', name: 'one' }), entry(null, { id: 'b', name: 'two' })]),
      chatChunk([entry(null, { text: '{"x":' }), entry(null, { text: '{"y":' })]),
      chatChunk([entry(null, { text: '1}' }), entry(null, { text: '2}' })], 'tool_calls'),
    ];
    const { calls } = readBytes('openai-chat', [streamOf(...events)]);
    expect(calls.map(({ text }) => text)).toEqual(['{"x":1}', '{"y":2}']);
  });

  test('the same id at a new index with a name is a new call', () => {
    const events = [
      chatChunk([entry(0, { id: 'x', name: 'one', text: '{"a":1}' })]),
      chatChunk([entry(1, { id: 'x', name: 'one', text: '{"a":2}' })], 'tool_calls'),
    ];
    expect(readBytes('openai-chat', [streamOf(...events)]).calls).toHaveLength(2);
  });

  test('a second object for one call is reported, never dropped', () => {
    const events = [chatChunk([start]), ...chat('{"a":1}', '{"b":2}'), chatChunk([], 'tool_calls')];
    const [call] = readBytes('openai-chat', [streamOf(...events)]).calls;
    expect(call).toMatchObject({
      text: '{"a":1}{"b":2}',
      finished: true,
      outcome: { status: 'reported', kind: 'malformed' },
    });
  });

  test('arguments as an object have their source text where bytes were seen', () => {
    const event =
      '{"choices":[{"delta":{"tool_calls":[{"id":7,"function":{"name":"f","arguments":{ "a" : 1.0, "b c": "x y" }}}]},"finish_reason":"tool_calls"}]}';
    const [call] = readBytes('openai-chat', [Buffer.from(eventOf(event))]).calls;
    expect(call).toMatchObject({ id: '7', text: '{"a":1.0,"b c":"x y"}' });
    const [same] = readEvents('openai-chat', [JSON.parse(event)]).calls;
    expect(same).toMatchObject({ id: '7', text: '{"a":1,"b c":"x y"}' });
  });

  test('a custom call is not read as arguments', () => {
    const custom = { index: 0, id: 'c', type: 'custom', custom: { name: 'sh', input: 'ls {' } };
    const { events, calls } = readBytes('openai-chat', [
      streamOf(chatChunk([custom], 'tool_calls')),
    ]);
    expect(calls[0]).toMatchObject({ kind: 'custom', text: 'ls {', finished: true, outcome: null });
    expect(events.map(({ type }) => type)).toEqual(['start', 'finish']);
  });
});

describe('messages, live', () => {
  const begin = (index: number, id: string, name = 'read') => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id, name, input: {} },
  });
  const part = (index: number, partial_json: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json },
  });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  const end = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason } });

  test('a whole text finishes with its block, an empty one with the stop reason', () => {
    const events = [
      begin(0, 'a'),
      part(0, '{"a":1}'),
      stop(0),
      begin(1, 'b'),
      stop(1),
      end('tool_use'),
    ];
    expect(live('anthropic-messages', events)).toEqual([
      ['start 0 read'],
      ['verdict 0 complete'],
      ['finish 0 true'],
      ['start 1 read'],
      [],
      ['finish 1 true'],
      [],
    ]);
  });

  test('a text that was cut waits for the true reason', () => {
    const events = [begin(0, 'a'), part(0, '{"a":'), stop(0), end('max_tokens')];
    const { calls } = readBytes('anthropic-messages', [streamOf(...events)]);
    expect(calls[0]).toMatchObject({ finished: false, stopReason: 'max_tokens' });
    expect(calls[0]?.outcome).toMatchObject({ kind: 'truncated' });
    expect(calls[0]?.outcome).toHaveProperty(
      'message',
      expect.stringContaining('Make a smaller call that fits the limit.'),
    );
  });

  test('a block without an end keeps what max_tokens cut, also where the text is whole', () => {
    const events = [begin(0, 'a'), part(0, '{"a":1}'), end('max_tokens')];
    const [call] = readBytes('anthropic-messages', [streamOf(...events)]).calls;
    expect(call).toMatchObject({ finished: false, text: '{"a":1}' });
    expect(call?.outcome).toMatchObject({
      kind: 'truncated',
      reason: 'the output was cut off by the token limit',
      replay: '{"a":1}',
    });
    const [trusted] = readBytes('anthropic-messages', [streamOf(...events)], {
      stopPolicy: 'text',
    }).calls;
    expect(trusted).toMatchObject({ finished: true, outcome: { status: 'accepted' } });
  });

  test('a fragment for a block that never opened goes to the only open one', () => {
    const events = [begin(3, 'a'), part(0, '{"a":1}'), end('tool_use')];
    expect(readBytes('anthropic-messages', [streamOf(...events)]).calls[0]).toMatchObject({
      text: '{"a":1}',
      finished: true,
    });
  });

  test('where a fragment was lost no call without text may finish', () => {
    const events = [part(0, '{"a":1}'), begin(3, 'a'), end('tool_use')];
    expect(readBytes('anthropic-messages', [streamOf(...events)]).calls[0]).toMatchObject({
      text: '',
      finished: false,
    });
  });

  test('another message begins its blocks anew', () => {
    const message = (id: string) => ({ type: 'message_start', message: { id, content: [] } });
    const events = [
      message('m1'),
      begin(0, 'a'),
      part(0, '{"a":'),
      message('m2'),
      begin(0, 'b'),
      part(0, '{"b":1}'),
      stop(0),
      end('tool_use'),
    ];
    const { calls } = readBytes('anthropic-messages', [streamOf(...events)]);
    expect(calls.map(({ id, text, finished }) => [id, text, finished])).toEqual([
      ['a', '{"a":', false],
      ['b', '{"b":1}', true],
    ]);
  });

  test('input in the start counts only where no fragment comes', () => {
    const block = { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } };
    const started = { type: 'content_block_start', index: 0, content_block: block };
    const [alone] = readBytes('anthropic-messages', [streamOf(started, stop(0))]).calls;
    expect(alone).toMatchObject({ text: '{"a":1}', finished: true });
    const [both] = readBytes('anthropic-messages', [
      streamOf(started, part(0, '{"a":2}'), stop(0)),
    ]).calls;
    expect(both).toMatchObject({ text: '{"a":2}', rawText: '{"a":2}', finished: true });
  });
});

describe('responses, live', () => {
  const item = (fields: object) => ({
    type: 'function_call',
    id: 'fc',
    call_id: 'c',
    name: 'f',
    ...fields,
  });
  const added = (fields = {}) => ({
    type: 'response.output_item.added',
    output_index: 0,
    item: item({ arguments: '', ...fields }),
  });
  const delta = (text: string) => ({
    type: 'response.function_call_arguments.delta',
    item_id: 'fc',
    output_index: 0,
    delta: text,
  });
  const done = (fields: object) => ({
    type: 'response.output_item.done',
    output_index: 0,
    item: item(fields),
  });
  const completed = { type: 'response.completed', response: { status: 'completed', output: [] } };

  test('a call finishes with its item', () => {
    const events = [
      added(),
      delta('{"a"'),
      delta(':1}'),
      done({ arguments: '{"a":1}' }),
      completed,
    ];
    expect(live('openai-responses', events)).toEqual([
      ['start 0 f'],
      [],
      ['verdict 0 complete'],
      ['finish 0 true'],
      [],
      [],
    ]);
  });

  test('an item that is incomplete is not finished, also where its text is whole', () => {
    const incomplete = {
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'content_filter' } },
    };
    const events = [added(), done({ arguments: '{"a":1}', status: 'incomplete' }), incomplete];
    const [call] = readBytes('openai-responses', [streamOf(...events)]).calls;
    expect(call).toMatchObject({ finished: false, stopReason: 'content_filter' });
    expect(call?.outcome).toMatchObject({ kind: 'truncated' });
  });

  test('the text of the done item wins over the fragments', () => {
    const events = [added(), delta('{"a":0'), done({ arguments: '{"a":1}' }), completed];
    expect(readBytes('openai-responses', [streamOf(...events)]).calls[0]).toMatchObject({
      text: '{"a":1}',
      finished: true,
    });
  });

  test('an empty text needs the completed response', () => {
    const events = [added(), done({ arguments: '' })];
    expect(readBytes('openai-responses', [streamOf(...events)]).calls[0]?.finished).toBe(false);
    const [call] = readBytes('openai-responses', [streamOf(...events, completed)]).calls;
    expect(call).toMatchObject({
      finished: true,
      outcome: { status: 'accepted', repair: 'empty' },
    });
  });

  test('an error that comes twice is told once', () => {
    const error = { type: 'server_error', code: 'boom', message: 'it broke' };
    const failed = { type: 'response.failed', response: { error } };
    const { events, calls } = readBytes('openai-responses', [
      streamOf(added(), delta('{"a":1}'), { type: 'error', error }, failed),
    ]);
    expect(events.filter(({ type }) => type === 'error')).toEqual([
      { type: 'error', error: { code: 'boom', type: 'server_error', message: 'it broke' } },
    ]);
    expect(calls[0]).toMatchObject({ finished: false, stopReason: 'failed' });
  });

  test('searches that the server runs are no calls', () => {
    const search = { type: 'custom_tool_call', call_id: 'xs_call_1', name: 'x_search', input: '' };
    const event = { type: 'response.output_item.done', output_index: 0, item: search };
    expect(readBytes('openai-responses', [streamOf(event, completed)]).calls).toEqual([]);
  });

  test('free text of a custom call is never read as JSON', () => {
    const custom = {
      type: 'custom_tool_call',
      id: 'ct',
      call_id: 'c',
      name: 'patch',
      input: '*** {',
    };
    const event = { type: 'response.output_item.done', output_index: 0, item: custom };
    const { calls } = readBytes('openai-responses', [streamOf(event)]);
    expect(calls[0]).toMatchObject({
      kind: 'custom',
      text: '*** {',
      finished: true,
      outcome: null,
    });
  });
});

describe('the stream', () => {
  test('answers with one shared empty array where nothing happened', () => {
    const stream = createToolCallStream('openai-chat');
    const first = stream.feed(Buffer.from(': ping\n\n'));
    expect(first).toHaveLength(0);
    expect(stream.feed(streamOf(chatChunk([start])))).toBe(first);
    expect(createToolCallStream('openai-chat').feed(new Uint8Array())).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
  });

  test('fragments come only where asked for, behind the start, and join to the text', () => {
    const { bytes } = sampleOf('openai-chat/name_late.sse');
    const { events, calls } = readBytes('openai-chat', inChunks(bytes, 5), { fragments: true });
    expect(events[0]?.type).toBe('start');
    const texts = events.flatMap((event) => (event.type === 'fragment' ? [event.text] : []));
    expect(texts.join('')).toBe(calls[0]?.text);
  });

  test('flush is idempotent, finish may be called again, feeding afterwards is misuse', () => {
    const stream = createToolCallStream('openai-chat');
    stream.feed(streamOf(chatChunk([start]), ...chat('{}')));
    expect(short(stream.flush())).toEqual(['finish 0 false']);
    expect(stream.flush()).toEqual([]);
    expect(stream.finish()).toEqual(stream.finish());
    expect(() => stream.feed(Buffer.from('x'))).toThrow(TypeError);
  });

  test('every member throws after disposal', () => {
    const stream = createToolCallStream('openai-chat');
    stream[Symbol.dispose]();
    stream[Symbol.dispose]();
    for (const use of [
      () => stream.feed(Buffer.from('x')),
      () => stream.flush(),
      () => stream.finish(),
    ]) {
      expect(use).toThrow(/disposed/);
    }
  });

  test('refuses what is no chunk, format or option', () => {
    const stream = createToolCallStream('openai-chat');
    for (const chunk of [
      'text',
      null,
      undefined,
      1,
      [1],
      {},
      new ArrayBuffer(1),
      new Uint16Array(1),
    ]) {
      expect(() => stream.feed(chunk as never)).toThrow(TypeError);
    }
    expect(() => stream.feed(new Uint8Array(new SharedArrayBuffer(1)))).toThrow(/shared/);
    expect(() => createToolCallStream('openai' as never)).toThrow(RangeError);
    expect(() => createToolCallStream(1 as never)).toThrow(TypeError);
    for (const options of [
      null,
      1,
      { maxCalls: -1 },
      { maxCalls: '1' },
      { keepText: 1 },
      { stopPolicy: 'x' },
      { stopPolicy: 1 },
    ]) {
      expect(() => createToolCallStream('auto', options as never)).toThrow(/options/);
    }
  });

  test('spans and offsets count in the text as it is handed out', () => {
    const text = 'héllo 🎉 {"a": 1}';
    const events = [chatChunk([entry(0, { id: 'c', name: 'f', text })]), '[DONE]'];
    const { events: told, calls } = readBytes('openai-chat', [streamOf(...events)]);
    const { outcome } = calls[0]!;
    expect(outcome).toMatchObject({ status: 'accepted', repair: 'prose' });
    const span = outcome?.status === 'accepted' ? outcome.span : null;
    expect(calls[0]!.text.slice(span!.start, span!.end)).toBe('{"a": 1}');
    expect(told.find(({ type }) => type === 'verdict')).toMatchObject({ span });
  });

  test('invalid UTF-8 in an argument is that call’s report', () => {
    const good = eventOf(chatChunk([entry(0, { id: 'c', name: 'f', text: '{"a":"é"}' })]));
    const bytes = Buffer.from(good).map((byte) => (byte === 0xc3 ? 0xff : byte));
    const { calls } = readBytes('openai-chat', [bytes, Buffer.from('data: [DONE]\n\n')]);
    expect(calls[0]?.outcome).toMatchObject({ status: 'reported', kind: 'invalid-utf8' });
  });

  test('halves of a pair in the outer escapes join across fragments', () => {
    const { calls } = readBytes('openai-chat', [
      streamOf(chatChunk([start]), ...chat('{"a":"\ud83d', '\ude00"}'), '[DONE]'),
    ]);
    expect(calls[0]?.outcome).toMatchObject({ status: 'accepted', value: { a: '😀' } });
  });

  test('a JSON body is understood where a stream was asked for', () => {
    const { bytes } = sampleOf('openai-chat/non_stream_leading_blank_lines.json');
    const { events, calls } = readBytes('auto', inChunks(bytes, 3));
    expect(short(events)).toEqual(['start 0 get_tide', 'verdict 0 complete', 'finish 0 true']);
    expect(calls).toHaveLength(1);
  });

  test('a byte-order mark is dropped, whole or cut', () => {
    const bytes = Buffer.concat([Buffer.from('\u{feff}'), streamOf(chatChunk([start]), '[DONE]')]);
    expect(readBytes('openai-chat', inChunks(bytes, 1)).calls).toHaveLength(1);
    expect(readBytes('openai-chat', [bytes]).calls).toHaveLength(1);
  });

  test('an encoded body gives one error event', () => {
    const gzip = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]);
    for (const chunks of [[gzip, gzip], inChunks(gzip, 1)]) {
      const { events, calls } = readBytes('auto', chunks);
      expect(short(events)).toEqual(['error encoded-body']);
      expect(calls).toEqual([]);
    }
  });
});

describe('limits', () => {
  const call = (index: number, text = '{}') => entry(index, { id: `c${index}`, name: 'f', text });

  test('maxCalls: one error event, and what lies beyond belongs to nobody', () => {
    const events = [0, 1, 2, 3].map((index) => chatChunk([call(index)]));
    const { events: told, calls } = readBytes('openai-chat', [streamOf(...events, '[DONE]')], {
      maxCalls: 2,
    });
    expect(calls).toHaveLength(2);
    expect(short(told).filter((line) => line.startsWith('error'))).toEqual([
      'error too-many-calls',
    ]);
    const nameless = [
      chatChunk([entry(null, { id: 'a', name: 'f', text: '{}' })]),
      chatChunk([entry(null, { id: 'b', name: 'g', text: '{}' })]),
      chatChunk([entry(null, { text: '{"x":1}' })]),
      '[DONE]',
    ];
    const one = readBytes('openai-chat', [streamOf(...nameless)], { maxCalls: 1 });
    expect(one.calls.map(({ text }) => text)).toEqual(['{}']);
  });

  test('maxArgumentBytes: a report', () => {
    const events = [chatChunk([call(0, `{"a":"${'x'.repeat(100)}"}`)]), '[DONE]'];
    const { events: told, calls } = readBytes('openai-chat', [streamOf(...events)], {
      maxArgumentBytes: 50,
    });
    expect(calls[0]?.outcome).toMatchObject({ kind: 'too-large', reason: 'more than 50 bytes' });
    expect(short(told)).toContain('verdict 0 malformed');
    expect(calls[0]?.text.length).toBeLessThanOrEqual(50);
  });

  test('maxTotalBytes: one error event, and reports for the calls that lost text', () => {
    const events = [
      chatChunk([call(0, '{"a":1}')]),
      chatChunk([call(1, '{"b":2}')]),
      chatChunk([call(2, '{"c":3}')]),
      '[DONE]',
    ];
    const { events: told, calls } = readBytes('openai-chat', [streamOf(...events)], {
      maxTotalBytes: 10,
    });
    expect(short(told).filter((line) => line.startsWith('error'))).toEqual([
      'error total-too-large',
    ]);
    expect(calls.map(({ outcome }) => outcome?.status)).toEqual([
      'accepted',
      'reported',
      'reported',
    ]);
    expect(calls[1]?.outcome).toMatchObject({ kind: 'too-large', reason: 'more than 10 bytes' });
  });

  test('maxEventBytes: an error event, and no open call can finish without what was dropped', () => {
    const events = streamOf(
      chatChunk([call(0, '')]),
      chatChunk([entry(0, { text: `{"a":"${'x'.repeat(1000)}"}` })]),
      chatChunk([call(1, '{"b":1}')]),
      '[DONE]',
    );
    for (const chunks of [[events], inChunks(events, 1), inChunks(events, 64)]) {
      const { events: told, calls } = readBytes('openai-chat', chunks, { maxEventBytes: 500 });
      expect(short(told).filter((line) => line.startsWith('error'))).toEqual([
        'error event-too-large',
      ]);
      expect(calls.map(({ finished }) => finished)).toEqual([false, true]);
    }
  });

  test('maxNameBytes: an error event and a report', () => {
    const events = [
      chatChunk([entry(0, { id: 'i'.repeat(300), name: 'n'.repeat(300), text: '{}' })]),
      '[DONE]',
    ];
    const { events: told, calls } = readBytes('openai-chat', [streamOf(...events)]);
    expect(short(told).filter((line) => line.startsWith('error'))).toEqual([
      'error name-too-large',
    ]);
    expect(calls[0]?.name).toHaveLength(256);
    expect(calls[0]?.outcome).toMatchObject({ kind: 'too-large', reason: 'more than 256 bytes' });
  });

  test.each([-1, 1.5, 4_294_967_295, 1e300, 99_999_999_999])(
    'an index of %d counts as absent',
    (index) => {
      const events = [chatChunk([call(index)]), '[DONE]'];
      const { events: told, calls } = readBytes('openai-chat', [streamOf(...events)]);
      expect(short(told)[0]).toBe('error bad-index');
      expect(calls[0]).toMatchObject({ wireIndex: null, finished: true });
    },
  );

  test('echoLimit and stopHint reach the reports', () => {
    const events = streamOf(chatChunk([call(0, '{"a": [1')], 'length'));
    const [quiet] = readBytes('openai-chat', [events], { echoLimit: 0, stopHint: false }).calls;
    expect(quiet?.outcome).toHaveProperty(
      'message',
      expect.not.stringMatching(/Received|Nothing was run/),
    );
    const [short_] = readBytes('openai-chat', [events], { echoLimit: 3, keepText: false }).calls;
    expect(short_?.outcome).toHaveProperty('echo', '{"a');
  });

  test('without kept text an accepted outcome has no value to run', () => {
    const { calls } = readBytes('openai-chat', [streamOf(chatChunk([call(0)]), '[DONE]')], {
      keepText: false,
    });
    const { outcome } = calls[0]!;
    expect(outcome).toMatchObject({ status: 'accepted', text: '', repair: 'none' });
    expect(() => outcome?.status === 'accepted' && outcome.value).toThrow(TypeError);
    expect(JSON.parse(JSON.stringify(outcome))).not.toHaveProperty('value');
  });
});
