// Calls that a model wrote as text. Every form and near miss is held against a slow reference in
// native/scanner/tests/proof/find.rs too; here is what JavaScript sees of it.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createGate, createToolCallFinder, findToolCall } from '../../src/gate/index.js';
import type {
  FindOptions,
  FinderStatus,
  FoundCall,
  NoCall,
  TextCall,
  ToolCallFinder,
} from '../../src/gate/index.js';
import { parseToolArguments } from '../../src/index.js';
import { cut, units } from '../support/drive.js';
import { caseTexts, recordingRows } from '../support/fixtures.js';
import { runs } from '../support/generate.js';
import { oddValues } from '../support/odd.js';
import { cpuTime } from '../support/cpu-time.js';

const gate = createGate([
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string' } },
      required: ['location'],
      additionalProperties: false,
    },
  },
  { name: 'now', parameters: { type: 'object', properties: {}, additionalProperties: false } },
]);
const names = gate.names;
const boston = '{"location": "Boston"}';
const call = `{"name": "get_weather", "arguments": ${boston}}`;

/** A result without what is made up. */
function plain(result: TextCall): NoCall | Omit<FoundCall, 'id'> {
  if (result.call === null) {
    return result;
  }
  const { id, ...rest } = result.call;
  expect(id).toMatch(/^call_[A-Za-z0-9]{24}$/);
  return rest;
}

function inFragments(fragments: readonly string[], options?: FindOptions) {
  const finder = createToolCallFinder(options);
  const statuses: FinderStatus[] = fragments.map((fragment) => finder.feed(fragment));
  return { statuses, result: plain(finder.finish()) };
}

/** Everything that has to hold of a text, whatever it is. Returns what was found. */
function check(text: string, options: FindOptions = {}) {
  const whole = plain(findToolCall(text, options));
  const pieces = units(text);
  const { statuses, result } = inFragments(pieces, options);
  expect(result, text).toEqual(whole);
  for (const [index, status] of statuses.entries()) {
    if ('start' in whole && status === 'text') {
      // What was shown as text belongs to no call.
      const shown = index + 1;
      expect(shown <= whole.start || whole.end < shown, `${text} at ${shown}`).toBe(true);
    }
  }
  if (statuses.at(-1) === 'call') {
    expect('kind' in whole && whole.kind, text).not.toBe('none');
  } else {
    expect('name' in whole, text).toBe(false);
  }
  return whole;
}

