// Opt-in repairs on texts that need none: what asking for them costs.

import assert from 'node:assert/strict';

import { createGate, parseToolArguments } from './argspan.js';
import { required } from './fixtures.js';
import { schemaOf } from './gate.js';
import type { Effort } from './race.js';
import type { Row, Section } from './results.js';
import { compare } from './whole.js';

export const repairSections: readonly Section[] = [
  {
    id: 'repairs',
    title: 'Valid text with every repair asked for, as a share of the time with none',
    note: 'The rule and the schema come first, and what they accept is not touched.',
  },
];

const textRepairs = [
  'unique-object',
  'repeated-copies',
  'control-characters',
  'literal-backslashes',
  'extra-closers',
] as const;

const target = { must: 1.05, aim: 1.02 };

/** `parseToolArguments` and `decide` on the texts of the requirements. */
export async function* repairs(effort: Effort): AsyncGenerator<Row> {
  const all = { repairs: textRepairs };
  const none = { repairs: [] };
  const pair = { section: 'repairs', rival: 'with none', reading: 'share', target } as const;
  for (const { texts, title } of Object.values(required)) {
    for (const text of texts) {
      const outcome = parseToolArguments('write', text, all);
      assert.deepEqual(outcome, parseToolArguments('write', text));
      assert.ok(outcome.status === 'accepted' && outcome.repair === 'none');
    }
    yield await compare(
      { ...pair, what: `\`parseToolArguments(string)\`, ${title}` },
      texts,
      (text) => parseToolArguments('write', text, all),
      (text) => parseToolArguments('write', text, none),
      effort,
    );
  }
  for (const fixture of Object.values(required)) {
    const tools = [{ name: 'write', parameters: schemaOf(fixture) }];
    const gate = createGate(tools, {
      repairs: [...textRepairs, 'nested-json', 'lossless-coerce'],
    });
    const strict = createGate(tools);
    const calls = fixture.texts.map((text) => ({ id: 'call_1', name: 'write', arguments: text }));
    for (const call of calls) {
      assert.deepEqual(gate.decide(call), strict.decide(call));
    }
    yield await compare(
      { ...pair, what: `\`gate.decide(call)\`, ${fixture.title}` },
      calls,
      (call) => gate.decide(call),
      (call) => strict.decide(call),
      effort,
    );
  }
}
