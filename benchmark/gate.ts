// The gate: `decide` beside `JSON.parse` and the compiled validator on the same call.

import assert from 'node:assert/strict';

import { Ajv2020 } from 'ajv/dist/2020.js';

import { createGate } from './argspan.js';
import { type Fixture, required } from './fixtures.js';
import type { Effort } from './race.js';
import type { Row, Section } from './results.js';
import { compare } from './whole.js';

export const gateSections: readonly Section[] = [
  {
    id: 'gate',
    title:
      "`gate.decide(call)`, findings off, as a share of `JSON.parse`'s and the validator's time",
    note: 'The validator is ajv on the same schema; the gate asks it too, and reads by the exact rule.',
  },
  {
    id: 'gate-findings',
    title:
      "`gate.decide(call)`, findings on, as a share of `JSON.parse`'s and the validator's time",
    note: 'The text is looked into while it is read.',
  },
];

const types: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
};

/** A schema as one would write it for these texts: all members known, the common ones required. */
export function schemaOf({ texts }: Fixture) {
  const values = texts.map((text) => JSON.parse(text) as Record<string, unknown>);
  const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
  const properties = keys.map((key) => {
    const known = new Set(
      values
        .filter((value) => Object.hasOwn(value, key))
        .map(
          (value) => types[typeof value[key]] ?? (Array.isArray(value[key]) ? 'array' : 'object'),
        ),
    );
    return [key, { type: [...known] }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: keys.filter((key) => values.every((value) => Object.hasOwn(value, key))),
    additionalProperties: false,
  };
}

/** `decide` on the texts of the requirements. */
export async function* gateCalls(effort: Effort): AsyncGenerator<Row> {
  for (const { id: section } of gateSections) {
    const findings = section === 'gate-findings';
    for (const fixture of Object.values(required)) {
      const parameters = schemaOf(fixture);
      const gate = createGate([{ name: 'write', parameters }], { findings });
      const validate = new Ajv2020({ strict: false }).compile(parameters);
      const calls = fixture.texts.map((text) => ({ id: 'call_1', name: 'write', arguments: text }));
      for (const call of calls) {
        const decision = gate.decide(call);
        assert.ok(decision.action === 'run', 'the call must run');
        assert.deepEqual(decision.arguments, JSON.parse(call.arguments));
        assert.ok(validate(JSON.parse(call.arguments)));
      }
      const small = fixture.bytes === 32;
      const must = small ? (findings ? 2.8 : 2.2) : findings ? 2.2 : 1.7;
      yield await compare(
        {
          section,
          what: fixture.title,
          rival: '`JSON.parse` + ajv',
          reading: 'share',
          target: { must, aim: must * 0.8 },
        },
        calls,
        (call) => gate.decide(call),
        (call) => {
          const value: unknown = JSON.parse(call.arguments);
          return validate(value) ? value : null;
        },
        effort,
      );
    }
  }
}
