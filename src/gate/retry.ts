/**
 * Asking again: three attempts in all, each told what was wrong with the one before.
 */

import { setTimeout as sleep } from 'node:timers/promises';

import { readCount, readFlag, readOptions, typeOf } from '../input.js';
import type { GateReportKind, ToolArguments } from '../outcome.js';
import { parseToolArguments } from '../parse.js';
import { noToolMessage } from '../report.js';
import type { Gate } from './gate.js';
import { publishRetry } from './observe.js';
import { readFunction, readSignal } from './options.js';
import { type RetryErrorKind, ToolCallRetryError } from './retry-error.js';
import type {
  DecideContext,
  GateCall,
  RawCall,
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

/** What a model answered: text, a call, or calls. */
export type Answer = string | GateCall | readonly GateCall[];

/** A call that a model wrote as text; or why there is none, `null` where nothing looks like one. */
export type TextCall =
  | { readonly call: RawCall }
  | {
      readonly call: null;
      readonly reason: string | null;
      /** @defaultValue 'no-tool-called', as where a text has two candidates */
      readonly kind?: 'no-tool-called' | 'invalid-json';
    };

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
  /** Stops at once, also while `execute` works. */
  readonly signal?: AbortSignal | undefined;
  readonly context?: DecideContext | undefined;
  /**
   * Finds the call in a text.
   * @defaultValue the text's one object, if it has the members `tool` or `name`, and `arguments` or
   * `parameters`; found by the rule by which arguments are
   */
  readonly findCall?: ((text: string) => TextCall) | undefined;
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
 * does not exist), `schema-mismatch` (also for a forbidden key), `invalid-json` for all else; and
 * `parse-error` with its cause where `execute` throws
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
    const judged = await judge(answer, settings);
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
  readonly findCall: (text: string) => TextCall;
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
    'findCall',
  ]);
  const { gate, signal, context, findCall } = options;
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
    findCall: readFunction(findCall, 'options.findCall') ?? findCallAsObject,
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
  { gate, requireTool, context, findCall }: RetrySettings,
): Promise<{ readonly answer: RunDecision[] | string } | Failure> {
  let calls: readonly GateCall[];
  if (typeof answer === 'string') {
    const found = findCall(answer);
    if (found.call === null) {
      if (found.reason === null && !requireTool) {
        return { answer };
      }
      const message = found.reason ?? noToolMessage(gate.names);
      return { kind: found.kind ?? 'no-tool-called', message };
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

function messageOf(reports: readonly ReportDecision[]): string {
  return reports.map(({ message }) => message).join('\n\n');
}

function kindOf(kind: GateReportKind): RetryErrorKind {
  if (kind === 'unknown-tool') {
    return 'no-tool-called';
  }
  return kind === 'schema' || kind === 'forbidden-key' ? 'schema-mismatch' : 'invalid-json';
}

/** The call that a text's one object is. */
function findCallAsObject(text: string): TextCall {
  if (!text.includes('{')) {
    return { call: null, reason: null };
  }
  const outcome = parseToolArguments('the tool call', text);
  if (outcome.status === 'reported') {
    const { error, reason: why } = outcome;
    const reason = `The tool call was not valid JSON (${why}). Make it again.`;
    // An object and something behind it that is not prose: another candidate.
    const two = error?.code === 'trailing-characters';
    return { call: null, reason, kind: two ? 'no-tool-called' : 'invalid-json' };
  }
  const members = new Map(Object.entries(outcome.value));
  const name = members.get('tool') ?? members.get('name');
  if (typeof name !== 'string') {
    return { call: null, reason: null };
  }
  return {
    call: { id: '', name, arguments: members.get('arguments') ?? members.get('parameters') },
  };
}
