// Whole texts: `check`, `parse` and `parseToolArguments` beside `JSON.parse`.

import assert from 'node:assert/strict';

import { check, parse, parseToolArguments } from './argspan.js';
import { type Pair, duel } from './duel.js';
import { type Fixture, others, required } from './fixtures.js';
import type { Effort } from './race.js';
import type { Row, Section, Target } from './results.js';

export const wholeSections: readonly Section[] = [
  {
    id: 'check',
    title: '`check(bytes)`, times faster than `JSON.parse(bytes.toString())`',
    note: '`check` builds no value: it says whether the text is acceptable, and where its object is.',
  },
  {
    id: 'parse-string',
    title: "`parse(string)`, as a share of `JSON.parse`'s time",
    note: 'The value is built by `JSON.parse` itself, so the question is what is added to it.',
  },
  {
    id: 'parse-bytes',
    title: '`parse(bytes)`, as a share of the time of `JSON.parse(bytes.toString())`',
    note: '`parse` also refuses bytes that are not UTF-8, which `toString` replaces silently.',
  },
  {
    id: 'decide',
    title: "`parseToolArguments(string)`, as a share of `JSON.parse`'s time",
    note: 'It decides by the exact rule, then lets `JSON.parse` build the value.',
  },
  {
    id: 'other',
    title: 'Other shapes and other calls',
    note: 'Where `JSON.parse` alone does not give the object, what users write by hand stands beside.',
  },
];

/** Calls `use` with one input after the other; their number is a power of two. */
function inTurn<T>(inputs: readonly T[], use: (input: T) => unknown): (index: number) => unknown {
  const mask = inputs.length - 1;
  assert.equal(inputs.length & mask, 0);
  return (index) => use(inputs[index & mask] as T);
}

/** Compares two ways to treat the same inputs. */
export async function compare<T>(
  pair: Pair,
  inputs: readonly T[],
  own: (input: T) => unknown,
  other: (input: T) => unknown,
  effort: Effort,
): Promise<Row> {
  return duel(
    pair,
    { name: 'argspan', run: inTurn(inputs, own) },
    { name: pair.rival ?? 'JSON.parse', run: inTurn(inputs, other) },
    effort,
  );
}

const checkTargets: Readonly<Record<string, Target>> = {
  tiny: { must: 3, aim: 5 },
  small: { must: 5, aim: 10 },
  code: { must: 10, aim: 15 },
  ascii: { must: 3, aim: 6 },
  dense: { must: 5, aim: 10 },
};

/** The same decisions and values as `JSON.parse`, before anything is timed. */
function prove({ texts }: Fixture): void {
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const value: unknown = JSON.parse(text);
    const whole = { verdict: 'complete', repair: 'none', kind: null, reason: null, error: null };
    assert.deepEqual(check(bytes), { ...whole, span: { start: 0, end: bytes.length } });
    assert.deepEqual(check(text), { ...whole, span: { start: 0, end: text.length } });
    assert.deepEqual(parse(text), value);
    assert.deepEqual(parse(bytes), value);
    for (const raw of [text, bytes]) {
      const outcome = parseToolArguments('write', raw);
      assert.equal(outcome.status, 'accepted');
      assert.deepEqual({ value: outcome.value, text: outcome.text }, { value, text });
    }
  }
}

function parseString(text: string): unknown {
  return JSON.parse(text);
}

function parseBytes(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString());
}

function decideString(text: string): unknown {
  return parseToolArguments('write', text);
}

function decideBytes(bytes: Buffer): unknown {
  return parseToolArguments('write', bytes);
}

/** The object between the first `{` and the last `}`, as one finds it by hand. */
function parseSlice(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

function parseTwice(text: string): unknown {
  return JSON.parse(JSON.parse(text) as string);
}

function parseOrCatch(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return (error as Error).message;
  }
}

function bytesOf({ texts }: Fixture): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}

