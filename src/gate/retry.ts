/**
 * Asking again: three attempts in all, each told what was wrong with the one before.
 */

import { setTimeout as sleep } from 'node:timers/promises';

import { readCount, readFlag, readOptions, typeOf } from '../input.js';
import type { GateReportKind, ToolArguments } from '../outcome.js';
import { noCallMessage, noToolMessage } from '../report.js';
import { type NoCall, findToolCall } from './find.js';
import type { Gate } from './gate.js';
import { publishRetry } from './observe.js';
import { readSignal } from './options.js';
import { type RetryErrorKind, ToolCallRetryError } from './retry-error.js';
import type {
  DecideContext,
  GateCall,
  ReportDecision,
  RunDecision,
  RunOf,
  ToolMap,
} from './types.js';
import { errorText } from './words.js';

/** The most milliseconds that a timer waits; with more it does not wait at all. */
const TIMER_MAX = 2 ** 31 - 1;

/** What an attempt is told. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  /** What was wrong with the attempt before; `null` for the first. */
  readonly feedback: string | null;
  readonly signal: AbortSignal | undefined;
}

/** What a model answered: text, in which {@link findToolCall} finds the call, a call, or calls. */
export type Answer = string | GateCall | readonly GateCall[];

/** What can be chosen about asking again. */
export interface RetryOptions<Tools extends ToolMap = Record<string, ToolArguments>> {
  readonly gate: Gate<Tools>;
  /**
   * How many attempts there are in all.
   * @defaultValue 3
   */
  readonly maxAttempts?: number | undefined;
  /**
   * The milliseconds before the second attempt; they double from one to the next.
   * @defaultValue 100
   */
  readonly baseDelayMs?: number | undefined;
  /**
   * The most milliseconds before an attempt.
   * @defaultValue 2000
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * Whether an answer without a call is a mistake.
   * @defaultValue true
   */
  readonly requireTool?: boolean | undefined;
  /** Stops at once, also while `execute` or a schema works. */
  readonly signal?: AbortSignal | undefined;
  readonly context?: DecideContext | undefined;
}

/** An attempt that did not end it. */
interface Failure {
  readonly kind: RetryErrorKind;
  readonly message: string;
}

/**
 * Asks a model until all of its calls can run, and tells it each time what was wrong.
 *
 * @param execute - asks the model; what it throws ends it at once
 * @returns the decisions to run an attempt's calls, all of them; with `requireTool: false` also the
 * text of an answer that calls no tool
 * @throws ToolCallRetryError after the last attempt, by `kind`: `no-tool-called` (also for a tool that
 * does not exist, and for a text with two different calls), `schema-mismatch` (also for a forbidden
 * key), `invalid-json` for all else; and `parse-error` with its cause where `execute` throws
 * @throws the signal's reason, once it aborts
 * @throws TypeError | RangeError for wrong options
 * @example
 * ```ts
 * const gate = createGate([{ name: 'read' }]);
 * const answers = ['I cannot do that.', '{"tool": "read", "arguments": {"path": "a.txt"}}'];
 * const told: unknown[] = [];
 * const execute = async ({ attempt, feedback }: { attempt: number; feedback: string | null }) => {
 *   told.push(feedback);
 *   return answers[attempt - 1] ?? '';
 * };
 * const calls = await callWithRetry(execute, { gate, baseDelayMs: 1 });
 * calls; // [{ action: 'run', name: 'read', arguments: { path: 'a.txt' }, … }]
 * told; // [null, 'No tool was called. Call one of: read.']
 * ```
 */
export async function callWithRetry<Tools extends ToolMap>(
  execute: (attempt: Attempt) => Answer | Promise<Answer>,
  options: RetryOptions<Tools>,
): Promise<RunOf<Tools>[] | string> {
  if (typeof execute !== 'function') {
    throw new TypeError(`execute must be a function (got ${typeOf(execute)})`);
  }
  const settings = readRetryOptions(options);
  const { maxAttempts, baseDelayMs, maxDelayMs, signal, context } = settings;
  let feedback: string | null = null;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const answer = await ask(execute, { attempt, feedback, signal });
    const judged = await untilAborted(judge(answer, settings), signal);
    if (!('kind' in judged)) {
      return judged.answer as RunOf<Tools>[] | string;
    }
    const { kind, message } = judged;
    const last = maxAttempts <= attempt;
    const delayMs = last ? null : Math.min(baseDelayMs * 2 ** (attempt - 1), maxDelayMs, TIMER_MAX);
    publishRetry({ backend: context?.backend ?? null, attempt, maxAttempts, kind, delayMs });
    if (delayMs === null) {
      throw new ToolCallRetryError(kind, attempt, message);
    }
    feedback = message;
    await untilAborted(sleep(delayMs, undefined, signal === undefined ? {} : { signal }), signal);
  }
}

