/**
 * The decision that the addon made last, read out of its numbers.
 */

import { Fact, Summary, errorEntry, fact, verdictOf } from './native.js';
import type { Check, RuleRepair, ScanError, Span, StopSignal } from './outcome.js';
import { cutReasons, errorReason } from './report.js';

/** A decision as the scanner made it. */
export interface Decision extends Check {
  /** The text without the white space around it. */
  readonly text: Span;
  /** How the object at `span` was found, also where the stop signal keeps it from being accepted. */
  readonly foundBy: RuleRepair | null;
  /** Whether half a surrogate pair stands in what was fed, which counts as U+FFFD. */
  readonly loneHalf: boolean;
}

/** The rule's own repairs, in the order of the addon's numbers. */
const ruleRepairs = ['none', 'empty', 'fence', 'prose', 'double-encoding'] as const;
const kinds = [null, 'truncated', 'not-object', 'malformed', 'invalid-utf8', 'too-large'] as const;

/** The rule's own repair with this number. */
export function ruleRepair(number: number): RuleRepair | null {
  return ruleRepairs[number] ?? null;
}

/** Reads the decision that the addon made last. */
export function readDecision(summary: number, stop: StopSignal, bytesMax: number): Decision {
  const kind = kinds[(summary >> Summary.kindShift) & Summary.threeBits] ?? null;
  // One more than the repair's number, so that none is 0.
  const foundBy = ruleRepair(((summary >> Summary.repairShift) & Summary.threeBits) - 1);
  const error = readError(bytesMax);
  const cut = (summary & Summary.cut) !== 0;
  return {
    verdict: verdictOf(summary),
    repair: kind === null ? foundBy : null,
    span: foundBy === null ? null : readSpan(),
    kind,
    reason: cut ? cutReasons[stop] : (error?.reason ?? null),
    error,
    text: { start: fact(Fact.textStart), end: fact(Fact.textEnd) },
    foundBy,
    loneHalf: (summary & Summary.loneHalf) !== 0,
  };
}

/** Reads the span that the addon wrote last; `null` where it wrote that there is none. */
export function readSpan(): Span | null {
  const start = fact(Fact.spanStart);
  return start < 0 ? null : { start, end: fact(Fact.spanEnd) };
}

/** Reads the error that the addon wrote last; `null` where it wrote that there is none. */
export function readError(bytesMax: number): ScanError | null {
  const entry = errorEntry(fact(Fact.errorCode));
  if (entry === null) {
    return null;
  }
  const line = fact(Fact.errorLine);
  const column = fact(Fact.errorColumn);
  const place = { line, column, invalidAt: fact(Fact.invalidAt), bytesMax };
  return {
    code: entry.name,
    reason: errorReason(entry.name, entry.text, place),
    offset: fact(Fact.errorOffset),
    line,
    column,
  };
}

/** What a decision says to a program: the part of it that is public. */
export function toCheck(decision: Decision): Check {
  const { verdict, repair, span, kind, reason, error } = decision;
  return { verdict, repair, span, kind, reason, error };
}
