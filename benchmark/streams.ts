// Arguments as they stream: 20 KB in fragments of four characters.

import assert from 'node:assert/strict';

import { createScanner } from './argspan.js';
import { duel } from './duel.js';
import { type Fixture, fragmentsOf, required } from './fixtures.js';
import { type Effort, kept } from './race.js';
import type { Row, Section } from './results.js';

export const streamSections: readonly Section[] = [
  {
    id: 'fragments',
    title:
      '20 KB in 4-character fragments, as a share of the time of joining them and one `JSON.parse`',
    note: '`feed` for each fragment, then `finish`, which decides and gives the value.',
  },
  {
    id: 'verdicts',
    title:
      "The same with `verdict` read after every fragment: a fragment's time as a share of a 32-byte `JSON.parse`",
    note: '`finish` is spread over the fragments.',
  },
];

/** How many characters (UTF-16 units) a fragment has. */
export const FRAGMENT = 4;

const streamed = [required.code, required.ascii, required.prose];

/** Feeds all, and decides. */
export function feedAll(fragments: readonly string[]): unknown {
  const scanner = createScanner();
  for (const fragment of fragments) {
    scanner.feed(fragment);
  }
  return scanner.finish('write');
}

/** Feeds all, asks for the verdict after each, and decides. */
export function feedAndLook(fragments: readonly string[]): unknown {
  const scanner = createScanner();
  for (const fragment of fragments) {
    scanner.feed(fragment);
    kept.result = scanner.verdict;
  }
  return scanner.finish('write');
}

/** What one does without a scanner: knows nothing until the end. */
export function joinAndParse(fragments: readonly string[]): unknown {
  let text = '';
  for (const fragment of fragments) {
    text += fragment;
  }
  return JSON.parse(text);
}

/** Every way gives the value, and the verdict is right wherever it is read. */
function prove(text: string, fragments: readonly string[]): void {
  const value: unknown = JSON.parse(text);
  const accepted = { status: 'accepted', name: 'write', value, text, repair: 'none' };
  const outcome = { ...accepted, span: { start: 0, end: text.length } };
  assert.deepEqual(feedAll(fragments), outcome);
  assert.deepEqual(feedAndLook(fragments), outcome);
  assert.deepEqual(joinAndParse(fragments), value);

  const scanner = createScanner();
  for (const [index, fragment] of fragments.entries()) {
    scanner.feed(fragment);
    const last = index === fragments.length - 1;
    assert.equal(scanner.verdict, last ? 'complete' : 'incomplete');
  }
}

async function measureFragments({ texts, title }: Fixture, effort: Effort): Promise<Row> {
  const fragments = fragmentsOf(texts[0], FRAGMENT);
  return duel(
    { section: 'fragments', what: title, reading: 'share', target: { must: 2, aim: 1.3 } },
    { name: 'argspan', run: () => feedAll(fragments) },
    { name: 'JSON.parse', run: () => joinAndParse(fragments) },
    effort,
  );
}

async function measureVerdicts({ texts, title }: Fixture, effort: Effort): Promise<Row> {
  const fragments = fragmentsOf(texts[0], FRAGMENT);
  const tiny = required.tiny.texts;
  const parseTiny = (index: number): unknown => JSON.parse(tiny[index & 15] as string);
  return duel(
    { section: 'verdicts', what: title, reading: 'share', target: { must: 0.5, aim: 0.3 } },
    { name: 'argspan', run: () => feedAndLook(fragments), things: fragments.length },
    { name: 'JSON.parse', run: parseTiny },
    effort,
  );
}

export async function* streams(effort: Effort): AsyncGenerator<Row> {
  for (const { texts } of streamed) {
    prove(texts[0], fragmentsOf(texts[0], FRAGMENT));
  }
  for (const fixture of streamed) {
    yield await measureFragments(fixture, effort);
  }
  for (const fixture of streamed) {
    yield await measureVerdicts(fixture, effort);
  }
}
