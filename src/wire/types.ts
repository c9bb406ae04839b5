/**
 * What comes out of a wire: the types that streams, assemblers, bodies and taps share.
 */

import type { Outcome, ScanError, Span } from '../outcome.js';

/** A provider's shape of responses. */
export type WireFormat = 'openai-chat' | 'anthropic-messages' | 'openai-responses';

/**
 * What happened while a response was read. For one call they come in the order `start`,
 * `fragment` and `verdict`, `finish`; `start` and `finish` once each.
 */
export type ToolCallEvent =
  | StartEvent
  | FragmentEvent
  | VerdictEvent
  | FinishEvent
  | WireErrorEvent;

/** A call has begun: its name and id are known, or nothing more can make them known. */
export interface StartEvent {
  type: 'start';
  /** The number of the call's arrival in its choice. */
  index: number;
  choice: number;
  /** The wire's id, or one that was made up because it has none; it stays the same. */
  id: string;
  name: string;
}

/** A call's arguments go on. Only with `fragments: true`. */
export interface FragmentEvent {
  type: 'fragment';
  index: number;
  choice: number;
  text: string;
}

/**
 * A call's arguments have become `complete` (acceptable if they ended here), or `malformed`: no
 * continuation can ever be accepted, so the response may as well be aborted.
 */
export interface VerdictEvent {
  type: 'verdict';
  index: number;
  choice: number;
  verdict: 'complete' | 'malformed';
  /** Where the object stands in the text, while the verdict is complete. */
  span: Span | null;
  /** Why the text is malformed, where the words are final already. */
  error: ScanError | null;
}

/** A call is over, finished or not. */
export interface FinishEvent {
  type: 'finish';
  call: ToolCall;
}

/**
 * The wire's own error, or a limit that was broken (`too-many-calls`, `event-too-large`,
 * `total-too-large`, `name-too-large`, `bad-index`), or a body that cannot be read
 * (`encoded-body`).
 */
export interface WireErrorEvent {
  type: 'error';
  error: { code: string | null; type: string | null; message: string };
}

/** One tool call of a response. */
export interface ToolCall {
  /** The number of its arrival in its choice. */
  index: number;
  /** Its index on the wire, where that gives one. */
  wireIndex: number | null;
  choice: number;
  /** The id to answer with. */
  id: string;
  name: string;
  /**
   * `function`, `custom`, or the wire's own word for another call that the client runs. Only a
   * function's text is read as arguments.
   */
  kind: string;
  /** The argument text as it was assembled; empty with `keepText: false`. */
  text: string;
  /** All fragments one after another; empty with `keepText: false`. */
  rawText: string;
  /** Whether the wire said that the call is finished (guarantee 7). */
  finished: boolean;
  /** The wire's own word for why its choice ended; `null` where it said none. */
  stopReason: string | null;
  /** How the fragments became one text. */
  assembly: 'plain' | 'repeated' | 'cumulative' | 'placeholder';
  /** The decision on the arguments, positions counted in `text`; `null` for other kinds. */
  outcome: Outcome | null;
}

/** What can be chosen about reading a response. */
export interface WireOptions {
  /**
   * Whether each fragment gives an event.
   * @defaultValue false
   */
  fragments?: boolean | undefined;
  /**
   * Whether the texts are kept. Without them `text` and `rawText` are empty, an accepted outcome
   * has no value (reading it throws a `TypeError`), and a sender that repeats itself is not
   * recognised: its text is what its fragments say, one after another.
   * @defaultValue true
   */
  keepText?: boolean | undefined;
  /**
   * `'report'`: a call that was cut off is reported, also where its text is whole. `'text'`: the
   * text alone decides, whatever the stop signal says; a call without text still needs a normal
   * end.
   * @defaultValue 'report'
   */
  stopPolicy?: 'report' | 'text' | undefined;
  /**
   * The most bytes of one call's arguments; beyond it lies a `too-large` report.
   * @defaultValue 16 MiB
   */
  maxArgumentBytes?: number | undefined;
  /**
   * The most bytes of the arguments of all calls of a response.
   * @defaultValue 64 MiB
   */
  maxTotalBytes?: number | undefined;
  /**
   * The most bytes of one event, or of a body.
   * @defaultValue 64 MiB
   */
  maxEventBytes?: number | undefined;
  /**
   * The most calls of a response. A new call of a choice is looked for among all before it.
   * @defaultValue 128
   */
  maxCalls?: number | undefined;
  /**
   * The most bytes of a name or an id.
   * @defaultValue 256
   */
  maxNameBytes?: number | undefined;
  /**
   * How many characters of the text a message quotes; 0 quotes none.
   * @defaultValue 500
   */
  echoLimit?: number | undefined;
  /**
   * Whether a report on a call that was cut off ends in advice on the next attempt.
   * @defaultValue true
   */
  stopHint?: boolean | undefined;
}
