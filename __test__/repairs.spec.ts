// Opt-in repairs of a text: what each accepts, what none accepts, and that nothing else changes.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createGate } from '../src/gate/index.js';
import {
  check,
  createScanner,
  parse,
  parseToolArguments,
  type Outcome,
  type Repair,
  type TextRepair,
} from '../src/index.js';
import { allRepairs, textRepairs } from '../src/repairs.js';
import { cut, feedAll, inBytes, tell } from './support/drive.js';
import { decisionRows, fieldReports, recordingRows } from './support/fixtures.js';
import { anyBytes, anyPlaces, anyText, objectText, placesIn, runs } from './support/generate.js';
import { cpuTime } from './support/cpu-time.js';

const all = { repairs: textRepairs };

/** Every set of repairs of a text, fewer before more. */
const sets = Array.from({ length: 2 ** textRepairs.length }, (_, bits) =>
  textRepairs.filter((__, index) => (bits & (2 ** index)) !== 0),
).sort((one, other) => one.length - other.length);

function decide(text: string | Uint8Array, repairs: readonly TextRepair[]): Outcome {
  return parseToolArguments('tool', text, { repairs });
}

/** A text, what it needs, and the object that it becomes where that is not a part of it. */
type Row = readonly [text: string, needs: readonly Repair[], object: string];

const rows: readonly Row[] = [
  ['As [RFC] says {see 4.1}, I call it now: {"freq": 50}', ['unique-object'], '{"freq": 50}'],
  ['<think>{to, cc}</think>\n{"to": "é"} {ok}', ['unique-object'], '{"to": "é"}'],
  ['{"gain": 4}{"gain": 4}', ['repeated-copies'], '{"gain": 4}'],
  ['{"a":1}\n{"a":1}\n{"a":1}', ['repeated-copies'], '{"a":1}'],
  ['{"a":1}, {"a":1}', ['unique-object', 'repeated-copies'], '{"a":1}'],
  ['{"a": "x\ny\tz\u{0}"}', ['control-characters'], String.raw`{"a": "x\ny\tz\u0000"}`],
  ['{\n "a": "🚀\r\n"\n}', ['control-characters'], `{\n "a": "🚀\\r\\n"\n}`],
  ['```json\n{"a": "x\ny"}\n```', ['control-characters', 'fence'], String.raw`{"a": "x\ny"}`],
  ['Here: {"a": "x\ny"}.', ['control-characters', 'prose'], String.raw`{"a": "x\ny"}`],
  [
    String.raw`{"path": "C:\Users\ana", "é": "\d+"}`,
    ['literal-backslashes'],
    String.raw`{"path": "C:\\Users\\ana", "é": "\\d+"}`,
  ],
  ['{"pin": {"x": 1}}}', ['extra-closers'], '{"pin": {"x": 1}}'],
  ['é {"a":1} ]}} ok', ['unique-object', 'extra-closers'], '{"a":1}'],
  ['{see} {"a":"\\d\n"}} {"a":"\\d\n"}', textRepairs, String.raw`{"a":"\\d\n"}`],
];

