/**
 * What goes into a gate and what comes out: the types that its functions share.
 */

import type { GateReportKind, Repair, Reported, StopSignal, ToolArguments } from '../outcome.js';
import type { ToolCall } from '../wire/types.js';

/** A call as SDKs hand it over. The arguments may be text, bytes, an object, a `Map` or nothing. */
export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** What a gate decides on: a call as it came, or one that `argspan/wire` has read. */
export type GateCall = RawCall | ToolCall;

/** What is known of a call beside itself. A gate keeps no conversation's state. */
export interface DecideContext {
  /**
   * How the wire says that a {@link RawCall} ended; a `ToolCall` knows it.
   * @defaultValue 'finished'
   */
  readonly stop?: StopSignal | undefined;
  /**
   * How many reports on this call the model was sent already; from `maxCorrections` on, a report
   * says that it is the last.
   * @defaultValue 0
   */
  readonly corrections?: number | undefined;
  /** Where the call comes from, for those who watch. */
  readonly backend?: string | undefined;
}

/** Of which kind a finding is. */
export type FindingCode =
  | 'unsafe-integer'
  | 'duplicate-key'
  | 'unknown-key'
  | 'forbidden-key'
  | 'thinking-leak'
  | 'more-text-follows'
  | 'schema-transformed'
  | 'repaired'
  | 'duplicate-id'
  | 'more';

/**
 * Something that was accepted but deserves a look: plain JSON.
 *
 * - `unsafe-integer`: an integer beyond 2^53 - 1; `detail` has its digits
 * - `duplicate-key`: a key that its object had already; `JSON.parse` takes the last
 * - `unknown-key`: not among the `properties`, and let through by an open schema
 * - `forbidden-key`: `__proto__` or `constructor.prototype`, let through or removed by the options
 * - `thinking-leak`: reasoning inside a value; `detail` is what gave it away
 * - `more-text-follows`: behind the object stands other text, which was left out
 * - `schema-transformed`: what runs is not what the model sent, but what the schema made of it
 * - `repaired`: a repair that was asked for made this of what the model sent; `detail` is its name
 * - `duplicate-id`: another call of the turn has the same id, so this one got another; `detail` is
 *   the id that it came with
 * - `more`: so many more were found than are told
 */
export interface Finding {
  readonly code: FindingCode;
  /** Where, as RFC 6901 writes it; empty for the call as a whole. */
  readonly path: string;
  readonly message: string;
  readonly detail?: string;
}

/** A call that may run, with exactly these arguments. */
export interface RunDecision<Name extends string = string, Arguments = ToolArguments> {
  readonly action: 'run';
  readonly id: string;
  readonly name: Name;
  readonly arguments: Arguments;
  /** The JSON of the arguments: what is authorised, and what goes back into history. */
  readonly text: string;
  readonly repair: Repair;
  /** Where it took several repairs, all of them, `repair` first, as an outcome lists them. */
  readonly repairs?: readonly Repair[];
  readonly findings: readonly Finding[];
}

/** A call that must not run, and the one message for the model and for whoever watches. */
export interface ReportDecision {
  readonly action: 'report';
  readonly id: string;
  readonly name: string;
  readonly kind: GateReportKind;
  readonly message: string;
  /** Whether the corrections are spent. */
  readonly final: boolean;
  readonly outcome: Reported<GateReportKind>;
  readonly findings: readonly Finding[];
}

/** What each tool of a gate is called with. */
export type ToolMap = Readonly<Record<string, unknown>>;

/** A decision to run any one of the tools: `name` tells which. */
export type RunOf<Tools extends ToolMap> = {
  [Name in keyof Tools & string]: RunDecision<Name, Tools[Name]>;
}[keyof Tools & string];

/** The one decision on a call. */
export type Decision<Tools extends ToolMap = Record<string, ToolArguments>> =
  | RunOf<Tools>
  | ReportDecision;

/** The decisions on the calls of a turn, each kind in the calls' order. */
export interface Plan<Run = RunDecision> {
  readonly run: Run[];
  readonly report: ReportDecision[];
}
