// A gate among people who mean harm, and among functions that are broken.

import { describe, expect, it } from 'vitest';

import {
  type ToolCallRetryError,
  callWithRetry,
  createDecisionLog,
  createGate,
  toHistory,
  toToolResult,
} from '../../src/gate/index.js';
import type { GateOptions, JsonSchema } from '../../src/gate/index.js';
import { chatChunk, readBytes, streamOf } from '../support/wire.js';
import { cpuTime } from '../support/cpu-time.js';

const call = (id: unknown, name: string, given: unknown) =>
  ({ id, name, arguments: given }) as { id: string; name: string; arguments: unknown };

function decide(parameters: JsonSchema, given: unknown, options: GateOptions = {}) {
  return createGate([{ name: 'tool', parameters }], options).decide(call('1', 'tool', given));
}

/** How long something takes, in milliseconds. */
function timeOf(what: () => unknown): number {
  const started = cpuTime();
  what();
  return cpuTime() - started;
}

/** The warnings of the process while something happens. */
async function warningsOf(what: () => unknown): Promise<string[]> {
  const seen: string[] = [];
  const onWarning = ({ message }: Error) => {
    seen.push(message);
  };
  process.on('warning', onWarning);
  await what();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  process.off('warning', onWarning);
  return seen;
}

/** An error at which nobody can look. */
const closed = new Proxy(new Error('x'), {
  get() {
    throw new Error('no look at it');
  },
  getPrototypeOf() {
    throw new Error('no look at it');
  },
});