describe('a text that is repaired', () => {
  it.each(rows)('%j', (text, needs, object) => {
    const optIn = needs.filter((name): name is TextRepair => textRepairs.includes(name as never));
    for (const repairs of sets) {
      const outcome = decide(text, repairs);
      if (!optIn.every((name) => repairs.includes(name))) {
        expect(outcome).toEqual(decide(text, []));
        continue;
      }
      const span = outcome.status === 'accepted' ? outcome.span : { start: 0, end: 0 };
      expect(outcome).toEqual({
        status: 'accepted',
        name: 'tool',
        value: JSON.parse(object) as unknown,
        text: object,
        repair: needs[0],
        ...(needs.length > 1 ? { repairs: needs } : {}),
        span,
      });
      const inside = text.slice(span.start, span.end);
      expect(inside.startsWith('{') && inside.endsWith('}')).toBe(true);
      expect(text.indexOf(inside)).toBe(span.start);
    }
  });

  it.each(rows)('in fragments, in bytes, and without a value: %j', (text) => {
    const whole = decide(text, textRepairs);
    for (let place = 0; place <= text.length; place++) {
      const scanner = feedAll(cut(text, [place]), all);
      const told = tell(scanner);
      expect(told.outcome).toEqual(whole);
      expect(told.report).toBeNull();
      expect(told.check).toEqual({
        verdict: scanner.verdict,
        repair: whole.status === 'accepted' && whole.repair,
        span: whole.status === 'accepted' && whole.span,
        kind: null,
        reason: null,
        error: null,
      });
    }
    const told = tell(feedAll([Buffer.from(text)], all));
    const expected = inBytes(tell(feedAll([text], all)), text);
    expect({ ...told, error: null }).toEqual({ ...expected, error: null });
    expect(decide(Buffer.from(text), textRepairs)).toEqual(told.outcome);
  });

  it.each(rows)('not where the call was cut off, by `parse` or by `check`: %j', (text) => {
    for (const stop of ['length', 'interrupted'] as const) {
      const outcome = parseToolArguments('tool', text, { ...all, stop });
      expect(outcome).toEqual(parseToolArguments('tool', text, { stop }));
      expect(outcome.status).toBe('reported');
      const scanner = feedAll([text], all);
      expect(scanner.finish('tool', stop)).toEqual(outcome);
      expect(scanner.report('tool', stop)).toEqual(outcome);
      expect(scanner.finishCheck(stop).kind).toBe('malformed');
    }
    expect(() => parse(text)).toThrow(SyntaxError);
    expect(check(text).kind).toBe('malformed');
  });

  it('counts from the first fragment, as other spans do', () => {
    const text = '  \u{feff}{é} {"a":1} ';
    expect(decide(text, textRepairs)).toMatchObject({ span: { start: 7, end: 14 } });
    expect(decide(Buffer.from(text), textRepairs)).toMatchObject({ span: { start: 10, end: 17 } });
    const half = decide('\u{d800}{x} {"a":1}', textRepairs);
    expect(half).toMatchObject({ text: '{"a":1}', span: { start: 5, end: 12 } });
  });

  it('a scanner goes on after it, and starts over', () => {
    const scanner = createScanner(all);
    scanner.feed('{"a":1}}');
    expect(scanner.verdict).toBe('malformed');
    expect(scanner.finish('tool')).toMatchObject({ repair: 'extra-closers' });
    scanner.feed(' {"b":');
    expect(scanner.finish('tool')).toMatchObject({ kind: 'malformed' });
    scanner.reset();
    scanner.feed('{"a":1}{"a":1}');
    expect(scanner.finish('tool')).toMatchObject({ repair: 'repeated-copies' });
  });
});

describe('a text that stays a report', () => {
  it.each([
    ['two objects', '{"a":1} {"b":2}'],
    ['an empty one and another', '{}{"a":1}'],
    ['copies that differ in white space', '{"a":1}{"a": 1}'],
    ['a broken one and another', '{"a": oops} {"b":2}'],
    ['one inside of an open one', '{"a": {"b": 1} oops'],
    ['one inside of a broken one', '{"a": {"b": 1} oops}'],
    ['one inside of other braces', '{see {"a":1}}'],
    ['an open one behind it', '{x} {"a":1} {"b":'],
    ['an open brace behind it', '{x} {"a":1} {b'],
    ['the rest of it behind it', '{"a":1}, "b": 2}'],
    ['copies and a part of one', '{"a":1}{"a":1}{"a"'],
    ['a control character outside of strings', '{"a":\u{1}1}'],
    ['an open string with a newline', '{"a":"x\ny'],
    ['a missing quote before a newline', '{"a":"x,\n"b":"y"}'],
    ['one legal escape among the others', String.raw`{"path": "C:\Users\new"}`],
    ['a backslash before the closing quote', String.raw`{"path": "C:\dir\"}`],
    ['an apostrophe that was escaped', String.raw`{"note": "nine o\'clock"}`],
    ['an escape of other languages', String.raw`{"a": "\x1b[0m"}`],
    ['a part of an escape', String.raw`{"a": "\u12"}`],
    ['a trailing comma', '{"a":1,}'],
    ['single quotes', `{'a': 1}`],
    ['a list of copies', '[{"a":1},{"a":1}]'],
    ['a string that holds copies', '"{\\"a\\":1}{\\"a\\":1}"'],
    ['a text that ends inside a character', '{"a":1}{"a":1}\u{d83d}'],
    ['a cut text', '{"a":1'],
    ['no object', 'I cannot do that'],
  ])('%s', (_, text) => {
    for (const repairs of sets) {
      expect(decide(text, repairs)).toEqual(decide(text, []));
    }
    expect(decide(text, textRepairs).status).toBe('reported');
  });

  it('bytes that end inside a character, or are none', () => {
    const copies = Buffer.from('{"a":1}{"a":1}');
    for (const more of [[0xe2, 0x82], [0xff]]) {
      const bytes = Buffer.concat([copies, Buffer.from(more)]);
      expect(decide(bytes, textRepairs)).toEqual(decide(bytes, []));
      expect(feedAll([bytes], all).finish('tool').status).toBe('reported');
    }
  });
});