describe('the one call', () => {
  it.each<[string, string]>([
    ['tool and arguments', `{"tool": "get_weather", "arguments": ${boston}}`],
    ['name and arguments', call],
    ['name and parameters, as Llama has it', `{"name":"get_weather","parameters":${boston}}`],
    ['any order, and a thought', `{"arguments":${boston},"thought":"{","tool":"get_weather"}`],
    ['escaped keys', `{"\\u006eame":"get\\u005fweather","arg\\u0075ments":${boston}}`],
    ['arguments as a string', JSON.stringify({ name: 'get_weather', arguments: boston })],
    ['a fence', `\`\`\`json\n${call}\n\`\`\``],
    ['a fence in one line', `\`\`\`${call}\`\`\``],
    ['prose around it', `Sure! I'll look that up: ${call} One moment.`],
    ['an array of one', `[${call}]`],
    ['Hermes and Qwen', `<tool_call>\n${call}\n</tool_call>`],
    ['a tag without its end', `<tool_call>\n${call}`],
    ['a fence in a tag', `<tool_call>\n\`\`\`json\n${call}\n\`\`\`\n</tool_call>`],
    ['Mistral', `[TOOL_CALLS] [${call}]`],
    ['Llama', `<|python_tag|>{"type":"function","name":"get_weather","parameters":${boston}}`],
    ['Granite', `<|tool_call|>[${call}]`],
    [
      'Command R',
      `<|START_ACTION|>\n[{"tool_call_id":"0","tool_name":"get_weather","parameters":${boston}}]\n<|END_ACTION|>`,
    ],
    ['Nemotron', `<TOOLCALL>[${call}]</TOOLCALL>`],
    [
      'what OpenAI sends',
      JSON.stringify({
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'get_weather', arguments: boston } },
        ],
      }),
    ],
    ['a wrapper', `{"tool_call": ${call}}`],
    ['a function by name', `{"type":"function","function":"get_weather","parameters":${boston}}`],
    ['reasoning before it', `<think>Maybe ${call.replace('Boston', 'Paris')}?</think>\n${call}`],
    ['reasoning that the prompt began', `I might ${call.replace('B', 'P')}.\n</think>\n\n${call}`],
    ['reasoning behind it, cut off', `${call}\n<thinking>and now`],
    ['the same call again', `${call}\nThat is:\n\`\`\`json\n${call}\n\`\`\``],
    ['double braces, as in a template', `{${call}}`],
    ['braces in prose', `Fill in {location}: ${call}`],
  ])('%s', (_, text) => {
    const found = check(text);
    expect(found).toMatchObject({ name: 'get_weather', arguments: boston });
    const { start, end } = found as FoundCall;
    expect(text.slice(start, end)).toContain('weather');
    const { call: whole } = findToolCall(text);
    expect(whole && gate.decide(whole)).toMatchObject({
      action: 'run',
      id: whole?.id,
      arguments: { location: 'Boston' },
    });
    for (let at = 0; at <= text.length; at++) {
      expect(inFragments(cut(text, [at])).result, `cut at ${at}`).toEqual(found);
    }
  });

  it('its place is that of its tag or fence', () => {
    const place = (text: string) => {
      const { call: found } = findToolCall(text);
      return found && text.slice(found.start, found.end);
    };
    expect(place(`🚀 <tool_call>\n${call}\n</tool_call> done`)).toBe(
      `<tool_call>\n${call}\n</tool_call>`,
    );
    expect(place(`So:\n\`\`\`json\n${call}\n\`\`\`\ndone`)).toBe(`\`\`\`json\n${call}\n\`\`\``);
    expect(place(`so [${call}] done`)).toBe(`[${call}]`);
    expect(place(`so ${call} \`\`\``)).toBe(call);
  });

  it('a tool of an unknown name is found, and the gate reports it', () => {
    const { call: found } = findToolCall(call.replace('get_', ''), { names });
    expect(found && gate.decide(found)).toMatchObject({ kind: 'unknown-tool', name: 'weather' });
  });

  it('no arguments: by null, by an empty string, in a tag, or by a known name alone', () => {
    for (const text of [
      '{"tool":"now","arguments":null}',
      '{"tool":"now","arguments":""}',
      '<tool_call>{"name":"now"}</tool_call>',
      '{"name":"now"}',
      '{"type":"function","function":{"name":"now"}}',
    ]) {
      expect(check(text, { names })).toMatchObject({ name: 'now', arguments: '' });
      const { call: found } = findToolCall(text, { names });
      expect(found && gate.decide(found)).toMatchObject({ action: 'run', text: '{}' });
    }
    expect(check('{"name":"now"}')).toMatchObject({ kind: 'none' });
    expect(check('{"name":"now","city":"Boston"}', { names })).toMatchObject({ kind: 'none' });
  });

  it('arguments of the wrong shape are the gate’s to report', () => {
    for (const [text, kind] of [
      ['[1]', 'not-object'],
      ['12', 'not-object'],
      ['"Boston"', 'malformed'],
      ['"{\\"location\\": \\"Bos"', 'truncated'],
    ]) {
      const { call: found } = findToolCall(`{"tool":"get_weather","arguments":${text}}`);
      expect(found && gate.decide(found)).toMatchObject({ action: 'report', kind });
    }
  });
});

