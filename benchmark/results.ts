// What a run leaves behind: rows of numbers, each with what it must reach, and where it was run.

import type { Machine } from './machine.js';

/**
 * How a row's value reads.
 *
 * - `faster`: how many times faster argspan is than its rival
 * - `share`: argspan's time as a share of the rival's
 * - `spread`: the dearest of several sizes, as a multiple of the cheapest
 * - `bytes`: a size
 * - `nanos`: a time, in nanoseconds
 */
export type Reading = 'faster' | 'share' | 'spread' | 'bytes' | 'nanos';

/** What must be, and what is aimed for. */
export interface Target {
  readonly must: number;
  readonly aim: number;
}

/** One measurement. */
export interface Row {
  readonly section: string;
  /** What was measured. */
  readonly what: string;
  /** What it was measured against, where that is not the section's own. */
  readonly rival: string | null;
  readonly reading: Reading;
  readonly value: number;
  /** The quartiles of the pairs that `value` is the median of. */
  readonly spread: readonly [low: number, high: number] | null;
  /** Nanoseconds, argspan's and the rival's. */
  readonly own: number | null;
  readonly other: number | null;
  /** What else there is to say, in place of the two times. */
  readonly detail?: string;
  readonly target: Target | null;
}

/** Rows that belong together. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** What a reader has to know. */
  readonly note: string;
}

/** A whole run. */
export interface Results {
  readonly date: string;
  readonly effort: string;
  readonly machine: Machine;
  readonly sections: readonly Section[];
  readonly rows: readonly Row[];
  readonly remarks: readonly string[];
}

export type Mark = 'PASS' | 'MISS' | '';

function reaches({ reading, value }: Row, wanted: number): boolean {
  return reading === 'faster' ? value >= wanted : value <= wanted;
}

/** Whether what must be is reached; empty where nothing must. */
export function markOf(row: Row): Mark {
  if (row.target === null) {
    return '';
  }
  return reaches(row, row.target.must) ? 'PASS' : 'MISS';
}

export function reachesAim(row: Row): boolean {
  return row.target !== null && reaches(row, row.target.aim);
}

/** Whether the rival is faster, by more than a run differs from the next. */
export function loses(row: Row): boolean {
  return row.own !== null && row.other !== null && timeShare(row) > 1.02;
}

/** argspan's time as a share of the rival's. */
export function timeShare({ reading, value }: Row): number {
  return reading === 'faster' ? 1 / value : value;
}