describe('what the caller may ask for', () => {
  it.each([
    ['a string', 'unique-object', TypeError, 'options.repairs must be a list (got a string)'],
    ['null', null, TypeError, 'options.repairs must be a list (got null)'],
    ['a number in it', [1], TypeError, 'options.repairs[0] must be a string (got a number)'],
    ['another name', ['fence'], RangeError, "options.repairs[0] must be one of 'unique-object', "],
    ['a name of every object', ['constructor'], RangeError, "(got 'constructor')"],
    [
      'what needs a schema',
      ['nested-json', 'extra-closers', 'lossless-coerce'],
      RangeError,
      "options.repairs must not have 'nested-json' and 'lossless-coerce', which a gate alone can do",
    ],
  ])('%s', (_, repairs, kind, message) => {
    const options = { repairs: repairs as never };
    for (const use of [
      () => parseToolArguments('tool', '{}', options),
      () => createScanner(options),
    ]) {
      expect(use).toThrow(kind);
      expect(use).toThrow(message);
    }
  });

  it('needs the text', () => {
    expect(() => createScanner({ ...all, keepText: false })).toThrow(TypeError);
    expect(() => createScanner({ repairs: [], keepText: false })).not.toThrow();
  });

  it('names twice, and no names', () => {
    const twice = ['extra-closers', 'extra-closers'] as const;
    expect(decide('{}}', twice)).toMatchObject({ repair: 'extra-closers' });
    expect(decide('{}}', [])).toEqual(parseToolArguments('tool', '{}}'));
  });
});

describe('files of cases', () => {
  it.each([...textRepairs.map((name) => [name]), textRepairs].map((set) => [set.join(), set]))(
    'decisions: what is accepted comes out identical with %s',
    (_, repairs) => {
      let repaired = 0;
      for (const { raw } of decisionRows) {
        const [before, after] = [decide(raw, []), decide(raw, repairs)];
        if (before.status === 'accepted' || before.kind === 'truncated') {
          expect(after, raw).toEqual(before);
        } else if (after.status === 'accepted') {
          repaired++;
          expect(JSON.parse(after.text), raw).toEqual(after.value);
        } else {
          expect(after, raw).toEqual(before);
        }
      }
      expect(repaired).toBeGreaterThan(repairs.length === 1 ? -1 : 10);
    },
  );

  it('recordings: what the token limit cut stays a report, the rest is as it was or repaired', () => {
    let repaired = 0;
    for (const { id, tool, stop: how, fragments } of recordingRows) {
      const stop = how === 'length' ? 'length' : 'finished';
      const text = fragments.join('');
      const before = parseToolArguments(tool, text, { stop });
      const after = parseToolArguments(tool, text, { ...all, stop });
      expect(feedAll(fragments, all).finish(tool, stop), id).toEqual(after);
      if (stop === 'length' || before.status === 'accepted' || after.status === 'reported') {
        expect(after, id).toEqual(before);
      } else {
        repaired++;
      }
    }
    expect(repaired).toBeGreaterThan(10);
  });
});

describe('public reports, each with all repairs: what the user wants, or a report as before', () => {
  interface Report {
    readonly id: string;
    readonly title: string;
    readonly outcome: string;
    readonly expect: { readonly value?: unknown };
    readonly tool?: { readonly name: string; readonly parameters: Record<string, unknown> };
  }
  const texts = fieldReports.filter(({ input_form: form }) => form !== 'events');
  const repaired: Readonly<Record<string, Repair>> = {
    b07: 'repeated-copies',
    b28: 'unique-object',
    b49: 'extra-closers',
    b53: 'lossless-coerce',
    m24: 'unique-object',
  };
  /** What would have to be guessed, or is another layer's: an envelope, a thought, another syntax. */
  const reported = ['b04', 'b06', 'b33', 'b34', 'b47', 'm02', 'm21', 'm39', 'm41', 'm44'];

  it('those that users want repaired are all known', () => {
    const wanted = texts.filter((row) => (row as unknown as Report).outcome === 'repaired');
    const byRule = wanted.filter(({ default: { status } }) => status === 'accepted');
    const known = [...byRule.map(({ id }) => id), ...Object.keys(repaired), ...reported];
    // One is accepted by the rule alone, and refused by its schema.
    expect(wanted.map(({ id }) => id).sort()).toEqual([...new Set(known)].sort());
  });

  it.each(texts.map((row) => [row.id, row.title, row] as const))('%s: %s', (id, _, row) => {
    const { tool, expect: want } = row as unknown as Report;
    const input = row.input_form === 'fragments' ? (row.input as string[]).join('') : row.input;
    const { name, parameters } = tool ?? { name: 'tool', parameters: undefined };
    const call = { id: 'call_1', name, arguments: row.input_form === 'null' ? null : input };
    const before = createGate([{ name, parameters }]).decide(call);
    const after = createGate([{ name, parameters }], { repairs: allRepairs }).decide(call);
    const repair = repaired[id];
    if (repair === undefined) {
      expect(after).toEqual(before);
    } else {
      expect(before.action).toBe('report');
      expect(after).toMatchObject({ action: 'run', repair, arguments: want.value });
    }
  });
});