describe('no call, and why', () => {
  const twice = `${call} ${call.replace('Boston', 'Paris')}`;

  it.each<[string, NoCall['kind'], string]>([
    ['', 'none', 'nothing in the text reads as a tool call'],
    ['I have no access to that.', 'none', 'nothing in the text reads as a tool call'],
    [boston, 'none', 'nothing in the text reads as a tool call'],
    ['{"name":"Alice"}', 'none', 'nothing in the text reads as a tool call'],
    ['{"example":{"name":"a","arguments":{}}}', 'none', 'nothing in the text reads as a tool call'],
    [JSON.stringify(call), 'none', 'nothing in the text reads as a tool call'],
    ['wrap it in `<tool_call>` tags', 'none', 'nothing in the text reads as a tool call'],
    [
      "{'name': 'a', 'arguments': {}}",
      'none',
      'nothing in the text reads as a tool call; what begins like one is not valid JSON (key must be a string)',
    ],
    [`<think>${call}`, 'none', 'the text ended inside its reasoning, and no tool call came'],
    [
      `${call}\n</think>\nDone.`,
      'none',
      'the only tool call stands in the reasoning, and none came behind it',
    ],
    [twice, 'ambiguous', 'the text holds more than one tool call'],
    [
      `[TOOL_CALLS] [${call}, ${call.replace('get', 'set')}]`,
      'ambiguous',
      'the text holds more than one tool call',
    ],
    ['{"tool":"a","name":"b","arguments":{}}', 'ambiguous', 'the tool call has more than one name'],
    [
      '{"tool":"a","arguments":{},"parameters":{}}',
      'ambiguous',
      'the tool call has arguments twice',
    ],
    [
      '{"name":"a","parameters":{"type":"object","properties":{}}}',
      'ambiguous',
      'what reads as a tool call reads as the definition of a tool too',
    ],
    [
      `{"name":"get_weather","arguments":${boston},"units":"celsius"}`,
      'ambiguous',
      'the tool call has members beside its name and arguments that may be arguments',
    ],
    [call.slice(0, -1), 'truncated', 'the tool call was cut off (EOF while parsing an object)'],
    [`[${call}`, 'truncated', 'the tool call was cut off (EOF while parsing a list)'],
    ['<tool_call>', 'truncated', 'the tool call was cut off (EOF while parsing a value)'],
    [
      '{"tool":"a","arguments":{x}}',
      'malformed',
      'the tool call was not valid JSON (key must be a string)',
    ],
    [
      `${call} {"tool":"a","arguments":{x}}`,
      'malformed',
      'the tool call was not valid JSON (key must be a string)',
    ],
    [
      '<tool_call>\n<function=a>\n</tool_call>',
      'malformed',
      'what was announced as a tool call is not a JSON object with a name and arguments',
    ],
    [
      `<tool_call>${boston}</tool_call>`,
      'malformed',
      'what was announced as a tool call is not a JSON object with a name and arguments',
    ],
  ])('%s', (text, kind, reason) => {
    expect(check(text)).toEqual({ call: null, kind, reason });
    for (let at = 0; at <= text.length; at++) {
      expect(inFragments(cut(text, [at])).result).toEqual({ call: null, kind, reason });
    }
  });

  it('a call beyond the limit is none, and holds no memory', () => {
    const long = `{"tool":"a","arguments":"${'x'.repeat(100)}"}`;
    expect(check(long, { maxLength: 50 })).toEqual({
      call: null,
      kind: 'malformed',
      reason: 'the tool call was too large (more than 50 UTF-16 units)',
    });
    expect(check(long, { maxLength: 103 })).toMatchObject({ arguments: 'x'.repeat(100) });
    expect(check(long, { maxLength: Infinity })).toMatchObject({ name: 'a' });
  });
});

