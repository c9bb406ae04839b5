// What is seen of decisions from outside, and what is not.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { describe, expect, it } from 'vitest';

import { createDecisionCounters, createDecisionLog, createGate } from '../../src/gate/index.js';
import type { DecisionMessage, GateOptions } from '../../src/gate/index.js';

const tools = [{ name: 'post', parameters: { type: 'object' } }] as const;

/** What the channel carries for one call. */
function seen(text: unknown, options: GateOptions = {}): DecisionMessage {
  const messages: DecisionMessage[] = [];
  const onMessage = (message: unknown) => {
    messages.push(message as DecisionMessage);
  };
  subscribe('argspan:decision', onMessage);
  const gate = createGate(tools, options);
  gate.decide({ id: 'call_1', name: 'post', arguments: text }, { backend: 'local' });
  unsubscribe('argspan:decision', onMessage);
  expect(messages).toHaveLength(1);
  return messages[0]!;
}

it.each([
  ['{"a": 1}', 'string'],
  [Buffer.from('{}'), 'bytes'],
  [{ a: 1 }, 'object'],
  [new Map([['a', 1]]), 'map'],
  [null, 'null'],
  [undefined, 'undefined'],
  [' \n', 'blank'],
  ['"{\\"a\\": 1}"', 'double-encoded'],
  [5, 'other'],
])('%o comes as %s', (text, shape) => {
  expect(seen(text).shape).toBe(shape);
});

it('nothing sensitive by default', () => {
  const text = '{"user": {"token": "secret"}, "list": ["secret"]}';
  const message = seen(text);
  expect(JSON.stringify(message)).not.toContain('secret');
  expect(message).toMatchObject({
    backend: 'local',
    tool: 'post',
    action: 'run',
    kind: null,
    repair: 'none',
    sizes: { raw: text.length, result: text.length },
    raw: '[redacted]',
    arguments: { user: { token: '[redacted]' }, list: ['[redacted]'] },
  });
  expect(JSON.stringify(seen('{"token": "secret'))).not.toContain('secret');
});

describe('redaction', () => {
  const text = '{"user": {"token": "secret"}, "to": "a"}';
  it('by paths', () => {
    const message = seen(text, { redact: ['user.token'] });
    expect(message.arguments).toEqual({ user: { token: '[redacted]' }, to: 'a' });
    expect(message.raw).toBe('[redacted]');
  });
  it('by a function, and a mask where it throws', () => {
    expect(seen(text, { redact: (_, { what }) => what })).toMatchObject({
      raw: 'raw',
      arguments: 'arguments',
    });
    const broken = () => {
      throw new Error('broken');
    };
    expect(seen(text, { redact: broken }).raw).toBe('[redacted]');
  });
  it('not at all', () => {
    expect(seen(text, { redact: false })).toMatchObject({ raw: text, arguments: { to: 'a' } });
  });
  it('reaches no prototype', () => {
    const attack = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}';
    seen(attack, { redact: ['*.polluted'], forbiddenKeys: 'allow' });
    seen(attack, { redact: false, forbiddenKeys: 'allow' });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it('a method of what came shows nothing that paths hide', () => {
    const raw = { toJSON: () => ({ user: { token: 'secret' } }), user: { token: 'secret' } };
    for (const redact of [['user.token'], undefined] as const) {
      expect(JSON.stringify(seen(raw, { redact }))).not.toContain('secret');
    }
    const map = new Map([['user', new Map([['token', 'secret']])]]);
    expect(seen(map, { redact: ['user.token'] }).raw).toEqual({ user: { token: '[redacted]' } });
  });
  it('hostile paths and values', () => {
    const broken = {
      get a(): unknown {
        throw new Error('no look at it');
      },
    };
    expect(seen(broken, { redact: ['a'] }).raw).toBe('[redacted]');
    seen('{"a": 1}', { redact: ['__proto__.polluted', 'constructor.prototype.polluted', '*'] });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(seen({ date: 1n, when: new Date(Number.NaN) }, { redact: false }).raw).toEqual({
      date: '[redacted]',
      when: null,
    });
  });
  it('refuses wrong options', () => {
    expect(() => seen('', { redact: [5] as never })).toThrow('options.redact must be');
    expect(() => seen('', { redact: ['a['] })).toThrow('options.redact has a path');
  });
});

it('a log writes one line a call, and redacts by itself', () => {
  const lines: string[] = [];
  const log = createDecisionLog({ write: (line) => lines.push(line), redact: ['token'] });
  const gate = createGate(tools);
  gate.plan([
    { id: '1', name: 'post', arguments: '{"token": "secret", "to": "a\\nb"}' },
    { id: '2', name: 'post', arguments: '[]' },
  ]);
  log.close();
  gate.decide({ id: '3', name: 'post', arguments: '{}' });
  expect(
    lines.map((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1),
  ).toEqual([true, true]);
  const [first, second] = lines.map((line) => JSON.parse(line) as DecisionMessage);
  expect(first?.arguments).toEqual({ token: '[redacted]', to: 'a\nb' });
  expect(second).toMatchObject({ action: 'report', kind: 'not-object', shape: 'string' });
  expect(() => createDecisionLog({} as never)).toThrow('options.write must be a function');
});

it('ids and names that a model made up are short', () => {
  using counters = createDecisionCounters();
  void counters;
  const lines: string[] = [];
  using log = createDecisionLog({ write: (line) => lines.push(line) });
  void log;
  const long = 'n'.repeat(1e6);
  createGate(tools).decide({ id: long, name: long, arguments: '{' });
  expect(lines[0]?.length).toBeLessThan(2000);
});

it('counters have few labels, whatever comes', () => {
  using counters = createDecisionCounters();
  const gate = createGate(tools);
  for (let index = 0; index < 50; index++) {
    gate.decide({ id: '1', name: `tool${index}`, arguments: '{}' });
    gate.decide({ id: '1', name: 'post', arguments: '{"a": 1, "a": 2}' });
  }
  expect(counters.counts()).toEqual({
    run: { none: 50 },
    report: { 'unknown-tool': 50 },
    findings: { 'duplicate-key': 50 },
  });
});
