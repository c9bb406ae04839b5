/**
 * From the scanner's decision and the text to an outcome: for texts that are not plainly one object.
 *
 * Opt-in repairs come last. Which object a text holds, and which repairs it takes, depends on the
 * text alone (`native/scanner/src/repair`); what is asked for only decides whether that is enough.
 */

import { type Decision, ruleRepair } from './decision.js';
import { CHARACTER_BYTES_MAX } from './kept.js';
import { Fact, fact, repair } from './native.js';
import type { Accepted, Outcome, Reported, StopSignal, ToolArguments } from './outcome.js';
import { type RepairSet, toRepairNames } from './repairs.js';
import { buildReport, echoOf } from './report.js';

/** What a decision depends on beside the text, checked and complete. */
export interface Settings {
  readonly stop: StopSignal;
  readonly echoLimit: number;
  readonly bytesMax: number;
  readonly stopHint: boolean;
  readonly repairs: RepairSet;
}

/** Gives the text between two positions, in the units that the scanner counted. */
export type Slice = (start: number, end: number) => string;

/** The outcome of a decision on a text that can be had in full. */
export function outcomeOf(
  name: string | null,
  decision: Decision,
  settings: Settings,
  slice: Slice,
): Outcome {
  if (decision.kind !== null) {
    if (settings.repairs !== 0) {
      const repaired = repairedText(name, decision, settings, slice);
      if (repaired !== null) {
        return repaired;
      }
    }
    return reportOf(name, decision, settings, slice, objectText(decision, slice));
  }
  const text = objectText(decision, slice) ?? '{}';
  return {
    status: 'accepted',
    name: name ?? '',
    value: JSON.parse(text) as ToolArguments,
    text,
    repair: decision.foundBy ?? 'none',
    span: decision.span ?? { start: 0, end: 0 },
  } satisfies Accepted;
}

/** The exact text of the object that a decision found. */
export function objectText({ span, foundBy, loneHalf }: Decision, slice: Slice): string | null {
  if (span === null) {
    return null;
  }
  if (foundBy === 'empty') {
    return '{}';
  }
  const found = slice(span.start, span.end);
  const text = loneHalf ? found.toWellFormed() : found;
  if (foundBy !== 'double-encoding') {
    return text;
  }
  // Around the object in the string stands white space only.
  const content = JSON.parse(text) as string;
  return content.slice(content.indexOf('{'), content.lastIndexOf('}') + 1);
}

/** The report of a decision that does not accept; `slice` need only reach as far as the echo. */
export function reportOf(
  name: string | null,
  { kind, reason, error, text }: Decision,
  { stop, echoLimit, stopHint }: Settings,
  slice: Slice,
  object: string | null,
): Reported {
  // Enough for the echo and one character more, whatever they are made of.
  const end = Math.min(text.end, text.start + (echoLimit + 1) * CHARACTER_BYTES_MAX);
  const quoted = echoLimit === 0 ? '' : slice(text.start, end);
  return buildReport({
    name,
    kind: kind ?? 'malformed',
    reason: reason ?? '',
    error,
    ...echoOf(quoted, echoLimit),
    object,
    stop,
    echoLimit,
    stopHint,
  });
}

/** What the repairs that are asked for make of a text, or `null` where it stays a report. */
export function repairedText(
  name: string | null,
  { kind, text }: Decision,
  { stop, repairs: allowed }: Settings,
  slice: Slice,
): Accepted | null {
  if (kind !== 'malformed' || stop !== 'finished') {
    return null;
  }
  const given = slice(text.start, text.end);
  const object = repair(given, allowed);
  if (object === null) {
    return null;
  }
  // Whoever counts units has as many of them as the text.
  const inUnits = text.end - text.start === given.length;
  const start = fact(inUnits ? Fact.textStart : Fact.spanStart);
  const end = fact(inUnits ? Fact.textEnd : Fact.spanEnd);
  return {
    status: 'accepted',
    name: name ?? '',
    value: JSON.parse(object) as ToolArguments,
    text: object,
    ...toRepairNames(fact(Fact.repairs), ruleRepair(fact(Fact.summary)) ?? 'none'),
    span: { start: text.start + start, end: text.start + end },
  };
}