describe('while the text streams', () => {
  it.each<[readonly (readonly [string, FinderStatus])[]]>([
    [
      [
        ['I will ', 'text'],
        ['look: {', 'maybe'],
        ['"na', 'maybe'],
        ['me": "a", "arguments"', 'call'],
        [': {}} ok', 'call'],
      ],
    ],
    [
      [
        ['<tool', 'maybe'],
        ['box>', 'text'],
      ],
    ],
    [
      [
        ['<tool_call>', 'maybe'],
        [' \n', 'maybe'],
        ['{', 'call'],
      ],
    ],
    [
      [
        ['<tool_call>', 'maybe'],
        [' is a tag', 'text'],
      ],
    ],
    [
      [
        ['a `', 'maybe'],
        ['b` and ', 'text'],
      ],
    ],
    [
      [
        ['```', 'maybe'],
        ['py', 'maybe'],
        ['\n', 'maybe'],
        ['x = {}', 'text'],
      ],
    ],
    [
      [
        ['```json\n', 'maybe'],
        ['{"tool":"a",', 'maybe'],
        ['"arguments"', 'call'],
      ],
    ],
    [
      [
        ['[', 'maybe'],
        ['1', 'maybe'],
        ['](x)', 'text'],
      ],
    ],
    [
      [
        ['[TOOL', 'maybe'],
        ['_CALLS]', 'maybe'],
        ['[', 'maybe'],
        ['{', 'call'],
      ],
    ],
    [
      [
        ['if (a < ', 'text'],
        ['b) { ', 'maybe'],
        ['return }', 'text'],
      ],
    ],
    [
      [
        ['{"city":', 'maybe'],
        ['"Boston"', 'maybe'],
        ['}', 'text'],
      ],
    ],
    [
      [
        ['<th', 'text'],
        ['ink> {"tool":"a","arguments":{}}', 'text'],
        ['</think>', 'text'],
        ['{', 'maybe'],
      ],
    ],
    [
      [
        [call, 'call'],
        ['</thi', 'call'],
        ['nk>', 'text'],
        ['so', 'text'],
      ],
    ],
    [
      [
        ['<tool_call>', 'maybe'],
        ['<thi', 'maybe'],
        ['nk>', 'text'],
      ],
    ],
    [
      [
        ['[TOOL_CALLS]<', 'maybe'],
        ['b', 'call'],
      ],
    ],
  ])('%j', (steps) => {
    const finder = createToolCallFinder();
    for (const [fragment, status] of steps) {
      expect(finder.feed(fragment), fragment).toBe(status);
    }
  });

  it('half a surrogate pair joins its other half, and one alone stays what it is', () => {
    const text = '🚀{"tool":"🚀","arguments":{"a":"🚀"}}🚀';
    const { result } = inFragments(units(text));
    expect(result).toMatchObject({ name: '🚀', arguments: '{"a":"🚀"}', start: 2 });
    expect(check('{"tool":"a","arguments":{"a":"\u{d83d}"}}')).toMatchObject({
      arguments: '{"a":"\u{d83d}"}',
    });
  });

  it('text of any length, with a pair at every place where it is cut', () => {
    for (let before = 32_765; before <= 32_769; before++) {
      const text = `${'x'.repeat(before)}🚀 ${call.replace('Boston', '🚀'.repeat(20_000))}`;
      const found = plain(findToolCall(text));
      expect(found).toMatchObject({ start: before + 3, end: text.length });
      const { arguments: raw } = found as FoundCall;
      expect(raw).toBe(`{"location": "${'🚀'.repeat(20_000)}"}`);
    }
  });

  it('`finish` gives the same again, and nothing can be fed behind it', () => {
    const finder = createToolCallFinder();
    finder.feed(call);
    const found = finder.finish();
    expect(finder.finish()).toBe(found);
    expect(() => finder.feed('')).toThrow(new TypeError('this finder has finished'));
    finder[Symbol.dispose]();
    expect(finder.finish()).toBe(found);
  });

  it('disposed of, it has nothing more to say, and one does not disturb another', () => {
    const one = createToolCallFinder();
    one.feed(call);
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    const other = createToolCallFinder();
    other.feed('{"tool":"b",');
    for (const work of [() => one.feed('x'), () => one.finish()]) {
      expect(work).toThrow(new TypeError('this finder was disposed of'));
    }
    other.feed('"arguments":{}}');
    expect(other.finish().call).toMatchObject({ name: 'b' });
  });
});

