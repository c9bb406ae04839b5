// Every sample of the three formats, in every way of feeding it.

import { describe, expect, test } from 'vitest';

import { toolCallsFromBody } from '../../src/wire/index.js';
import type { ToolCall } from '../../src/wire/index.js';
import {
  type Expected,
  type Read,
  inChunks,
  inRandomChunks,
  objectsOf,
  readBytes,
  readEvents,
  samples,
} from '../support/wire.js';

/** A call without what may differ: an id that was made up. */
function plain(calls: readonly ToolCall[], { calls: expected }: Expected): unknown[] {
  return calls.map((call, place) =>
    expected[place]?.id === null ? { ...call, id: 'minted' } : call,
  );
}

function check({ events, calls }: Read, expected: Expected): void {
  expect(calls.length).toBe(expected.calls.length);
  for (const [place, wanted] of expected.calls.entries()) {
    const call = calls[place]!;
    expect(call).toMatchObject({
      choice: wanted.choice ?? 0,
      wireIndex: wanted.wireIndex,
      name: wanted.name,
      kind: wanted.kind ?? 'function',
      text: wanted.argumentsText,
      rawText: wanted.rawText ?? wanted.argumentsText,
      finished: wanted.finished,
      stopReason: wanted.stopReason,
      assembly: wanted.assembly ?? 'plain',
    });
    if (wanted.id === null) {
      expect(call.id).toMatch(/^(?:call|toolu)_[A-Za-z\d]{24}$/);
    } else {
      expect(call.id).toBe(wanted.id);
    }
    checkOutcome(call, wanted);
    expect(
      events.filter((event) => event.type === 'finish' && event.call.id === call.id),
    ).toHaveLength(1);
  }
  const errors = events.filter((event) => event.type === 'error');
  expect(errors).toHaveLength(expected.error === undefined ? 0 : 1);
  if (expected.error !== undefined) {
    expect(errors[0]!.error).toMatchObject(expected.error);
  }
}

function checkOutcome(call: ToolCall, wanted: Expected['calls'][number]): void {
  if (call.kind !== 'function') {
    expect(call.outcome).toBeNull();
    return;
  }
  expect(call.outcome?.status).toBe(call.finished ? 'accepted' : 'reported');
  if (call.outcome?.status === 'accepted' && wanted.parsed !== undefined) {
    expect(call.outcome.value).toEqual(wanted.parsed);
  }
  if (call.outcome?.status === 'reported') {
    expect(call.outcome.kind).toBe('truncated');
  }
}

test('all samples are here', () => {
  expect(samples.length).toBeGreaterThanOrEqual(80);
});

describe.each(samples)('$name', ({ name, bytes, expected }) => {
  const { format } = expected;
  const whole = readBytes(format, [bytes]);

  test('gives the expected calls', () => {
    check(whole, expected);
  });

  test('gives the same calls and events however it is cut (guarantee 1)', () => {
    const wanted = plain(whole.calls, expected);
    const kinds = whole.events.map(({ type }) => type);
    const cuttings = [1, 2, 3, 7, 64].map((size) => inChunks(bytes, size));
    cuttings.push(...[1, 2, 3, 4, 5].map((seed) => inRandomChunks(bytes, seed)));
    for (const chunks of cuttings) {
      const read = readBytes(format, chunks);
      expect(plain(read.calls, expected)).toEqual(wanted);
      expect(read.events.map(({ type }) => type)).toEqual(kinds);
    }
  });

  test('tells its format', () => {
    expect(plain(readBytes('auto', [bytes]).calls, expected)).toEqual(plain(whole.calls, expected));
  });

  test('gives the same calls as event objects (guarantee 2)', () => {
    if (name.endsWith('.json')) {
      const calls = toolCallsFromBody(format, objectsOf(bytes)[0]);
      expect(plain(calls, expected)).toEqual(plain(whole.calls, expected));
      expect(plain(toolCallsFromBody(format, bytes), expected)).toEqual(plain(calls, expected));
      expect(plain(toolCallsFromBody(format, bytes.toString()), expected)).toEqual(
        plain(calls, expected),
      );
      return;
    }
    const read = readEvents(format, objectsOf(bytes));
    expect(plain(read.calls, expected)).toEqual(plain(whole.calls, expected));
  });

  test('keeps nothing of the text where it need not', () => {
    const { calls } = readBytes(format, inChunks(bytes, 9), { keepText: false });
    for (const [place, call] of calls.entries()) {
      const kept = whole.calls[place]!;
      expect(call.text + call.rawText).toBe('');
      if (kept.assembly === 'plain') {
        expect(call.outcome?.status).toBe(kept.outcome?.status);
        expect(call.finished).toBe(kept.finished);
        if (call.outcome?.status === 'reported' && kept.outcome?.status === 'reported') {
          expect(call.outcome.message).toBe(kept.outcome.message);
        }
      }
    }
  });
});
