// What public bug reports describe, rewritten as events: what each must give.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import type { WireFormat } from '../../src/wire/index.js';
import { chatChunk, entry, readBytes, readEvents, streamOf } from '../support/wire.js';

interface Row {
  readonly id: string;
  readonly wire: string;
  readonly kind: string;
  readonly title: string;
  readonly input_form: string;
  readonly input: readonly unknown[];
  readonly input_finish?: string;
  readonly default: {
    readonly status?: string;
    readonly kind?: string;
    readonly value?: unknown;
    readonly calls?: readonly {
      readonly id: string;
      readonly name: string;
      readonly finished: boolean;
      readonly outcome: { readonly status: string; readonly value?: unknown };
    }[];
  };
}

const formats: Readonly<Record<string, WireFormat>> = {
  'openai-chat': 'openai-chat',
  anthropic: 'anthropic-messages',
  responses: 'openai-responses',
};

const rows = readFileSync(new URL('../../fixtures/cases/reports.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const withEvents = rows.filter(({ input_form }) => input_form === 'events');
const withFragments = rows.filter(({ input_form }) => input_form === 'fragments');

test('there are rows of every kind that a wire shows', () => {
  const kinds = new Set([...withEvents, ...withFragments].map(({ kind }) => kind));
  for (const kind of ['index-missing', 'id-missing', 'duplicate', 'truncated', 'split-surrogate']) {
    expect(kinds).toContain(kind);
  }
});

describe.each(withEvents)('$id $kind: $title', ({ wire, input, default: wanted }) => {
  const format = formats[wire]!;

  test.each(['bytes', 'objects'])('as %s', (form) => {
    const { calls } =
      form === 'bytes' ? readBytes(format, [streamOf(...input)]) : readEvents(format, input);
    const expected = wanted.calls ?? [];
    expect(calls).toHaveLength(expected.length);
    for (const [place, call] of expected.entries()) {
      const id = call.id === '*' ? expect.stringMatching(/^(?:call|toolu)_/) : call.id;
      expect(calls[place]).toMatchObject({ ...call, id });
    }
  });
});

describe.each(withFragments)('$id $kind: $title', ({ input, input_finish, default: wanted }) => {
  test.each(['bytes', 'objects'])('as %s', (form) => {
    const events = [
      chatChunk([entry(0, { id: 'call_1', name: 'tool', text: '' })]),
      ...input.map((text) => chatChunk([entry(0, { text: text as string })])),
      chatChunk([], input_finish ?? 'tool_calls'),
    ];
    const { calls } =
      form === 'bytes'
        ? readBytes('openai-chat', [streamOf(...events)])
        : readEvents('openai-chat', events);
    expect(calls[0]?.outcome).toMatchObject(wanted);
  });
});
