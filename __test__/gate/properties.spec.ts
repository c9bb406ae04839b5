// What holds for every call that runs.

import * as fc from 'fast-check';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

import { createGate, toHistory } from '../../src/gate/index.js';
import { readRows, recordingRows } from '../support/fixtures.js';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 0 },
    mode: { enum: ['read', 'write'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['path'],
} as const;
const accepts = new Ajv2020({ strict: false }).compile(schema);

const members = fc.record(
  {
    path: fc.oneof(fc.string({ unit: 'binary' }), fc.integer()),
    limit: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.bigInt().map(Number)),
    mode: fc.constantFrom('read', 'write', 'append', null),
    tags: fc.array(fc.oneof(fc.string(), fc.integer())),
    other: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

/** Texts that hold an object, or nearly do. */
const texts = fc
  .tuple(
    members.map((value) => JSON.stringify(value)),
    fc.constantFrom(
      (text: string) => text,
      (text: string) => ` ${text}\n`,
      (text: string) => `\`\`\`json\n${text}\n\`\`\``,
      (text: string) => `Here: ${text} and so on`,
      (text: string) => JSON.stringify(text),
      (text: string) => text.slice(0, -1),
      (text: string) => `${text}${text}`,
      (text: string) => `[${text}]`,
    ),
  )
  .map(([text, wrap]) => wrap(text));

it('run implies that the schema accepts, and that its text gives exactly its arguments', () => {
  const gates = (['report', 'remove', 'allow'] as const).map((forbiddenKeys) =>
    createGate([{ name: 'tool', parameters: schema }], { forbiddenKeys }),
  );
  let ran = 0;
  fc.assert(
    fc.property(texts, (text) => {
      for (const gate of gates) {
        for (const form of [text, Buffer.from(text)]) {
          const decision = gate.decide({ id: 'call_1', name: 'tool', arguments: form });
          if (decision.action === 'run') {
            ran++;
            expect(accepts(decision.arguments)).toBe(true);
            expect(JSON.parse(decision.text)).toEqual(decision.arguments);
            expect(toHistory(decision, 'openai-chat').function.arguments).toBe(decision.text);
          } else {
            expect(JSON.parse(decision.outcome.replay)).toBeTypeOf('object');
          }
        }
      }
    }),
    { numRuns: 2000 },
  );
  expect(ran).toBeGreaterThan(100);
});

it('no text makes it throw', () => {
  const gate = createGate([{ name: 'tool', parameters: schema }]);
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withMap: true, withTypedArray: true }), (value) => {
      gate.decide({ id: 'call_1', name: 'tool', arguments: value });
    }),
  );
});

interface FieldReport {
  readonly id: string;
  readonly input?: unknown;
  readonly tool?: { readonly name: string; readonly parameters: Record<string, unknown> };
}

describe('public reports that carry a tool schema', () => {
  const rows = readRows<FieldReport>('fixtures/cases/reports.jsonl').filter(({ tool }) => tool);
  /** What becomes of each without opt-in repairs. */
  const expected: Readonly<Record<string, string>> = {
    b01: 'run',
    b02: 'run',
    b04: 'not-object',
    b25: 'run',
    b31: 'schema',
    b33: 'schema',
    b53: 'schema',
    m02: 'not-object',
    m19: 'run',
    m27: 'schema',
    m49: 'schema',
  };

  it('are all known', () => {
    expect(rows.map(({ id }) => id).sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(rows.map((row) => [row.id, row] as const))('%s', (id, { tool, input }) => {
    const gate = createGate([tool!]);
    const call = { id: 'call_1', name: tool!.name, arguments: input };
    const decision = gate.decide(call);
    expect(decision.action === 'run' ? 'run' : decision.kind).toBe(expected[id]);
  });
});

describe('recordings, each decided against a schema for its tool', () => {
  const string = { type: 'string' };
  const tool = (required: readonly string[], more: object = {}) => ({
    parameters: {
      type: 'object',
      properties: { ...Object.fromEntries(required.map((key) => [key, string])), ...more },
      required,
    },
  });
  const integer = { type: 'integer' };
  const strings = { type: 'array', items: string };
  const tools = {
    read: tool(['path'], { offset: integer, limit: integer }),
    write: tool(['path', 'content']),
    edit: tool(['file_path', 'old_string', 'new_string']),
    multi_edit: tool(['path'], { edits: { type: 'array' } }),
    bash: tool(['command'], { timeout: integer }),
    grep: tool(['pattern'], { path: string }),
    run_sql: tool(['query'], { read_only: { type: 'boolean' } }),
    web_search: tool(['query'], { max_results: integer }),
    send_email: tool(['to', 'subject', 'body']),
    http_request: tool(['method', 'url']),
    apply_patch: tool(['patch']),
    todo_write: tool([], { todos: { type: 'array' } }),
    create_event: tool(['title', 'start', 'end']),
    create_issue: tool(['title', 'body'], { labels: strings }),
    get_weather: tool(['city'], { days: integer, unit: { enum: ['celsius', 'fahrenheit'] } }),
    translate: tool(['text', 'target'], { formal: { type: 'boolean' } }),
  };
  const gate = createGate(tools);
  const validators = new Map(
    Object.entries(tools).map(([name, { parameters }]) => [
      name,
      new Ajv2020({ strict: false }).compile(parameters),
    ]),
  );

  it('runs what the oracle accepts and the schema allows, and nothing else', () => {
    let ran = 0;
    for (const { tool: name, fragments, value, message } of recordingRows) {
      const text = fragments.join('');
      const decision = gate.decide({ id: 'call_1', name, arguments: text });
      if (value !== undefined && validators.get(name)?.(value) === true) {
        ran++;
        expect(decision).toMatchObject({ action: 'run', arguments: value });
      } else if (value === undefined) {
        expect(decision).toMatchObject({ action: 'report', message });
      } else {
        expect(decision).toMatchObject({ action: 'report', kind: 'schema' });
      }
    }
    expect(ran).toBeGreaterThan(10);
  });
});
