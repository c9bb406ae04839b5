/**
 * Seen from outside: what happens at gates, told on `node:diagnostics_channel`. It costs a look at
 * a flag while nobody listens.
 */

import { channel } from 'node:diagnostics_channel';
import { types } from 'node:util';

import { isBytes, typeOf } from '../input.js';
import type { GateReportKind, Repair } from '../outcome.js';
import { isToolCall } from './decide.js';
import type { GateSettings } from './options.js';
import type { RetryErrorKind } from './retry-error.js';
import type { DecideContext, FindingCode, GateCall, ReportDecision, RunDecision } from './types.js';
import { shortened } from './words.js';

/** Characters of an id or a name, which a model may have made up. */
const TEXT_MAX = 200;

/** In which shape arguments came. */
export type ArgumentShape =
  | 'string'
  | 'bytes'
  | 'object'
  | 'map'
  | 'null'
  | 'undefined'
  | 'blank'
  | 'double-encoded'
  | 'other';

/** What `argspan:decision` carries. */
export interface DecisionMessage {
  readonly backend: string | null;
  readonly id: string;
  readonly tool: string;
  readonly action: 'run' | 'report';
  readonly shape: ArgumentShape;
  /** Of a report. */
  readonly kind: GateReportKind | null;
  /** Of a call that runs. */
  readonly repair: Repair | null;
  /** All of them, where it took several; none of a report, or where it took one. */
  readonly repairs: readonly Repair[];
  readonly final: boolean;
  readonly findings: readonly FindingCode[];
  /** Characters (or bytes) that came, and characters of the text or message that it became. */
  readonly sizes: { readonly raw: number; readonly result: number };
  /** What came, and the arguments that were read, as far as redaction lets them be seen. */
  readonly raw: unknown;
  readonly arguments: unknown;
}

/** What `argspan:retry` carries. */
export interface RetryMessage {
  readonly backend: string | null;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly kind: RetryErrorKind;
  /** Until the next attempt; `null` after the last. */
  readonly delayMs: number | null;
}

/** The names of the channels. */
export const decisionChannel = 'argspan:decision';
export const retryChannel = 'argspan:retry';

const decisions = channel(decisionChannel);
const retries = channel(retryChannel);

/** The values behind a message, for those who redact by themselves. */
export interface Source {
  readonly raw: unknown;
  readonly arguments: unknown;
}
const sources = new WeakMap<object, Source>();

/** The values behind a message of the channel. */
export function sourceOf(message: object): Source | undefined {
  return sources.get(message);
}

/** Whether anybody listens to decisions. */
export function someoneWatches(): boolean {
  return decisions.hasSubscribers;
}

/** Tells of a decision. */
export function publishDecision(
  { redact }: GateSettings,
  call: GateCall,
  context: DecideContext | undefined,
  decision: RunDecision<string, unknown> | ReportDecision,
): void {
  const runs = decision.action === 'run';
  const raw = rawOf(call);
  const read = runs ? decision.arguments : null;
  const { name } = decision;
  const message: DecisionMessage = {
    backend: context?.backend ?? null,
    id: shortened(decision.id, TEXT_MAX),
    tool: shortened(name, TEXT_MAX),
    action: decision.action,
    shape: argumentShape(raw),
    kind: runs ? null : decision.kind,
    repair: runs ? decision.repair : null,
    repairs: runs ? (decision.repairs ?? []) : [],
    final: runs ? false : decision.final,
    findings: decision.findings.map(({ code }) => code),
    sizes: { raw: sizeOf(raw), result: (runs ? decision.text : decision.message).length },
    raw: redact(raw, { name, what: 'raw' }),
    arguments: redact(read, { name, what: 'arguments' }),
  };
  sources.set(message, { raw, arguments: read });
  decisions.publish(message);
}

/** Tells of an attempt that failed. */
export function publishRetry(message: RetryMessage): void {
  if (retries.hasSubscribers) {
    retries.publish(message);
  }
}

function rawOf(call: GateCall): unknown {
  return isToolCall(call) ? call.rawText : call.arguments;
}

/** In which shape arguments came. */
function argumentShape(raw: unknown): ArgumentShape {
  if (typeof raw === 'string') {
    const text = raw.trim();
    if (text === '') {
      return 'blank';
    }
    return text.startsWith('"') && text.endsWith('"') ? 'double-encoded' : 'string';
  }
  if (raw === null) {
    return 'null';
  }
  if (raw === undefined) {
    return 'undefined';
  }
  if (isBytes(raw)) {
    return 'bytes';
  }
  if (types.isMap(raw)) {
    return 'map';
  }
  return typeof raw === 'object' && !typeOf(raw).startsWith('an array') ? 'object' : 'other';
}

function sizeOf(raw: unknown): number {
  if (typeof raw === 'string') {
    return raw.length;
  }
  return isBytes(raw) ? raw.byteLength : 0;
}
