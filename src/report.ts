/**
 * The one builder of messages: what the model is told, and what programs read beside it. Every
 * word of a report is written here, but those of an error's code, which are the scanner's.
 */

import { flat } from './flat.js';
import type {
  GateReportKind,
  ReportKind,
  Reported,
  ScanError,
  ScanErrorCode,
  StopSignal,
} from './outcome.js';

/** Names of tools that a message lists. */
export const NAMES_MAX = 30;

/** Why a call was cut off, where its text is none of the reasons. */
export const cutReasons: Readonly<Record<StopSignal, string>> = {
  finished: '',
  length: 'the output was cut off by the token limit',
  interrupted: 'the stream ended before the call was complete',
};

const hints: Readonly<Record<StopSignal, string>> = {
  finished: '',
  length: '\nNothing was run. Make a smaller call that fits the limit.',
  interrupted: '\nNothing was run. Make the call again.',
};

/** Where an error lies, and what it is measured by. */
interface ErrorPlace {
  readonly line: number;
  readonly column: number;
  /** Where the first invalid sequence begins, in bytes. */
  readonly invalidAt: number;
  readonly bytesMax: number;
}

/** What is wrong with a text, and where. `text` is the code's, without a position. */
export function errorReason(code: ScanErrorCode, text: string, place: ErrorPlace): string {
  const { line, column, invalidAt, bytesMax } = place;
  if (code === 'invalid-utf8') {
    return `${text} at byte ${invalidAt}`;
  }
  if (code === 'too-large') {
    return tooLargeReason(bytesMax);
  }
  return line === 0 ? text : `${text} at line ${line} column ${column}`;
}

/** What is wrong with a text that is beyond its limit. */
export function tooLargeReason(bytesMax: number): string {
  return `more than ${bytesMax} bytes`;
}

/** What a report is made of. */
export interface ReportFacts {
  /** The tool's name, or `null` where there is none to speak of. */
  readonly name: string | null;
  readonly kind: ReportKind;
  readonly reason: string;
  readonly error: ScanError | null;
  /** The quoted characters, and whether the text has more. */
  readonly echo: string;
  readonly more: boolean;
  /** The object's own text, where there is one. */
  readonly object: string | null;
  readonly stop: StopSignal;
  readonly echoLimit: number;
  readonly stopHint: boolean;
}

/** Builds a report. */
export function buildReport(facts: ReportFacts): Reported {
  const { name, kind, reason, error, echo } = facts;
  return {
    status: 'reported',
    name: name ?? '',
    kind,
    reason,
    message: firstLine(facts) + (name === null ? '' : secondLine(name) + hint(facts)),
    error,
    echo,
    replay: facts.object ?? JSON.stringify({ INVALID_JSON: echo }),
  };
}

function firstLine({ name, kind, reason, error, echo, more, echoLimit }: ReportFacts): string {
  const subject = name === null ? 'The arguments' : `The arguments for \`${name}\``;
  const line = `${subject} were ${complaint(kind, error)} (${reason}).`;
  if (kind === 'unsupported-type' || echoLimit === 0) {
    return line;
  }
  return `${line} Received: ${echo}${more ? '…' : ''}`;
}

function complaint(kind: ReportKind, error: ScanError | null): string {
  switch (kind) {
    case 'truncated':
      if (error === null) {
        return 'not complete';
      }
      return error.code === 'eof-utf8' ? 'not valid UTF-8' : 'not valid JSON';
    case 'not-object':
    case 'malformed':
      return 'not valid JSON';
    case 'invalid-utf8':
      return 'not valid UTF-8';
    case 'unsupported-type':
      return 'not text or an object';
    case 'too-large':
      return 'too large';
    default:
      return kind satisfies never;
  }
}

function secondLine(name: string, schema: string | null = null): string {
  const behind = schema === null ? '.' : `: ${schema}`;
  return `\nCall \`${name}\` again with a single JSON object that matches its parameters${behind}`;
}

function hint({ kind, stop, stopHint }: ReportFacts): string {
  return kind === 'truncated' && stopHint ? hints[stop] : '';
}

/** One thing about the arguments that their schema does not allow. */
export interface Issue {
  /** Where, as RFC 6901 writes it; empty for the arguments as a whole. */
  readonly path: string;
  /** What the schema wants there, and what stands there, in words. */
  readonly expected: string;
  readonly received: string;
}

/** Why a call whose text is fine must not run. */
export type Complaint =
  | {
      readonly kind: 'schema';
      readonly issues: readonly Issue[];
      /** Whether there are more issues than these. */
      readonly more: boolean;
      /** The parameters as the message shows them, or `null` where it does not. */
      readonly schema: string | null;
    }
  | {
      readonly kind: 'unknown-tool';
      /** Those that there are, nearest first. */
      readonly names: readonly string[];
      readonly more: boolean;
    }
  | { readonly kind: 'forbidden-key'; readonly key: string; readonly path: string };

/** What a report on a call whose text is fine is made of. */
export interface ComplaintFacts {
  readonly name: string;
  readonly about: Complaint;
  readonly echo: string;
  readonly more: boolean;
  /** What is safe to stand in history. */
  readonly replay: string;
  readonly echoLimit: number;
}