/** Objects as a model might write them, with what else it might write. */
const damaged: fc.Arbitrary<string> = fc
  .tuple(
    objectText,
    fc.constantFrom('', 'Here: ', '{see 4.1} ', '{"a":', '```json\n', '}'),
    fc.constantFrom('', '}', ' ]}', ' {x}', ' {"a', '\n```', ', "b": 1}'),
    fc.integer({ min: 1, max: 3 }),
    fc.constantFrom('', '\n', ', '),
    fc.constantFrom(...['\\n', '\\"', '\\\\', 'a'].values()),
    fc.constantFrom('\n', '\t', '\\d', '"', '\\', '', '\u{0}'),
  )
  .map(([object, before, behind, copies, between, from, to]) => {
    const body = Array.from({ length: copies }, () => object.replaceAll(from, to)).join(between);
    return before + body + behind;
  });

const someText = fc.oneof(anyText, damaged);

describe('properties', () => {
  it('with every repair on, nothing truncated is accepted and nothing accepted changes', () => {
    let repaired = 0;
    fc.assert(
      fc.property(fc.oneof(someText, anyBytes), (text) => {
        const [before, after] = [decide(text, []), decide(text, textRepairs)];
        if (before.status === 'accepted' || before.kind !== 'malformed') {
          expect(after).toEqual(before);
        } else if (after.status === 'accepted') {
          repaired++;
          expect(check(after.text)).toMatchObject({ repair: 'none', kind: null });
          expect(JSON.parse(after.text)).toEqual(after.value);
        }
        for (const stop of ['length', 'interrupted'] as const) {
          const options = { ...all, stop };
          expect(parseToolArguments('tool', text, options).status).toBe(
            parseToolArguments('tool', text, { stop }).status,
          );
        }
      }),
      { numRuns: runs * 4 },
    );
    expect(repaired).toBeGreaterThan(runs / 20);
  });

  it('more repairs never change an outcome that was accepted with fewer', () => {
    fc.assert(
      fc.property(someText, (text) => {
        const outcomes = sets.map((repairs) => ({ repairs, outcome: decide(text, repairs) }));
        for (const { repairs, outcome } of outcomes) {
          if (outcome.status === 'reported') {
            continue;
          }
          for (const other of outcomes) {
            if (repairs.every((name) => other.repairs.includes(name))) {
              expect(other.outcome).toEqual(outcome);
            }
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it('any cutting of a text gives the same outcome', () => {
    fc.assert(
      fc.property(someText, anyPlaces, (text, places) => {
        const whole = decide(text, textRepairs);
        const scanner = feedAll(cut(text, placesIn(text, places)), all);
        expect(scanner.finish('tool')).toEqual(whole);
        expect(scanner.report('tool')).toEqual(whole.status === 'reported' ? whole : null);
        expect(scanner.finishCheck().kind).toBe(whole.status === 'reported' ? whole.kind : null);
      }),
      { numRuns: runs * 2 },
    );
  });

  it.each(['{', '}', '\\', '"', '{}', '{"a":1}', '\n', '{"a":"\n', '\\d', '{x}'])(
    'a megabyte of %j is decided in no time',
    (unit) => {
      const text = unit.repeat(2 ** 20 / unit.length);
      const start = cpuTime();
      for (const hostile of [text, `{"a":"${text}"}`, `{"a":"${text}`, `{x} ${text}{"a":1}`]) {
        decide(hostile, textRepairs);
      }
      // What is quadratic in a megabyte takes minutes.
      expect(cpuTime() - start).toBeLessThan(10_000);
    },
  );
});