describe('properties', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    "'",
    '{"',
    '":',
    '{}',
    ' ',
    '\n',
    '1',
    'x',
    '🚀',
    '\u{d83d}',
    '"name"',
    '"tool"',
    '"arguments"',
    '"parameters"',
    '"function"',
    '"tool_calls"',
    '"a"',
    '"now"',
    '<tool_call>',
    '</tool_call>',
    '[TOOL_CALLS]',
    '<think>',
    '</think>',
    '```',
    '```json\n',
    '<',
    call,
    '{"tool":"a","arguments":{}}',
    '{"tool":"a","arguments":"{}"}',
    '{"name":"now"}',
  );
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  it('fragments give what the whole gives, and text that was shown belongs to no call', () => {
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.nat({ max: 9 })), (text, lengths) => {
        const whole = check(text, { names });
        const places: number[] = [];
        for (let at = lengths.next().value; at < text.length; at += lengths.next().value + 1) {
          places.push(at);
        }
        expect(inFragments(cut(text, places), { names }).result).toEqual(whole);
      }),
      { numRuns: runs },
    );
  });

  it('what is cut off never runs, wherever it is cut and whatever stands around it', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => `<tool_call>${text}`,
      (text) => `\`\`\`json\n${text}`,
      (text) => `[TOOL_CALLS][${text}]`,
      (text) => `{"function":${text}}`,
    );
    const open = createGate([{ name: 'a' }], { forbiddenKeys: 'allow' });
    fc.assert(
      fc.property(value, fc.boolean(), wrap, fc.nat(), (input, asString, around, seed) => {
        const given = JSON.stringify(input);
        const whole = around(
          JSON.stringify({ name: 'a', arguments: asString ? given : '@' }).replace(
            '"@"',
            () => given,
          ),
        );
        const { call: found } = findToolCall(whole);
        expect(found?.arguments).toBe(given);
        expect(found && open.decide(found)).toMatchObject({ action: 'run', text: given });
        const prefix = whole.slice(0, seed % whole.length);
        const { call: inPrefix } = findToolCall(prefix);
        expect(inPrefix, prefix).toBeNull();
      }),
      { numRuns: runs },
    );
  });

  it('arguments as a string are decided on as they are by themselves', () => {
    for (const raw of caseTexts.filter((text) => text.isWellFormed() && text !== '')) {
      const { call: found } = findToolCall(JSON.stringify({ tool: 'tool', arguments: raw }));
      expect(found?.arguments).toBe(raw);
      expect(parseToolArguments('tool', found?.arguments)).toEqual(parseToolArguments('tool', raw));
    }
  });

  it('recorded arguments of small models, in a call as text: what is whole by itself runs', () => {
    let ran = 0;
    let not = 0;
    for (const { tool, fragments, repair, value } of recordingRows) {
      const raw = fragments.join('');
      const open = createGate([{ name: tool }]);
      const { call: found } = findToolCall(`{"name": "${tool}", "arguments": ${raw}}`);
      const decision = found && open.decide(found);
      if (repair === 'none' || repair === 'double-encoding') {
        ran++;
        expect(decision).toMatchObject({ action: 'run', arguments: value });
      } else if (!/\}\s*\}/.test(raw)) {
        // But where a text closes more than it opened: there the call ends, and what follows is prose.
        not++;
        expect(decision?.action, raw).not.toBe('run');
      }
    }
    expect(ran).toBeGreaterThan(10);
    expect(not).toBeGreaterThan(10);
  });
});

