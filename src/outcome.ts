/**
 * What a decision looks like from outside: the types that every entry point shares.
 */

/** What a tool is called with: the members of a JSON object. */
export type ToolArguments = Record<string, unknown>;

/**
 * What is known about a text so far.
 *
 * - `empty`: nothing but white space yet
 * - `incomplete`: not acceptable as it stands; some continuation would be
 * - `complete`: acceptable as it stands; a continuation can still spoil it
 * - `malformed`: **no continuation can ever be accepted** (guarantee 3): the stream may be aborted
 */
export type Verdict = 'empty' | 'incomplete' | 'complete' | 'malformed';

/**
 * A repair of a text that is malformed, which has to be asked for. docs/repairs.md tells the risk of
 * each.
 *
 * - `unique-object`: exactly one complete object, and other text with braces around it
 * - `repeated-copies`: the same object, character for character, several times over
 * - `control-characters`: raw newlines, tabs and other control characters in strings are themselves
 * - `literal-backslashes`: no backslash in the text is an escape, so all are themselves
 * - `extra-closers`: closing brackets that close nothing, right behind the object
 */
export type TextRepair =
  | 'unique-object'
  | 'repeated-copies'
  | 'control-characters'
  | 'literal-backslashes'
  | 'extra-closers';

/**
 * A repair of arguments that do not match the tool's parameters, which has to be asked for.
 * docs/repairs.md tells the risk of each.
 *
 * - `nested-json`: a string that holds an object or array, where the schema wants one and no string
 * - `lossless-coerce`: a string that is exactly the number or boolean that the schema wants
 */
export type SchemaRepair = 'nested-json' | 'lossless-coerce';

/**
 * How the rule found an object.
 *
 * - `none`: the text is the object
 * - `empty`: there is no text, which stands for `{}`
 * - `fence`: it stands in a Markdown fence
 * - `prose`: something else stands around it
 * - `double-encoding`: the text is a JSON string that holds it
 */
export type RuleRepair = 'none' | 'empty' | 'fence' | 'prose' | 'double-encoding';

/** How an accepted object was found: by the rule, or by a repair that was asked for. */
export type Repair = RuleRepair | TextRepair | SchemaRepair;

/**
 * How the wire says that a call ended: normally (`finished`), because the output limit was reached
 * (`length`), or without its end, by an error, a refusal or a filter (`interrupted`).
 */
export type StopSignal = 'finished' | 'length' | 'interrupted';

/** What can be chosen about a decision. */
export interface DecisionOptions {
  /**
   * How the wire says that the call ended.
   * @defaultValue `'finished'`
   */
  stop?: StopSignal | undefined;
  /**
   * How many characters (Unicode scalar values) of the text the message quotes; 0 quotes none.
   * @defaultValue 500
   */
  echoLimit?: number | undefined;
  /**
   * The most bytes that a text may have; beyond it lies a `too-large` report.
   * @defaultValue 16 MiB
   */
  maxBytes?: number | undefined;
  /**
   * Whether a report on a call that was cut off ends in advice on the next attempt.
   * @defaultValue true
   */
  stopHint?: boolean | undefined;
  /**
   * Repairs of a text that is malformed and was not cut off. The rule always comes first, and what it
   * accepts is not touched.
   * @defaultValue none
   */
  repairs?: readonly TextRepair[] | undefined;
}

/** Of which kind a report is; README.md says when each is given. */
export type ReportKind =
  | 'truncated'
  | 'not-object'
  | 'malformed'
  | 'invalid-utf8'
  | 'unsupported-type'
  | 'too-large';

/**
 * Of which kind a report of the gate is: those of the arguments' text, and those of a call whose
 * text is fine.
 *
 * - `schema`: the arguments do not match the tool's parameters
 * - `unknown-tool`: there is no tool of this name
 * - `forbidden-key`: a key in them would reach a prototype
 */
export type GateReportKind = ReportKind | 'schema' | 'unknown-tool' | 'forbidden-key';

/**
 * A half-open range, counted from the start of what was fed: in UTF-16 units where that was a
 * string, in bytes where it was bytes, in those of the first fragment where it was both.
 */
export interface Span {
  start: number;
  end: number;
}

/** What is wrong with a text: the nineteen that serde_json knows, then argspan's own. */
export type ScanErrorCode =
  | 'eof-list'
  | 'eof-object'
  | 'eof-string'
  | 'eof-value'
  | 'expected-colon'
  | 'expected-comma-or-bracket'
  | 'expected-comma-or-brace'
  | 'expected-ident'
  | 'expected-value'
  | 'invalid-escape'
  | 'invalid-number'
  | 'number-out-of-range'
  | 'control-character'
  | 'key-not-string'
  | 'lone-surrogate'
  | 'trailing-comma'
  | 'trailing-characters'
  | 'unexpected-end-of-hex-escape'
  | 'recursion-limit'
  | 'not-object'
  | 'string-without-object'
  | 'eof-utf8'
  | 'invalid-utf8'
  | 'too-large';

/** Why and where a text is wrong. */
export interface ScanError {
  code: ScanErrorCode;
  /** The words that stand in the message's parentheses. */
  reason: string;
  /**
   * Where, counted as a {@link Span} is: the character that is wrong, or for an `eof-` code the end
   * of the trimmed text.
   */
  offset: number;
  /** The line in the trimmed text, from 1, as in `reason`; 0 where that has none. */
  line: number;
  /** The column in bytes, as in `reason`; 0 where that has none, or behind a line's last byte. */
  column: number;
}

/** A call that may run, with exactly these arguments. */
export interface Accepted {
  status: 'accepted';
  name: string;
  /** What `JSON.parse(text)` gives (guarantee 6). */
  value: ToolArguments;
  /** The exact text of the object: what goes back into the conversation's history. */
  text: string;
  repair: Repair;
  /**
   * Where it took several repairs, all of them, `repair` first: those that were asked for, in the
   * order of their types, then how the rule found the object.
   */
  repairs?: readonly Repair[];
  /** Where the object stands, or the string that holds it; of several copies the first. */
  span: Span;
}

/** A call that must not run, and what the model is to be told. */
export interface Reported<Kind extends GateReportKind = ReportKind> {
  status: 'reported';
  name: string;
  kind: Kind;
  /** The words in the message's parentheses. */
  reason: string;
  /** What the model should get as the result of its call. */
  message: string;
  /** Why and where, where the text itself is the reason. */
  error: ScanError | null;
  /** The first characters of the trimmed text, as they stand in the message. */
  echo: string;
  /**
   * A JSON object that is safe to put into the conversation's history in place of the text: the
   * object's own text where there is one, otherwise `{"INVALID_JSON": echo}`.
   */
  replay: string;
}

/** The one decision on a call. */
export type Outcome = Accepted | Reported;

/** The decision on a text without its value. */
export interface Check {
  verdict: Verdict;
  /** How the object was found; `null` where the text is not accepted. */
  repair: Repair | null;
  /** Where it stands, or the string that holds it; `null` where there is none. */
  span: Span | null;
  /** Of which kind the report would be; `null` where the text is accepted. */
  kind: ReportKind | null;
  reason: string | null;
  error: ScanError | null;
}
