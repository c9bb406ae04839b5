// argspan against one rival: who takes turns with whom, and the row that comes of it.

import assert from 'node:assert/strict';

import { type Contestant, type Effort, race, ratioOf } from './race.js';
import type { Reading, Row, Target } from './results.js';

/** What is compared, as its row says it. */
export interface Pair {
  readonly section: string;
  readonly what: string;
  readonly rival?: string;
  readonly reading: Reading;
  readonly target?: Target | null;
}

/** Times argspan and a rival. */
export async function duel(
  { section, what, rival, reading, target }: Pair,
  argspan: Contestant,
  other: Contestant,
  effort: Effort,
): Promise<Row> {
  const [mine, theirs] = await race([argspan, other], effort);
  assert.ok(mine !== undefined && theirs !== undefined);
  return {
    section,
    what,
    rival: rival ?? null,
    reading,
    ...(reading === 'faster' ? ratioOf(theirs, mine) : ratioOf(mine, theirs)),
    own: mine.nanos,
    other: theirs.nanos,
    target: target ?? null,
  };
}
