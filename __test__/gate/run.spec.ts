// Plans and runs of a turn, and what goes back to the provider.

import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { createGate, toHistory, toToolResult } from '../../src/gate/index.js';
import type { ToolUpdate } from '../../src/gate/index.js';

const path = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
} as const;
const gate = createGate([
  { name: 'read', parameters: path },
  { name: 'write', parameters: path },
]);

const call = (id: string, name: string, text: unknown) => ({ id, name, arguments: text });
const reads = ({ name }: { name: string }) => name === 'read';

describe('plan', () => {
  it('keeps the order, and duplicate ids both survive', () => {
    const { run, report } = gate.plan([
      call('a', 'write', '{"path": "1"}'),
      call('b', 'read', '{"path": '),
      call('a', 'read', '{"path": "2"}'),
      call('c', 'delete', '{}'),
    ]);
    expect(run.map(({ id, text }) => [id, text])).toEqual([
      ['a', '{"path": "1"}'],
      ['a_2', '{"path": "2"}'],
    ]);
    expect(report.map(({ id, kind }) => [id, kind])).toEqual([
      ['b', 'truncated'],
      ['c', 'unknown-tool'],
    ]);
  });

  it('refuses what is no list of calls', () => {
    expect(() => gate.plan(5 as never)).toThrow('calls must be a list (got a number)');
    expect(() => gate.plan([5 as never])).toThrow('call must be an object (got a number)');
  });

  it('takes whatever a server makes of an id and a name', () => {
    const strange = gate.decide({ id: 5, name: null, arguments: {} } as never);
    expect(strange).toMatchObject({ id: '5', name: '', kind: 'unknown-tool' });
  });
});