/** The texts of the requirements. */
export async function* wholeTexts(effort: Effort): AsyncGenerator<Row> {
  const all = Object.values(required);
  for (const fixture of all) {
    prove(fixture);
  }
  for (const fixture of all) {
    const target = checkTargets[fixture.name];
    const pair: Pair = { section: 'check', what: fixture.title, reading: 'faster' };
    const aimed = target === undefined ? pair : { ...pair, target };
    yield await compare(aimed, bytesOf(fixture), check, parseBytes, effort);
  }
  for (const { texts, title } of all) {
    const target = { must: 1.05, aim: 1 };
    const pair: Pair = { section: 'parse-string', what: title, reading: 'share', target };
    yield await compare(pair, texts, parse, parseString, effort);
  }
  for (const fixture of all) {
    const target = { must: fixture.bytes <= 256 ? 1.15 : 1.08, aim: 1 };
    const pair: Pair = { section: 'parse-bytes', what: fixture.title, reading: 'share', target };
    yield await compare(pair, bytesOf(fixture), parse, parseBytes, effort);
  }
  for (const { bytes, texts, title } of all) {
    const target = bytes === 32 ? { must: 1.7, aim: 1.3 } : { must: 1.5, aim: 1.15 };
    const pair: Pair = { section: 'decide', what: title, reading: 'share', target };
    yield await compare(pair, texts, decideString, parseString, effort);
  }
}

/** Shapes and calls of which nothing is required. */
export async function* otherTexts(effort: Effort): AsyncGenerator<Row> {
  const section = 'other';
  const reading = 'faster';
  const { fenced, double, ...plain } = others;
  for (const fixture of Object.values(plain)) {
    prove(fixture);
    const what = `\`check(bytes)\`, ${fixture.title}`;
    const rival = '`JSON.parse(bytes.toString())`';
    const inputs = bytesOf(fixture);
    yield await compare({ section, what, rival, reading }, inputs, check, parseBytes, effort);
  }
  for (const { texts, title } of [...Object.values(required), ...Object.values(plain)]) {
    const what = `\`check(string)\`, ${title}`;
    yield await compare(
      { section, what, rival: '`JSON.parse`', reading },
      texts,
      check,
      parseString,
      effort,
    );
  }
  for (const fixture of Object.values(required)) {
    const what = `\`parseToolArguments(bytes)\`, ${fixture.title}`;
    const rival = '`JSON.parse(bytes.toString())`';
    const inputs = bytesOf(fixture);
    yield await compare({ section, what, rival, reading }, inputs, decideBytes, parseBytes, effort);
  }
  yield* repaired(fenced, '`JSON.parse` of the slice from `{` to `}`', parseSlice, effort);
  yield* repaired(double, '`JSON.parse` twice', parseTwice, effort);

  // Cut where the output limit cuts: in the middle of a string.
  const cut = required.small.texts.map((text) => text.slice(0, 180));
  const what = '`parseToolArguments(string)`, 180 of 200 B: the report';
  const rival = '`JSON.parse`, caught';
  for (const text of cut) {
    const outcome = parseToolArguments('write', text);
    assert.ok(outcome.status === 'reported' && outcome.kind === 'truncated');
  }
  yield await compare({ section, what, rival, reading }, cut, decideString, parseOrCatch, effort);
}

/** Texts that hold their object in some wrapping. */
async function* repaired(
  { texts, title }: Fixture,
  rival: string,
  byHand: (text: string) => unknown,
  effort: Effort,
): AsyncGenerator<Row> {
  for (const text of texts) {
    assert.deepEqual(parse(text), byHand(text));
  }
  const pair = { section: 'other', rival, reading: 'faster' as const };
  const what = (call: string): string => `\`${call}(string)\`, ${title}`;
  yield await compare({ ...pair, what: what('check') }, texts, check, byHand, effort);
  yield await compare({ ...pair, what: what('parse') }, texts, parse, byHand, effort);
}
