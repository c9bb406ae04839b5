// Feeds one text to a scanner in many ways and writes down all that it has to say.

import { createScanner } from '../../src/index.js';
import { trim } from './rule.js';
import type {
  ArgumentScanner,
  Check,
  Outcome,
  Reported,
  ScanError,
  ScannerOptions,
  Span,
  StopSignal,
  Verdict,
} from '../../src/index.js';

export type Fragment = string | Uint8Array;

/** Everything that a scanner says about what it was fed. */
export interface Told {
  readonly outcome: Outcome;
  readonly check: Check;
  readonly report: Reported | null;
  readonly verdict: Verdict;
  readonly depth: number;
  readonly inString: boolean;
  readonly objectStart: number | null;
  readonly span: Span | null;
  readonly error: ScanError | null;
}

export function feedAll(
  fragments: Iterable<Fragment>,
  options: ScannerOptions = {},
  look = false,
): ArgumentScanner {
  const scanner = createScanner(options);
  for (const fragment of fragments) {
    scanner.feed(fragment);
    if (look) {
      void scanner.verdict;
    }
  }
  return scanner;
}

export function tell(scanner: ArgumentScanner, stop: StopSignal = 'finished'): Told {
  const { verdict, depth, inString, objectStart, span, error } = scanner;
  return {
    outcome: scanner.finish('tool', stop),
    check: scanner.finishCheck(stop),
    report: scanner.report('tool', stop),
    verdict,
    depth,
    inString,
    objectStart,
    span,
    error,
  };
}

/** What a scanner says that was fed these fragments. */
export function told(
  fragments: Iterable<Fragment>,
  options: { look?: boolean; stop?: StopSignal; scanner?: ScannerOptions } = {},
): Told {
  return tell(feedAll(fragments, options.scanner, options.look), options.stop);
}

/** Cuts a string or bytes at these places, in any order. */
export function cut<T extends Fragment>(text: T, places: readonly number[]): T[] {
  const sorted = [0, ...places, text.length].sort((a, b) => a - b);
  const pieces: T[] = [];
  for (const [index, place] of sorted.slice(1).entries()) {
    pieces.push(text.slice(sorted[index], place) as T);
  }
  return pieces;
}

/** One fragment a UTF-16 unit, or a byte. */
export function units<T extends Fragment>(text: T): T[] {
  return cut(
    text,
    Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => index + 1),
  );
}

/** What was told of a string, with positions in bytes: what has to be told of its bytes. */
export function inBytes(what: Told, text: string): Told {
  const place = (at: number): number => Buffer.byteLength(text.slice(0, at));
  const span = (value: Span | null): Span | null =>
    value && { start: place(value.start), end: place(value.end) };
  const error = (value: ScanError | null): ScanError | null => {
    if (value?.code === 'invalid-escape') {
      // It can stand inside a character: serde_json takes four bytes for four digits.
      return { ...value, offset: byteAt(text, value) };
    }
    return value && { ...value, offset: place(value.offset) };
  };
  const { outcome, check, report } = what;
  return {
    ...what,
    outcome:
      outcome.status === 'accepted'
        ? { ...outcome, span: span(outcome.span)! }
        : { ...outcome, error: error(outcome.error) },
    check: { ...check, span: span(check.span), error: error(check.error) },
    report: report && { ...report, error: error(report.error) },
    objectStart: what.objectStart === null ? null : place(what.objectStart),
    span: span(what.span),
    error: error(what.error),
  };
}

/** The byte at a line and column, which are counted in the trimmed text. */
export function byteAt(text: string, { line, column }: ScanError): number {
  const wellFormed = text.toWellFormed();
  const trimmed = trim(wellFormed);
  const start = wellFormed.indexOf(trimmed);
  const before = trimmed.split('\n').slice(0, line - 1);
  const lineStart = Buffer.byteLength(before.map((one) => `${one}\n`).join(''));
  return Buffer.byteLength(wellFormed.slice(0, start)) + lineStart + column - 1;
}