describe('run', () => {
  it('keeps the order of the seed', async () => {
    const log: string[] = [];
    const updates: ToolUpdate[] = [];
    const handler = (name: string) => async (input: { path: string }) => {
      log.push(`${name} ${input.path} begins`);
      await sleep(name === 'read' ? 10 : 1);
      log.push(`${name} ${input.path} ends`);
      return `${name} ${input.path}`;
    };
    const results = await gate.run(
      [
        call('1', 'read', '{"path": "a"}'),
        call('2', 'read', '{"path": "b"'),
        call('3', 'read', '{"path": "c"}'),
        call('4', 'write', '{"path": "d"}'),
        call('5', 'write', '{"path": 5}'),
        call('6', 'write', '{"path": "f"}'),
      ],
      {
        handlers: { read: handler('read'), write: handler('write') },
        readOnly: reads,
        approve: ({ id }) => {
          log.push(`approve ${id}`);
          return true;
        },
        onUpdate: (update) => updates.push(update),
      },
    );
    expect(log).toEqual([
      'approve 1',
      'read a begins',
      'approve 3',
      'read c begins',
      'read a ends',
      'read c ends',
      'approve 4',
      'write d begins',
      'write d ends',
      'approve 6',
      'write f begins',
      'write f ends',
    ]);
    expect(results.map(({ id, ok }) => [id, ok])).toEqual([
      ['1', true],
      ['2', false],
      ['3', true],
      ['4', true],
      ['5', false],
      ['6', true],
    ]);
    const failed = updates.filter(({ status }) => status === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(['2', '5']);
    for (const { id, content, decision } of failed) {
      expect(decision.action === 'report' && decision.message).toBe(content);
      expect(results.find((result) => result.id === id)?.content).toBe(content);
    }
  });

  it('a handler that throws, a refusal and a value without JSON are failed results', async () => {
    const handlers = {
      read: ({ path: given }: { path: string }) => {
        if (given === 'circle') {
          const circle: unknown[] = [];
          circle.push(circle);
          return circle;
        }
        throw new Error(`no file ${given}`);
      },
      write: () => ({ written: true }),
    };
    const results = await gate.run(
      [
        call('1', 'read', '{"path": "a"}'),
        call('2', 'write', '{"path": "b"}'),
        call('3', 'write', '{"path": "c"}'),
        call('4', 'read', '{"path": "circle"}'),
      ],
      {
        handlers,
        approve: ({ id }) => id !== '2',
        onUpdate: () => {
          throw new Error('a broken interface');
        },
      },
    );
    expect(results.map(({ ok, content }) => [ok, content.split('\n')[0]])).toEqual([
      [false, 'no file a'],
      [false, 'The call of `write` was not approved.'],
      [true, '{"written":true}'],
      [false, 'Converting circular structure to JSON'],
    ]);
  });

  it('begins nothing once it is aborted', async () => {
    const controller = new AbortController();
    const results = await gate.run(
      [call('1', 'write', '{"path": "a"}'), call('2', 'write', '{"path": "b"}')],
      { handlers: { write: () => controller.abort() }, signal: controller.signal },
    );
    expect(results.map(({ ok, content }) => [ok, content])).toEqual([
      [true, ''],
      [false, 'The call of `write` was not run: the turn was aborted.'],
    ]);
  });

  it('a missing handler is said before anything runs, and a prototype has none', async () => {
    let ran = false;
    const calls = [call('1', 'write', '{"path": "a"}'), call('2', 'read', '{"path": "b"}')];
    const write = () => {
      ran = true;
    };
    await expect(gate.run(calls, { handlers: { write } })).rejects.toThrow(
      'options.handlers must have a function `read` (got undefined)',
    );
    expect(ran).toBe(false);
    const odd = createGate([{ name: 'toString' }]);
    await expect(odd.run([call('1', 'toString', '')], { handlers: {} })).rejects.toThrow(TypeError);
  });
});

describe('what goes back', () => {
  const good = gate.decide(call('call_1', 'read', '{"path": "a", "n": 9007199254740993}'));
  const bad = gate.decide(call('call:1.ü', 'read', '{"path": "a'));

  it.each([
    [
      'openai-chat',
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'read', arguments: '{"path": "a", "n": 9007199254740993}' },
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'text' },
    ],
    [
      'anthropic-messages',
      { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a', n: 9007199254740992 } },
      { type: 'tool_result', tool_use_id: 'call_1', content: 'text' },
    ],
    [
      'openai-responses',
      {
        type: 'function_call',
        call_id: 'call_1',
        name: 'read',
        arguments: '{"path": "a", "n": 9007199254740993}',
      },
      { type: 'function_call_output', call_id: 'call_1', output: 'text' },
    ],
  ] as const)('%s', (format, history, result) => {
    expect(toHistory(good, format)).toEqual(history);
    expect(toToolResult(good, 'text', format)).toEqual(result);
  });

  it('a report', () => {
    const message = bad.action === 'report' ? bad.message : '';
    const use = toHistory(bad, 'anthropic-messages');
    expect(use.id).toMatch(/^[\w-]{1,64}$/);
    expect(use.input).toEqual({ INVALID_JSON: '{"path": "a' });
    expect(toToolResult(bad, undefined, 'anthropic-messages')).toEqual({
      type: 'tool_result',
      tool_use_id: use.id,
      content: message,
      is_error: true,
    });
    expect(toToolResult(bad, 'something else', 'openai-responses').output).toBe(message);
    expect(toHistory(bad, 'openai-chat', { replay: '{}' }).function.arguments).toBe('{}');
    expect(
      toHistory(bad, 'openai-responses', { replay: ({ kind }) => `{"kind":"${kind}"}` }),
    ).toMatchObject({ arguments: '{"kind":"truncated"}' });
    expect(() => toHistory(bad, 'openai-chat', { replay: '[]' })).toThrow(TypeError);
  });

  it('ids and names that the wire takes, the same in both', () => {
    const long = 'x'.repeat(70);
    for (const format of ['openai-chat', 'anthropic-messages', 'openai-responses'] as const) {
      const ids = ['', 'a b', 'a.b', long, `${long}y`, '日本', 'call_1'].map((id) => {
        const decision = gate.decide(call(id, 'ré ad'.repeat(30), '{}'));
        const history = toHistory(decision, format) as unknown as Record<string, unknown>;
        const result = toToolResult(decision, '', format) as unknown as Record<string, unknown>;
        const wireId = String(history['call_id'] ?? history['id']);
        expect(result['tool_call_id'] ?? result['tool_use_id'] ?? result['call_id']).toBe(wireId);
        expect(wireId).toMatch(/^[\x21-\x7e]+$/);
        expect(wireId.length).toBeLessThanOrEqual(format === 'openai-chat' ? 40 : 64);
        const name = JSON.stringify(history).match(/"name":"([^"]*)"/)?.[1];
        expect(name).toMatch(/^[\w-]{1,64}$/);
        return wireId;
      });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.at(-1)).toBe('call_1');
    }
  });

  it('a name that a tool has stays, and one that a model made up is made plain', () => {
    const names = ['files.read', 'm'.repeat(100)];
    const named = createGate(names.map((name) => ({ name, parameters: path })));
    for (const name of names) {
      for (const text of ['{"path": "a"}', '{}', '{']) {
        const decision = named.decide(call('1', name, text));
        expect(toHistory(decision, 'anthropic-messages').name).toBe(name);
      }
    }
    const unknown = named.decide(call('1', 'files read'.repeat(20), '{}'));
    expect(toHistory(unknown, 'openai-responses').name).toBe('files_read'.repeat(20).slice(0, 64));
  });

  it('a call without an id gets one, and no two are the same', () => {
    const ids = ['', null, undefined, {}, ''].map(
      (id) => gate.decide(call(id as string, 'read', '{"path": "a"}')).id,
    );
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) {
      expect(id).toMatch(/^call_[0-9A-Za-z]{24}$/);
    }
    const numbers = [5, 5n].map((id) => gate.decide(call(id as never, 'read', '{}')).id);
    expect(numbers).toEqual(['5', '5']);
  });

  it('calls with the same id are told apart on every wire, in the call and in its answer', async () => {
    const long = 'x'.repeat(70);
    const given = [
      'a',
      'a',
      'a_2',
      'a',
      'a b',
      'a b',
      long,
      long,
      `${long}_2`,
      'a_4',
      '\ud800',
      '\ud801',
    ];
    const calls = given.map((id, index) =>
      call(id, 'read', index % 3 === 0 ? '{"path": ' : '{"path": "a"}'),
    );
    const results = await gate.run(calls, { handlers: { read: () => 'text' } });
    expect(results.slice(0, 4).map(({ id }) => id)).toEqual(['a', 'a_3', 'a_2', 'a_5']);
    for (const format of ['openai-chat', 'anthropic-messages', 'openai-responses'] as const) {
      const ids = results.map((result) => {
        const history = toHistory(result.decision, format) as { id?: string; call_id?: string };
        const answer = toToolResult(result, undefined, format) as unknown as Record<string, string>;
        const id = history.call_id ?? history.id;
        expect([answer['tool_call_id'], answer['tool_use_id'], answer['call_id']]).toContain(id);
        return id;
      });
      expect(new Set(ids).size).toBe(given.length);
    }
    expect(results[1]?.decision.findings).toEqual([
      {
        code: 'duplicate-id',
        path: '',
        message: 'another call of the turn has the same id',
        detail: 'a',
      },
    ]);
    const again = await gate.run(calls, { handlers: { read: () => 'text' } });
    expect(again.map(({ id }) => id)).toEqual(results.map(({ id }) => id));
  });

  it('an id that is made to look like another’s on a wire is told apart too', () => {
    const first = gate.decide(call('a b', 'read', '{"path": "a"}'));
    const made = toHistory(first, 'anthropic-messages').id;
    const { run } = gate.plan(['a b', made].map((id) => call(id, 'read', '{"path": "a"}')));
    const ids = run.map((decision) => toHistory(decision, 'anthropic-messages').id);
    expect(new Set(ids).size).toBe(2);
  });

  it('what is no decision is the caller’s mistake', () => {
    for (const given of [null, 5, {}, { id: '1' }, { id: 5, action: 'run' }]) {
      expect(() => toHistory(given as never, 'openai-chat')).toThrow('decision must be a decision');
      expect(() => toToolResult(given as never, '', 'openai-chat')).toThrow(
        'answered must be a decision or a result',
      );
    }
  });

  it('a result of run, and wrong formats', async () => {
    const [result] = await gate.run([call('1', 'read', '{}')], { handlers: {} });
    expect(toToolResult(result!, undefined, 'anthropic-messages').is_error).toBe(true);
    expect(() => toHistory(good, 'gemini' as never)).toThrow(RangeError);
    expect(() => toToolResult(good, '', 5 as never)).toThrow('format must be a string');
  });
});
