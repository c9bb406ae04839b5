/**
 * The error of `parse`: a report, thrown.
 */

import { typeOf } from './input.js';
import type { ReportKind, Reported, ScanError } from './outcome.js';

/** Shared by all copies of this package in a process, ESM or CommonJS. */
const brand: unique symbol = Symbol.for('argspan.ArgumentsError') as never;

/**
 * Thrown by `parse` where the decision is a report: a `SyntaxError`, as `JSON.parse` throws one.
 *
 * `instanceof ArgumentsError` is true for errors of every copy of argspan in the process.
 */
export class ArgumentsError extends SyntaxError {
  static {
    // Inherited by every error, and not shown where one is printed.
    Object.defineProperty(this.prototype, 'name', {
      value: 'ArgumentsError',
      configurable: true,
      writable: true,
    });
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Of which kind the report is. */
  readonly kind: ReportKind;
  /** The words in the message's parentheses. */
  readonly reason: string;
  /** Why and where, where the text itself is the reason. */
  readonly error: ScanError | null;
  /** The first characters of the trimmed text. */
  readonly echo: string;
  /** The whole report. Not enumerable, so that it is not printed a second time. */
  declare readonly outcome: Reported;

  /** @throws TypeError where `outcome` is not a report */
  constructor(outcome: Reported) {
    checkReport(outcome);
    super(outcome.message);
    this.kind = outcome.kind;
    this.reason = outcome.reason;
    this.error = outcome.error;
    this.echo = outcome.echo;
    Object.defineProperty(this, 'outcome', { value: outcome });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== ArgumentsError) {
      return Function.prototype[Symbol.hasInstance].call(this, value);
    }
    try {
      return typeof value === 'object' && value !== null && brand in value;
    } catch {
      return false;
    }
  }
}

function checkReport(outcome: unknown): void {
  let status: unknown;
  try {
    status = (outcome as Partial<Reported> | null | undefined)?.status;
  } catch {
    // Whatever does not let itself be read is no report.
  }
  if (status !== 'reported') {
    throw new TypeError(`outcome must be a report (got ${typeOf(outcome)})`);
  }
}