interface RetrySettings {
  readonly gate: Gate;
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly requireTool: boolean;
  readonly signal: AbortSignal | undefined;
  readonly context: DecideContext | undefined;
}

function readRetryOptions(given: object): RetrySettings {
  const options = readOptions(given as RetryOptions, [
    'gate',
    'maxAttempts',
    'baseDelayMs',
    'maxDelayMs',
    'requireTool',
    'signal',
    'context',
  ]);
  const { gate, signal, context } = options;
  if (typeof gate !== 'object' || gate === null || typeof gate.decideAsync !== 'function') {
    throw new TypeError(`options.gate must be a gate (got ${typeOf(gate)})`);
  }
  const maxAttempts = readCount(options.maxAttempts, 'options.maxAttempts', 3);
  if (maxAttempts === 0) {
    throw new RangeError('options.maxAttempts must be at least 1 (got 0)');
  }
  return {
    gate,
    maxAttempts,
    baseDelayMs: readCount(options.baseDelayMs, 'options.baseDelayMs', 100),
    maxDelayMs: readCount(options.maxDelayMs, 'options.maxDelayMs', 2000),
    requireTool: readFlag(options.requireTool, 'options.requireTool', true),
    signal: readSignal(signal),
    context,
  };
}

async function ask(
  execute: (attempt: Attempt) => Answer | Promise<Answer>,
  attempt: Attempt,
): Promise<Answer> {
  const { signal } = attempt;
  try {
    return await untilAborted(Promise.resolve(execute(attempt)), signal);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ToolCallRetryError('parse-error', attempt.attempt, errorText(cause), { cause });
  }
}

/** What a promise gives, unless a signal aborts before. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return await promise;
  }
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      // Before anybody listened, and so nobody will be told.
      stop();
    }
  });
  try {
    return await Promise.race([promise, aborted]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    if (stop !== undefined) {
      signal.removeEventListener('abort', stop);
    }
  }
}

async function judge(
  answer: Answer,
  { gate, requireTool, context }: RetrySettings,
): Promise<{ readonly answer: RunDecision[] | string } | Failure> {
  let calls: readonly GateCall[];
  if (typeof answer === 'string') {
    const found = findToolCall(answer, { names: gate.names });
    if (found.call === null) {
      return found.kind === 'none' && !requireTool
        ? { answer }
        : failureOf(found, gate.names, context);
    }
    calls = [found.call];
  } else if (typeof answer !== 'object' || answer === null) {
    throw new TypeError(`execute must give text, a call or calls (got ${typeOf(answer)})`);
  } else {
    calls = Array.isArray(answer) ? (answer as readonly GateCall[]) : [answer as GateCall];
  }
  if (calls.length === 0) {
    return requireTool
      ? { kind: 'no-tool-called', message: noToolMessage(gate.names) }
      : { answer: [] };
  }
  const { run, report } = await gate.planAsync(calls, context);
  const [first] = report;
  if (first === undefined) {
    return { answer: run };
  }
  return { kind: kindOf(first.kind), message: messageOf(report) };
}

/** A text without a call that could be decided on. */
function failureOf(
  { kind, reason }: NoCall,
  names: readonly string[],
  context: DecideContext | undefined,
): Failure {
  if (kind === 'none') {
    return { kind: 'no-tool-called', message: noToolMessage(names, reason) };
  }
  const message = noCallMessage(reason, context?.stop ?? 'finished');
  return { kind: kind === 'ambiguous' ? 'no-tool-called' : 'invalid-json', message };
}

function messageOf(reports: readonly ReportDecision[]): string {
  return reports.map(({ message }) => message).join('\n\n');
}

function kindOf(kind: GateReportKind): RetryErrorKind {
  if (kind === 'unknown-tool') {
    return 'no-tool-called';
  }
  return kind === 'schema' || kind === 'forbidden-key' ? 'schema-mismatch' : 'invalid-json';
}
