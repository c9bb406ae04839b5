/**
 * Two listeners to what gates tell: a log of lines, and counters.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { readOptions, typeOf } from '../input.js';
import { type DecisionMessage, decisionChannel, sourceOf } from './observe.js';
import { type RedactOptions, type Redactor, createRedactor } from './redact.js';
import { isThenable, warn } from './words.js';

/** What can be chosen about a log. */
export interface DecisionLogOptions {
  /** Takes one line of JSON, with a newline at its end. What it throws is a warning of the process. */
  readonly write: (line: string) => unknown;
  /**
   * What may be seen of arguments. What is left out is as the gate's own redaction has it.
   * @defaultValue as the gate that decided says
   */
  readonly redact?: RedactOptions | undefined;
}

/** Something that listens until it is closed. */
export interface Listener extends Disposable {
  close(): void;
}

/**
 * Writes one line a call: a JSON object with the time and what `argspan:decision` carries.
 *
 * @throws TypeError for wrong options
 * @example
 * ```ts
 * const lines: string[] = [];
 * const log = createDecisionLog({ write: (line) => lines.push(line), redact: ['token'] });
 * const gate = createGate([{ name: 'post' }]);
 * gate.decide({ id: 'call_1', name: 'post', arguments: '{"to": "a", "token": "secret"}' });
 * log.close();
 * const { arguments: seen } = JSON.parse(lines[0] ?? '{}');
 * seen; // { to: 'a', token: '[redacted]' }
 * ```
 */
export function createDecisionLog(options: DecisionLogOptions): Listener {
  const { write, redact } = readOptions(options, ['write', 'redact']);
  if (typeof write !== 'function') {
    throw new TypeError(`options.write must be a function (got ${typeOf(write)})`);
  }
  const own = redact === undefined ? null : createRedactor(redact, 'options.redact');
  return listen((message) => {
    // Thrown here, it would end the process.
    const failed = (error: unknown) => warn('a decision could not be logged', error);
    try {
      const seen = { time: new Date().toISOString(), ...redacted(message, own) };
      const written = write(`${JSON.stringify(seen)}\n`);
      if (isThenable(written)) {
        Promise.resolve(written).catch(failed);
      }
    } catch (error) {
      failed(error);
    }
  });
}

/** A message as a log's own redaction has it, where it has one. */
function redacted(message: DecisionMessage, own: Redactor | null): DecisionMessage {
  const source = own === null ? undefined : sourceOf(message);
  if (own === null || source === undefined) {
    return message;
  }
  const name = message.tool;
  return {
    ...message,
    raw: own(source.raw, { name, what: 'raw' }),
    arguments: own(source.arguments, { name, what: 'arguments' }),
  };
}

/** How often each thing happened. The labels are kinds, repairs and codes: few, whatever comes. */
export interface DecisionCounts {
  readonly run: Readonly<Record<string, number>>;
  readonly report: Readonly<Record<string, number>>;
  readonly findings: Readonly<Record<string, number>>;
}

/** Counts decisions. */
export interface DecisionCounters extends Listener {
  counts(): DecisionCounts;
}

/**
 * Counts decisions by repair and by kind, and findings by code.
 *
 * @example
 * ```ts
 * const counters = createDecisionCounters();
 * const gate = createGate([{ name: 'now' }]);
 * gate.decide({ id: 'call_1', name: 'now', arguments: null });
 * gate.decide({ id: 'call_2', name: 'now', arguments: '[]' });
 * const counted = counters.counts();
 * counters.close();
 * counted; // { run: { empty: 1 }, report: { 'not-object': 1 }, findings: {} }
 * ```
 */
export function createDecisionCounters(): DecisionCounters {
  const run = new Map<string, number>();
  const report = new Map<string, number>();
  const findings = new Map<string, number>();
  const count = (counts: Map<string, number>, label: string) => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
  };
  const listener = listen(({ repair, kind, findings: found }) => {
    if (repair !== null) {
      count(run, repair);
    }
    if (kind !== null) {
      count(report, kind);
    }
    for (const code of found) {
      count(findings, code);
    }
  });
  return {
    ...listener,
    [Symbol.dispose]: () => listener.close(),
    counts: () => ({
      run: Object.fromEntries(run),
      report: Object.fromEntries(report),
      findings: Object.fromEntries(findings),
    }),
  };
}

function listen(each: (message: DecisionMessage) => void): Listener {
  const onMessage = (message: unknown) => each(message as DecisionMessage);
  subscribe(decisionChannel, onMessage);
  const close = () => {
    unsubscribe(decisionChannel, onMessage);
  };
  return { close, [Symbol.dispose]: close };
}
