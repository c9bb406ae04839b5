/** Counts over many replays: the table that closes the demo. */
import type { ReportKind, RuleRepair } from '../index.js';
import type { Replay } from './replay.js';

/** The repairs and the kinds of report, in the order of the table. */
export const repairs = [
  'none',
  'empty',
  'fence',
  'prose',
  'double-encoding',
] as const satisfies readonly RuleRepair[];
export const kinds = [
  'truncated',
  'not-object',
  'malformed',
  'invalid-utf8',
  'unsupported-type',
  'too-large',
] as const satisfies readonly ReportKind[];

/** What a set of calls came to. Shares are between 0 and 1, and 0 where there was nothing. */
export interface Summary {
  readonly recordings: number;
  readonly fragments: number;
  readonly bytes: number;
  readonly accepted: { readonly total: number } & Readonly<Record<RuleRepair, number>>;
  readonly reported: { readonly total: number } & Readonly<Record<ReportKind, number>>;
  /** Reported only because of the stop signal: the text was acceptable where the limit cut it. */
  readonly acceptableButCut: number;
  /** Calls whose verdict was `malformed`, whether an abort saved something or not. */
  readonly hopeless: number;
  readonly saved: {
    readonly fragments: number;
    readonly fragmentsShare: number;
    readonly bytes: number;
    readonly bytesShare: number;
  };
  /** Recordings that hold a decision, and those of them where ours is the same. */
  readonly compared: number;
  readonly agreed: number;
}

/** Counts. */
export function summarise(replays: readonly Replay[]): Summary {
  const accepted = { total: 0, none: 0, empty: 0, fence: 0, prose: 0, 'double-encoding': 0 };
  const reported = {
    total: 0,
    truncated: 0,
    'not-object': 0,
    malformed: 0,
    'invalid-utf8': 0,
    'unsupported-type': 0,
    'too-large': 0,
  };
  for (const { outcome } of replays) {
    if (outcome.status === 'accepted') {
      accepted.total += 1;
      // No other repair was asked for.
      accepted[outcome.repair as RuleRepair] += 1;
    } else {
      reported.total += 1;
      reported[outcome.kind] += 1;
    }
  }

  const fragments = sum(replays, (replay) => replay.fragments);
  const bytes = sum(replays, (replay) => replay.bytes);
  const savedFragments = sum(replays, (replay) => replay.saved.fragments);
  const savedBytes = sum(replays, (replay) => replay.saved.bytes);
  return {
    recordings: replays.length,
    fragments,
    bytes,
    accepted,
    reported,
    acceptableButCut: count(replays, acceptableButCut),
    hopeless: count(replays, (replay) => replay.hopeless !== null),
    saved: {
      fragments: savedFragments,
      fragmentsShare: share(savedFragments, fragments),
      bytes: savedBytes,
      bytesShare: share(savedBytes, bytes),
    },
    compared: count(replays, (replay) => replay.agrees !== null),
    agreed: count(replays, (replay) => replay.agrees === true),
  };
}

function acceptableButCut({ changes, outcome }: Replay): boolean {
  const verdict = changes.at(-1)?.verdict ?? 'empty';
  return outcome.status === 'reported' && (verdict === 'complete' || verdict === 'empty');
}

/** The part of the whole, 0 where there is no whole. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function sum(replays: readonly Replay[], value: (replay: Replay) => number): number {
  return replays.reduce((total, replay) => total + value(replay), 0);
}

function count(replays: readonly Replay[], holds: (replay: Replay) => boolean): number {
  return replays.filter(holds).length;
}