/** Builds a report on a call whose text is fine. */
export function buildComplaint(facts: ComplaintFacts): Reported<GateReportKind> {
  const { name, about, echo, more, replay, echoLimit } = facts;
  const reason = complaintReason(about);
  const received = echoLimit === 0 ? '' : ` Received: ${echo}${more ? '…' : ''}`;
  return {
    status: 'reported',
    name,
    kind: about.kind,
    reason,
    message: complaintMessage(name, about, reason, received),
    error: null,
    echo,
    replay,
  };
}

function complaintReason(about: Complaint): string {
  switch (about.kind) {
    case 'schema': {
      const issues = about.issues.map(
        ({ path, expected, received }) =>
          `${path === '' ? '(root)' : path}: ${expected}, got ${received}`,
      );
      return [...issues, ...(about.more ? ['…'] : [])].join('; ');
    }
    case 'unknown-tool':
      return 'there is no tool of this name';
    case 'forbidden-key':
      return `the key \`${about.key}\` (${about.path}) is not allowed`;
    default:
      return about satisfies never;
  }
}

function complaintMessage(
  name: string,
  about: Complaint,
  reason: string,
  received: string,
): string {
  switch (about.kind) {
    case 'schema':
      return (
        `The arguments for \`${name}\` do not match its parameters (${reason}).${received}` +
        secondLine(name, about.schema)
      );
    case 'unknown-tool': {
      return `There is no tool \`${name}\`.${callOneOf(about.names, about.more)}`;
    }
    case 'forbidden-key': {
      const { key, path } = about;
      return (
        `The arguments for \`${name}\` hold the key \`${key}\` (${path}), which is not allowed.` +
        secondLine(name)
      );
    }
    default:
      return about satisfies never;
  }
}

function callOneOf(names: readonly string[], more: boolean): string {
  const choice = [...names, ...(more ? ['…'] : [])].join(', ');
  return choice === '' ? '' : ` Call one of: ${choice}.`;
}

/** A message with what a model is told once its corrections are spent. */
export function withLastAttempt(message: string): string {
  return `${message}\nThis was the last attempt at this call: do not make it again.`;
}

/** Why a text has no call that could be decided on. */
export interface NoCallFacts {
  readonly result:
    | 'nothing'
    | 'reasoning'
    | 'reasoned'
    | 'ambiguous'
    | 'truncated'
    | 'malformed'
    | 'not-a-call'
    | 'too-large';
  /** What the grammar says, where it says something. */
  readonly error: string | null;
  readonly ambiguity: 'calls' | 'names' | 'arguments' | 'definition' | 'members' | null;
  readonly maxLength: number;
}

/** The reason of every text that makes no call and does not try to. */
const nothingReads = 'nothing in the text reads as a tool call';

/** Says why, as the part of a sentence. */
export function noCallReason({ result, error, ambiguity, maxLength }: NoCallFacts): string {
  const detail = error === null ? '' : ` (${error})`;
  switch (result) {
    case 'nothing':
      return error === null
        ? nothingReads
        : `${nothingReads}; what begins like one is not valid JSON${detail}`;
    case 'reasoning':
      return 'the text ended inside its reasoning, and no tool call came';
    case 'reasoned':
      return 'the only tool call stands in the reasoning, and none came behind it';
    case 'ambiguous':
      return ambiguities[ambiguity ?? 'calls'];
    case 'truncated':
      return `the tool call was cut off${detail}`;
    case 'malformed':
      return `the tool call was not valid JSON${detail}`;
    case 'not-a-call':
      return 'what was announced as a tool call is not a JSON object with a name and arguments';
    case 'too-large':
      return `the tool call was too large (more than ${maxLength} UTF-16 units)`;
    default:
      return result satisfies never;
  }
}

const ambiguities: Readonly<Record<NonNullable<NoCallFacts['ambiguity']>, string>> = {
  calls: 'the text holds more than one tool call',
  names: 'the tool call has more than one name',
  arguments: 'the tool call has arguments twice',
  members: 'the tool call has members beside its name and arguments that may be arguments',
  definition: 'what reads as a tool call reads as the definition of a tool too',
};

/** What a model is told that should have called a tool, with the reason where it nearly did. */
export function noToolMessage(names: readonly string[], reason: string = nothingReads): string {
  const why = reason === nothingReads ? '' : ` (${reason})`;
  return `No tool was called${why}.${callOneOf(names.slice(0, NAMES_MAX), NAMES_MAX < names.length)}`;
}

/** What a model is told whose call is none, or has more than one reading. */
export function noCallMessage(reason: string, stop: StopSignal): string {
  const advice = hints[stop] || '\nNothing was run. Make one call, as a single JSON object.';
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.${advice}`;
}

/** The first characters of a text, and whether it has more. Half pairs become U+FFFD. */
export function echoOf(text: string, limit: number): { echo: string; more: boolean } {
  let index = 0;
  for (let count = 0; count < limit && index < text.length; count++) {
    index += (text.codePointAt(index) ?? 0) > 0xff_ff ? 2 : 1;
  }
  return { echo: flat(text.slice(0, index)).toWellFormed(), more: index < text.length };
}