describe('objects whose JSON is no text by the rule', () => {
  const attack = (): unknown => JSON.parse('{"__proto__": {"polluted": 1}}');
  const indirect = { constructor: { prototype: { polluted: 1 } } };
  const deep = (inside: unknown) => {
    let value = inside;
    for (let level = 0; level < 300; level++) {
      value = level % 2 === 0 ? { a: value } : [value];
    }
    return { value };
  };

  it.each([
    ['half a pair', { half: '\ud800', at: attack() }],
    ['half a pair in a key', { '\ud800': 1, at: attack() }],
    ['many levels', deep(attack())],
    ['constructor', { half: '\ud800', at: indirect }],
    [
      'a map',
      new Map<string, unknown>([
        ['half', '\ud800'],
        ['__proto__', 1],
      ]),
    ],
    ['toJSON', { toJSON: () => ({ half: '\ud800', at: attack() }) }],
  ])('forbidden keys are found: %s', (_, given) => {
    for (const findings of [true, false]) {
      expect(decide({}, given, { findings })).toMatchObject({ kind: 'forbidden-key' });
    }
    const removed = decide({}, given, { forbiddenKeys: 'remove' });
    expect(removed.action === 'run' && removed.text).not.toMatch(/polluted|__proto__/);
    expect(decide({}, given, { forbiddenKeys: 'allow' })).toMatchObject({
      action: 'run',
      findings: [{ code: 'forbidden-key' }],
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('others run', () => {
    expect(decide({}, { half: '\ud800' })).toMatchObject({ action: 'run', findings: [] });
    expect(decide({}, deep(1)).action).toBe('run');
  });

  it('what goes to a server has no half of a pair', () => {
    const decision = decide({}, { half: 'a\ud800' });
    expect(toHistory(decision, 'anthropic-messages').input).toEqual({ half: 'a\ufffd' });
    expect(toToolResult(decision, 'b\udc00', 'openai-chat').content).toBe('b\ufffd');
  });
});

it('a removed key is not removed from what the caller holds', () => {
  const value: unknown = JSON.parse('{"__proto__": 1, "a": 2}');
  const text = JSON.stringify(value);
  const outcome = { status: 'accepted', name: 'tool', value, text, repair: 'none' };
  const given = { ...call('1', 'tool', ''), text, rawText: text, outcome };
  const gate = createGate([{ name: 'tool' }], { forbiddenKeys: 'remove' });
  expect(gate.decide(given as never)).toMatchObject({ action: 'run', text: '{"a":2}' });
  expect(Object.keys(value as object)).toEqual(['__proto__', 'a']);
});

describe('time', () => {
  const form = (op: string) => ({
    type: 'object',
    properties: { op: { const: op }, inner: { $ref: '#/$defs/node' } },
    required: ['op', 'inner'],
  });
  const leaf = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const tree = {
    $defs: { node: { anyOf: [form('and'), form('or'), leaf] } },
    properties: { node: { $ref: '#/$defs/node' } },
  };
  const nested = (levels: number, inner: string) =>
    `{"node":${'{"op":"or","inner":'.repeat(levels)}${inner}${'}'.repeat(levels)}}`;

  it('a choice of forms at every level is told in bounded time', () => {
    expect(decide(tree, nested(60, '{"n":1}')).action).toBe('run');
    let decision = decide(tree, '{}');
    const time = timeOf(() => {
      decision = decide(tree, nested(60, '{"n":"x"}'));
    });
    expect(decision).toMatchObject({ kind: 'schema' });
    expect(time).toBeLessThan(5000);
  });

  it('a check that tries every form at every level is given up, and reported', () => {
    const same = { properties: { inner: { $ref: '#/$defs/node' }, n: { type: 'string' } } };
    const hostile = {
      $defs: { node: { anyOf: [same, same, same] } },
      properties: { node: { $ref: '#/$defs/node' } },
    };
    const text = `{"node":${'{"inner":'.repeat(60)}{"n":1}${'}'.repeat(60)}}`;
    let decision = decide(hostile, '{}');
    const time = timeOf(() => {
      decision = decide(hostile, text);
    });
    expect(decision).toMatchObject({
      kind: 'schema',
      outcome: {
        reason: '(root): arguments that can be checked (it takes too many steps), got an object',
      },
    });
    expect(time).toBeLessThan(5000);
  });

  it('a long list of references is no reason to give up', () => {
    const schema = {
      $defs: { item: { type: 'object', properties: { n: { type: 'integer' } } } },
      properties: { items: { items: { $ref: '#/$defs/item' } } },
    };
    const text = `{"items":[${'{"n":1},'.repeat(50_000)}{"n":1}]}`;
    expect(decide(schema, text).action).toBe('run');
    const wrong = decide(schema, `{"items":[${'{"n":1},'.repeat(50_000)}{"n":"x"}]}`);
    expect(wrong).toMatchObject({ outcome: { reason: '/items/50000/n: an integer, got "x"' } });
  });

  it('items that differ are compared in linear time, by value', () => {
    const unique = { properties: { a: { uniqueItems: true } } };
    const items = Array.from({ length: 50_000 }, (_, n) => `{"n":${n},"m":1}`).join(',');
    let action = '';
    const time = timeOf(() => {
      ({ action } = decide(unique, `{"a":[${items}]}`));
    });
    expect(action).toBe('run');
    expect(time).toBeLessThan(5000);
    for (const [text, expected] of [
      ['[{"x":1,"y":[2]},{"y":[2.0],"x":1}]', 'report'],
      ['[1,1.0]', 'report'],
      ['[0,-0]', 'report'],
      ['["1",1,[1],{"0":1},true,null]', 'run'],
      ['[{"a":{"c":1,"b":2}},{"a":{"b":2,"c":1}}]', 'report'],
      ['[[1,2],[2,1]]', 'run'],
    ]) {
      expect(decide(unique, `{"a":${text}}`).action, text).toBe(expected);
    }
    expect(decide(unique, '{"a":[1,1]}')).toMatchObject({
      outcome: { reason: '/a: items that differ, got an array' },
    });
  });
});

describe('calls of another kind', () => {
  const gate = createGate([{ name: 'tool' }]);
  const ofText = (input: string, reason: string | null) => {
    const custom = { index: 0, id: 'c', type: 'custom', custom: { name: 'tool', input } };
    const [found] = readBytes('openai-chat', [streamOf(chatChunk([custom], reason))]).calls;
    return found as NonNullable<typeof found>;
  };

  it.each(['{"a":1}', '', 'rm {"a":1}'])('%j does not run where it was cut off', (text) => {
    expect(gate.decide(ofText(text, 'tool_calls')).action).toBe('run');
    const cut = gate.decide(ofText(text, null));
    expect(cut).toMatchObject({ action: 'report', kind: 'truncated' });
    const short = gate.decide(ofText(text, 'length'), { stop: 'length' });
    expect(short).toMatchObject({ message: expect.stringContaining('smaller call') as string });
  });
});

describe('calls that no wire gave', () => {
  const gate = createGate([{ name: 'tool' }]);
  const given = { id: '1', name: 'tool', arguments: '{}', text: '{}' };

  it.each([undefined, 0, 'pending', [], {}, { status: 'accepted' }, { status: 'reported' }])(
    'an outcome that is none is misuse: %j',
    (outcome) => {
      const odd = { ...given, outcome } as never;
      expect(() => gate.decide(odd)).toThrow(TypeError);
      expect(() => gate.decide(odd)).toThrow('call.outcome');
    },
  );

  it('so is one without a text', () => {
    const odd = { ...given, text: 1, outcome: null } as never;
    expect(() => gate.decide(odd)).toThrow('call.text');
  });
});

describe('names that nobody has', () => {
  it('a turn of them among many tools takes no time', () => {
    const names = Array.from({ length: 500 }, (_, index) => `${'t'.repeat(60)}${index}`);
    const gate = createGate(names.map((name) => ({ name })));
    const calls = names.slice(0, 128).map((name) => call(name, name.replaceAll('t', 'u'), '{}'));
    expect(timeOf(() => gate.plan(calls))).toBeLessThan(10_000);
  });

  it('the nearest of the tools comes first', () => {
    const gate = createGate(['write_file', 'readFolder', 'read_file'].map((name) => ({ name })));
    const decided = gate.decide(call('1', 'ReadFiles', '{}'));
    expect(decided).toMatchObject({
      message: expect.stringContaining('read_file, readFolder, write_file') as string,
    });
  });
});

describe('names that every object has', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

  it.each([...names, '__proto__'])('a tool may be called %s', async (name) => {
    const keyed = new Map([[name, { parameters: { type: 'object' } }]]);
    for (const tools of [[{ name }], Object.fromEntries(keyed)]) {
      const gate = createGate(tools);
      expect(gate.names).toEqual([name]);
      expect(gate.decide(call('1', name, '{}')).action).toBe('run');
      await expect(gate.run([call('1', name, '{}')], { handlers: {} })).rejects.toThrow(TypeError);
    }
    expect(createGate([{ name: 'other' }]).decide(call('1', name, '{}'))).toMatchObject({
      kind: 'unknown-tool',
    });
  });

  it.each(names)('a property %s that is inherited is no member', (name) => {
    const schema = { properties: { [name]: { type: 'string' } }, required: [name] };
    expect(decide(schema, '{}')).toMatchObject({
      outcome: { reason: `/${name}: a required member, got nothing` },
    });
    expect(decide({ required: [name] }, '{}').action).toBe('report');
    expect(decide(schema, `{"${name}": "x"}`).action).toBe('run');
    expect(decide(schema, `{"${name}": 5}`).action).toBe('report');
  });

  it('a schema that names `__proto__` is refused, because nothing checks it', () => {
    const schema = JSON.parse('{"properties": {"__proto__": {"type": "string"}}}') as JsonSchema;
    expect(() => decide(schema, '{}')).toThrow('it names a property `__proto__`');
    expect(decide({ required: ['__proto__'] }, '{}').action).toBe('report');
  });
});

describe('schemas that refer to themselves', () => {
  const loop = { allOf: [{ $ref: '#/$defs/loop' }] };
  it.each([
    ['the root', { $ref: '#' }],
    ['one another', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['deep inside', { $defs: { loop }, properties: { x: { items: { $ref: '#/$defs/loop' } } } }],
    ['by an anchor', { $defs: { x: { $anchor: 'me', anyOf: [{ $ref: '#me' }] } } }],
    ['not', { not: { $ref: '#' } }],
    ['by an absolute reference', { $id: 'https://example.com/a', $ref: 'https://example.com/a' }],
  ])('%s, without end: refused', (_, schema) => {
    expect(() => decide(schema, '{}')).toThrow(
      /the schema of `tool` cannot be compiled: .*(end|stack)/,
    );
  });

  it('ids of JSON Schema’s own are refused, and spoil nothing', () => {
    const $id = 'https://json-schema.org/draft/2020-12/schema';
    expect(() => decide({ $id }, '{}')).toThrow('cannot be compiled');
    expect(() => decide({ type: 'nonsense' }, '{}')).toThrow('schema is invalid');
    expect(decide({ type: 'object' }, '{}').action).toBe('run');
  });

  it('where only the value leads on, they are checked', () => {
    const list = { properties: { next: { $ref: '#' } }, additionalProperties: false };
    expect(decide(list, '{"next":{"next":{}}}').action).toBe('run');
    expect(decide(list, '{"next":{"next":{"x":1}}}').action).toBe('report');
  });

  it.each([
    { $id: 'https://example.com/a' },
    { properties: { x: { $id: 'https://example.com/a', type: 'string' } } },
  ])('a tool cannot refer to another tool’s schema', (parameters) => {
    const first = { name: 'a', parameters };
    const second = { name: 'b', parameters: { $ref: 'https://example.com/a' } };
    expect(() => createGate([first, second])).toThrow(
      "the schema of `b` cannot be compiled: can't",
    );
  });
});

it.each([
  ['http://json-schema.org/draft-07/schema#', 'run'],
  ['https://json-schema.org/draft-07/schema#', 'run'],
  ['http://json-schema.org/draft-07/schema', 'run'],
  ['https://json-schema.org/draft/2020-12/schema', 'run'],
  ['https://json-schema.org/draft/2020-12/schema#', 'run'],
  ['http://json-schema.org/schema#', 'run'],
  ['http://json-schema.org/draft-04/schema#', 'refused'],
  ['https://json-schema.org/draft/2019-09/schema', 'refused'],
  [5, 'refused'],
])('$schema %s', ($schema, expected) => {
  const decided = () => decide({ $schema, type: 'object' }, '{}').action;
  if (expected === 'refused') {
    expect(decided).toThrow('its $schema is neither 2020-12 nor draft-07');
  } else {
    expect(decided()).toBe(expected);
  }
});

describe('Standard Schemas that are broken', () => {
  const gateOf = (validate: (value: unknown) => unknown) =>
    createGate([
      {
        name: 'tool',
        inputSchema: { '~standard': { version: 1, vendor: 'x', validate } } as never,
      },
      { name: 'other' },
    ]);
  const one = call('1', 'tool', '{"a": 1}');

  it.each([
    ['an error', new Error('Invalid URL'), 'Invalid URL'],
    ['nothing', undefined, 'no reason given'],
    ['what cannot be looked at', closed, 'no reason given'],
  ])('one that throws %s has not accepted, and holds nothing up', async (_, error, why) => {
    const gate = gateOf(() => {
      throw error;
    });
    const message = expect.stringContaining(
      `((root): arguments that can be checked (${why}), got an object)`,
    ) as string;
    const warnings = await warningsOf(async () => {
      expect(gate.decide(one)).toMatchObject({ kind: 'schema', message });
      expect(await gate.decideAsync(one)).toMatchObject({ kind: 'schema', message });
      const handlers = { tool: () => 'ran', other: () => 'ran' };
      const results = await gate.run([one, call('2', 'other', '{}')], { handlers });
      expect(results.map(({ ok }) => ok)).toEqual([false, true]);
    });
    expect(warnings[0]).toBe(`the schema of \`tool\` threw: ${why}`);
  });

  it.each([undefined, null, 5, {}, { issues: 'x' }, { issues: null }])(
    'an answer that is none is the caller’s mistake: %j',
    async (answer) => {
      const gate = gateOf(() => answer);
      expect(() => gate.decide(one)).toThrow(
        'the schema of `tool` must answer with a value or issues',
      );
      await expect(gate.decideAsync(one)).rejects.toThrow(TypeError);
    },
  );

  it('whatever has a method `then` is a promise', async () => {
    const value = { a: 2 };
    const gate = gateOf(() => ({
      // oxlint-disable-next-line unicorn/no-thenable -- that is the point
      then: (resolve: (result: unknown) => void) => resolve({ value }),
    }));
    expect(() => gate.decide(one)).toThrow('answers with a promise');
    expect(await gate.decideAsync(one)).toMatchObject({ arguments: value });
  });

  it.each([
    [[], '(root): something else, got an object'],
    [[null], '(root): something else, got an object'],
    [[{ message: 'Bad.', path: null }], '(root): Bad, got an object'],
    [[{ message: 'Bad', path: [{ key: 'a' }] }], '/a: Bad, got 1'],
    [[{ message: 'Bad', path: [Symbol('s'), null] }], '/Symbol(s)/null: Bad, got nothing'],
    [[{ message: 'm'.repeat(1e6) }], `(root): ${'m'.repeat(200)}…, got an object`],
  ])('issues of any shape are told: %#', (issues, reason) => {
    expect(gateOf(() => ({ issues })).decide(one)).toMatchObject({ outcome: { reason } });
  });

  it('a value whose JSON would lose something keeps the text that came', () => {
    for (const value of [new Map([['a', 1]]), { a: new Set([1]) }, 'text', [1]]) {
      expect(gateOf(() => ({ value })).decide(one)).toMatchObject({
        arguments: value,
        text: '{"a": 1}',
      });
    }
  });

  it('what it changes in place is not the outcome that the caller holds', () => {
    const outcome = {
      status: 'accepted',
      name: 'tool',
      value: { a: 1 },
      text: '{"a":1}',
      repair: 'none',
    };
    const gate = gateOf((value) => ({ value: Object.assign(value as object, { b: 2 }) }));
    const given = { ...one, text: '{"a":1}', rawText: '{"a":1}', outcome };
    expect(gate.decide(given as never)).toMatchObject({ arguments: { a: 1, b: 2 } });
    expect(outcome.value).toEqual({ a: 1 });
  });
});

describe('functions of the caller’s that are broken', () => {
  const gate = createGate([{ name: 'tool' }]);
  const calls = [call('1', 'tool', '{}'), call('2', 'tool', '{}')];
  const contents = async (
    tool: () => unknown,
    options: Partial<Parameters<typeof gate.run>[1]> = {},
  ) => {
    const results = await gate.run(calls, { handlers: { tool }, ...options });
    return results.map(({ ok, content }) => `${ok} ${content}`);
  };

  it.each([
    [null, 'The tool failed.'],
    [undefined, 'The tool failed.'],
    [Symbol('s'), 'The tool failed.'],
    [closed, 'The tool failed.'],
    [Object.freeze(new Error('frozen')), 'frozen'],
    [{ message: 'no error' }, 'no error'],
    ['text', 'text'],
  ])('a handler may throw anything: %#', async (thrown, content) => {
    const throwing = () => {
      throw thrown;
    };
    const rejecting = async () => {
      await Promise.resolve();
      throw thrown;
    };
    for (const handler of [throwing, rejecting]) {
      expect(await contents(handler)).toEqual([`false ${content}`, `false ${content}`]);
    }
  });

  it('nothing but `true` approves', async () => {
    for (const approve of [() => 'true', () => 1, () => undefined, () => Promise.resolve(null)]) {
      expect(await contents(() => '', { approve: approve as never })).toEqual([
        'false The call of `tool` was not approved.',
        'false The call of `tool` was not approved.',
      ]);
    }
    const approve = () => {
      throw closed;
    };
    expect((await contents(() => '', { approve }))[0]).toBe(
      'false The call of `tool` was not approved: no reason given',
    );
  });

  it('an abort while somebody approves counts', async () => {
    const controller = new AbortController();
    const approve = () => {
      controller.abort();
      return true;
    };
    const seen = await contents(() => 'ran', { approve, signal: controller.signal });
    expect(seen[0]).toBe('false The call of `tool` was not run: the turn was aborted.');
    const aborted = AbortSignal.abort();
    expect(await contents(() => 'ran', { signal: aborted })).toEqual([seen[0], seen[0]]);
    await expect(gate.run(calls, { handlers: {}, signal: {} as never })).rejects.toThrow(
      'options.signal must be an AbortSignal',
    );
  });

  it('onUpdate, readOnly and a log’s write stop nothing', async () => {
    const broken = () => {
      throw closed;
    };
    const late = async () => {
      await Promise.resolve();
      throw new Error('late');
    };
    const warnings = await warningsOf(async () => {
      using log = createDecisionLog({ write: broken });
      using other = createDecisionLog({ write: late });
      using third = createDecisionLog({ write: () => '', redact: () => 5n });
      void [log, other, third];
      expect(await contents(() => 'ran', { onUpdate: broken, readOnly: broken })).toEqual([
        'true ran',
        'true ran',
      ]);
      expect(await contents(() => 'ran', { onUpdate: late })).toEqual(['true ran', 'true ran']);
    });
    expect(new Set(warnings)).toEqual(
      new Set([
        'onUpdate threw: no reason given',
        'onUpdate threw: late',
        'readOnly threw: no reason given',
        'a decision could not be logged: no reason given',
        'a decision could not be logged: late',
        'a decision could not be logged: Do not know how to serialize a BigInt',
      ]),
    );
  });

  it('`execute` may throw anything, and must give an answer', async () => {
    const throwing = () => {
      throw closed;
    };
    const error = await callWithRetry(throwing, { gate }).catch((reason: unknown) => reason);
    const { kind, message, cause } = error as ToolCallRetryError;
    expect([kind, message, cause === closed]).toEqual(['parse-error', 'no reason given', true]);
    for (const answer of [undefined, null, 5]) {
      await expect(callWithRetry(() => answer as never, { gate })).rejects.toThrow(
        'execute must give text, a call or calls',
      );
    }
  });
});

it('thousands of calls, with the same id or their own', async () => {
  const gate = createGate([{ name: 'tool' }]);
  for (const id of [() => 'same', (index: number) => `${index}`, () => '']) {
    const calls = Array.from({ length: 5000 }, (_, index) => call(id(index), 'tool', '{}'));
    const results = await gate.run(calls, { handlers: { tool: () => 'x' } });
    expect(new Set(results.map((result) => result.id)).size).toBe(5000);
    expect(results.every(({ ok }) => ok)).toBe(true);
  }
});

it('arguments at which nobody can look', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const getter = {
    get a(): unknown {
      throw new Error('no look at it');
    },
  };
  const log: string[] = [];
  using listener = createDecisionLog({ write: (line) => log.push(line), redact: ['a'] });
  void listener;
  for (const given of [proxy, closed, getter, { toJSON: () => '' }]) {
    expect(decide({}, given)).toMatchObject({ kind: 'unsupported-type' });
  }
  expect(log).toHaveLength(4);
});

it('holes in a list of calls, and what is no context', () => {
  const gate = createGate([{ name: 'tool' }]);
  const calls = [call('1', 'tool', '{}')];
  calls[2] = call('2', 'tool', '{}');
  expect(() => gate.plan(calls)).toThrow('call must be an object (got undefined)');
  expect(() => gate.decide(calls[0]!, 5 as never)).toThrow('context must be an object');
  const broken = {
    get name(): string {
      throw new Error('no look at it');
    },
  };
  expect(() => createGate([broken])).toThrow('tools[0].name could not be read');
});