describe('hostile texts', () => {
  it.each([
    '{',
    '[',
    '{"a":',
    '[{"tool":',
    '<',
    '`',
    '```',
    '<tool_',
    '{"tool":"',
    '"',
    '\\',
    '[1,',
    '<think>',
    '[TOOL_CALLS]',
    call,
  ])('%s, over and over: no work is done twice', (piece) => {
    const text = piece.repeat(2_000_000 / piece.length);
    const began = cpuTime();
    const whole = plain(findToolCall(text));
    // A quadratic search of these would take hours.
    expect(cpuTime() - began).toBeLessThan(10_000);
    const finder = createToolCallFinder();
    for (let at = 0; at < text.length; at += 4099) {
      finder.feed(text.slice(at, at + 4099));
    }
    expect(plain(finder.finish())).toEqual(whole);
  });

  it('finders that are dropped do not pile up', async () => {
    const { gc } = globalThis as { gc?: () => void };
    const held = () => {
      gc?.();
      return process.memoryUsage().rss;
    };
    const begun = `{"tool":"a","arguments":{"a":"${'x'.repeat(4096)}`;
    const round = async (count: number) => {
      for (let index = 0; index < count; index++) {
        createToolCallFinder().feed(begun);
        if (index % 1000 === 0) {
          // Finalizers run between turns of the event loop, as they do in a server.
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
      }
    };
    await round(20_000);
    const before = held();
    await round(100_000);
    // All of them would be 800 MB and more.
    expect(held() - before).toBeLessThan(250 << 20);
  });

  it('10,000 finders that are open at once', () => {
    const finders = Array.from({ length: 10_000 }, () => createToolCallFinder());
    for (const [index, finder] of finders.entries()) {
      finder.feed(`{"tool":"tool_${index}",`);
    }
    for (const [index, finder] of finders.entries()) {
      finder.feed('"arguments":{}}');
      expect(finder.finish().call?.name).toBe(`tool_${index}`);
    }
  });

  it('names and keys of a prototype are only text', () => {
    const text = '{"thought":{"__proto__":1},"tool":"__proto__","arguments":{"__proto__":{}}}';
    const { call: found } = findToolCall(text);
    expect(found).toMatchObject({ name: '__proto__', arguments: '{"__proto__":{}}' });
    expect(found && gate.decide(found)).toMatchObject({ kind: 'unknown-tool' });
  });
});

describe('the seeds', () => {
  const smuggled =
    'Here\'s the tool call:\n\n```json\n{"tool": "get_weather", "arguments": {"location": "Boston"}}\n';

  it('the JSON smuggler, with and without the end of its fence', () => {
    for (const text of [smuggled, `${smuggled}\`\`\``]) {
      expect(check(text)).toMatchObject({ name: 'get_weather', arguments: boston });
    }
  });

  it('the thinking token polluter: reasoning before a call is left out, reasoning in it is told', () => {
    const polluted = smuggled.replace('Boston', 'Let me think about this... Boston has weather...');
    const { call: found } = findToolCall(polluted);
    expect(found && gate.decide(found).findings).toMatchObject([{ code: 'thinking-leak' }]);
  });

  it('the schema guesser: an object without a name is no call', () => {
    expect(check('{"location": "Boston", "type": "celsius"}', { names })).toMatchObject({
      kind: 'none',
    });
  });

  it('the non-decider', () => {
    const text =
      "I don't have access to real-time weather data, but I can tell you that Boston in March is typically...";
    expect(check(text, { names })).toMatchObject({ kind: 'none' });
  });
});

describe('misuse', () => {
  it('a text that is no string', () => {
    for (const { what, value } of oddValues()) {
      if (typeof value !== 'string') {
        const misuse = /^text must be a string \(got .+\)$/;
        expect(() => findToolCall(value as string), what).toThrow(misuse);
        expect(() => createToolCallFinder().feed(value as string), what).toThrow(misuse);
      }
    }
  });

  it('wrong options', () => {
    for (const { what, value } of oddValues()) {
      for (const [options, misuse] of [
        [value, /^options must be an object|^options\.\w+ (?:must be|could not be read)/],
        [{ names: value }, /^options\.names (?:must be an array of strings|could not be read)/],
        [{ names: [value] }, /^options\.names must be an array of strings \(got .+ in it\)$/],
        [{ maxLength: value }, /^options\.maxLength must be/],
      ] as const) {
        for (const work of [
          () => findToolCall('', options as FindOptions),
          () => createToolCallFinder(options as FindOptions),
        ]) {
          let error: unknown;
          try {
            work();
          } catch (caught) {
            error = caught;
          }
          if (error !== undefined) {
            expect((error as Error).message, what).toMatch(misuse);
            expect((error as Error).name).toMatch(/^(?:Type|Range)Error$/);
          }
        }
      }
    }
    expect(() => findToolCall('', null as never)).toThrow('options must be an object (got null)');
    expect(() => findToolCall('', { names: 'a' as never })).toThrow(
      new TypeError('options.names must be an array of strings (got a string)'),
    );
    expect(() => findToolCall('', { names: [1 as never] })).toThrow(
      new TypeError('options.names must be an array of strings (got a number in it)'),
    );
    expect(() => findToolCall('', { maxLength: -1 })).toThrow(RangeError);
  });

  it('a method of another object', () => {
    const other = Object.create(createToolCallFinder()) as ToolCallFinder;
    expect(() => other.feed('x')).toThrow(TypeError);
  });
});
