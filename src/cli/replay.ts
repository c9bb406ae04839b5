/**
 * Replays one recorded call through a scanner, as a client would have seen it.
 *
 * A client looks after each fragment, so that is where a verdict changes and where
 * an abort could happen. The byte is finer: a second scanner gets the same text a
 * character at a time and tells at which byte of the fragment the change was due.
 */
import { isDeepStrictEqual } from 'node:util';

import {
  createScanner,
  type ArgumentScanner,
  type Outcome,
  type RuleRepair,
  type ScanError,
  type Span,
  type StopSignal,
  type Verdict,
} from '../index.js';
import type { Expected, Recording } from './recordings.js';

/** Fragments and bytes that had been fed when something became true. */
export interface Place {
  readonly fragment: number;
  readonly byte: number;
}

/** A verdict that differs from the one after the fragment before. */
export interface VerdictChange extends Place {
  readonly verdict: Verdict;
}

/** All that the demo shows about one call. Offsets are bytes of its UTF-8 text. */
export interface Replay {
  readonly recording: Recording;
  readonly stop: StopSignal;
  readonly fragments: number;
  readonly bytes: number;
  /** Every change after the `empty` that all calls begin with. */
  readonly changes: readonly VerdictChange[];
  /** Where the first `{` stands. */
  readonly objectStart: number | null;
  /** The object, and when it was known: only where the verdict stayed `complete`. */
  readonly known: (Place & { readonly span: Span }) | null;
  /** When no continuation could be accepted any more. */
  readonly hopeless: (Place & { readonly error: ScanError | null }) | null;
  /** What an abort after the fragment that made the call hopeless would have saved. */
  readonly saved: { readonly fragments: number; readonly bytes: number };
  /** How the text ended. */
  readonly end: { readonly depth: number; readonly inString: boolean };
  /** The decision with the stop signal as recorded. */
  readonly outcome: Outcome;
  /** Whether the decision by the text alone is the recorded one; null where none was recorded. */
  readonly agrees: boolean | null;
}

/** Replays one recording. */
export function replay(recording: Recording): Replay {
  const scanner = createScanner();
  const probe = createScanner();
  try {
    return replayWith(recording, scanner, probe);
  } finally {
    scanner[Symbol.dispose]();
    probe[Symbol.dispose]();
  }
}

function replayWith(
  recording: Recording,
  scanner: ArgumentScanner,
  probe: ArgumentScanner,
): Replay {
  const changes: VerdictChange[] = [];
  let verdict: Verdict = 'empty';
  let hopelessBytes: number | null = null;

  for (const [index, fragment] of recording.fragments.entries()) {
    scanner.feed(fragment);
    const due = lastChange(probe, fragment);
    if (scanner.verdict === verdict) {
      continue;
    }
    verdict = scanner.verdict;
    changes.push({ verdict, fragment: index + 1, byte: due });
    if (verdict === 'malformed') {
      hopelessBytes = scanner.bytes;
    }
  }

  const { fragments } = recording;
  const { bytes } = scanner;
  const text = fragments.join('');
  const last = changes.at(-1);
  const hopeless = last?.verdict === 'malformed' ? last : null;
  const span = scanner.span;
  const stop = recording.stop === 'length' ? 'length' : 'finished';
  return {
    recording,
    stop,
    fragments: fragments.length,
    bytes,
    changes,
    objectStart: scanner.objectStart === null ? null : byteOffset(text, scanner.objectStart),
    known:
      last?.verdict === 'complete' && span !== null
        ? { ...placeOf(last), span: byteSpan(text, span) }
        : null,
    hopeless: hopeless === null ? null : { ...placeOf(hopeless), error: scanner.error },
    saved: {
      fragments: hopeless === null ? 0 : fragments.length - hopeless.fragment,
      bytes: hopelessBytes === null ? 0 : bytes - hopelessBytes,
    },
    end: { depth: scanner.depth, inString: scanner.inString },
    outcome: scanner.finish(recording.tool, stop),
    agrees:
      recording.expected === null
        ? null
        : agrees(scanner.finish(recording.tool), recording.expected),
  };
}

/**
 * Scans a recording against the clock, the verdict looked at after each fragment.
 * Apart from `replay`, whose bookkeeping costs more than the scan.
 */
export function timeScan(recording: Recording): { milliseconds: number; verdict: Verdict } {
  const scanner = createScanner();
  let verdict: Verdict = 'empty';
  const start = performance.now();
  for (const fragment of recording.fragments) {
    scanner.feed(fragment);
    verdict = scanner.verdict;
  }
  const milliseconds = performance.now() - start;
  scanner[Symbol.dispose]();
  return { milliseconds, verdict };
}

/** Feeds a fragment character by character; the byte after which its last verdict held. */
function lastChange(probe: ArgumentScanner, fragment: string): number {
  let { verdict, bytes } = probe;
  for (const character of fragment) {
    probe.feed(character);
    if (probe.verdict === verdict) {
      continue;
    }
    ({ verdict, bytes } = probe);
  }
  return bytes;
}

function placeOf({ fragment, byte }: Place): Place {
  return { fragment, byte };
}

// The scanner was fed strings and counts in UTF-16 units; a reader compares with bytes.
function byteSpan(text: string, { start, end }: Span): Span {
  return { start: byteOffset(text, start), end: byteOffset(text, end) };
}

function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}

function agrees(outcome: Outcome, expected: Expected): boolean {
  if (outcome.status === 'reported') {
    return expected.status === 'reported' && outcome.message === expected.message;
  }
  return (
    expected.status === 'accepted' &&
    // No other repair was asked for.
    recordedRepair(outcome.repair as RuleRepair) === expected.repair &&
    isDeepStrictEqual(outcome.value, expected.value)
  );
}

/** The word that recordings have for a repair. */
function recordedRepair(repair: RuleRepair): string {
  switch (repair) {
    case 'empty':
      return 'none';
    case 'fence':
    case 'prose':
      return 'span';
    case 'none':
    case 'double-encoding':
      return repair;
    default:
      return repair satisfies never;
  }
}
