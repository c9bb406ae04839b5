/**
 * Whole text: `parse` in place of `JSON.parse`, `parseToolArguments` for one call's arguments, and
 * `check` where no value is wanted.
 */

import { type Settings, type Slice, outcomeOf } from './decide.js';
import { readDecision, toCheck } from './decision.js';
import { ArgumentsError } from './error.js';
import {
  BYTES_MAX,
  ECHO_LIMIT,
  checkMemory,
  checkName,
  checkStop,
  decodeLossy,
  isBytes,
  lengthOf,
  readCount,
  readFlag,
  readObject,
  readOptions,
  subBytes,
  typeOf,
} from './input.js';
import { checkBytes, checkText, decideChecked, decideWhole, decodeBytes } from './native.js';
import type { Check, DecisionOptions, Outcome, ToolArguments } from './outcome.js';
import { readTextRepairs } from './repairs.js';
import { buildReport, echoOf, tooLargeReason } from './report.js';

const defaults: Settings = {
  stop: 'finished',
  echoLimit: ECHO_LIMIT,
  bytesMax: BYTES_MAX,
  stopHint: true,
  repairs: 0,
};

/** `parse` and `check` have no limit: the caller holds the text already. */
const unlimited: Settings = { ...defaults, bytesMax: Infinity };

const optionNames = ['stop', 'echoLimit', 'maxBytes', 'stopHint', 'repairs'] as const;

/** The options by name, which of a short text costs a fraction of a loop over them. */
function readNamed(options: DecisionOptions): DecisionOptions {
  try {
    if (typeof options === 'object') {
      const { stop, echoLimit, maxBytes, stopHint, repairs } = options;
      return { stop, echoLimit, maxBytes, stopHint, repairs };
    }
  } catch {
    // Which of them it was is told below.
  }
  return readOptions(options, optionNames);
}

function readSettings(options: DecisionOptions | undefined): Settings {
  if (options === undefined) {
    return defaults;
  }
  const { stop = defaults.stop, echoLimit, maxBytes, stopHint, repairs } = readNamed(options);
  checkStop(stop, 'options.stop');
  return {
    stop,
    echoLimit: readCount(echoLimit, 'options.echoLimit', ECHO_LIMIT),
    bytesMax: readCount(maxBytes, 'options.maxBytes', BYTES_MAX),
    stopHint: readFlag(stopHint, 'options.stopHint', true),
    repairs: readTextRepairs(repairs, 'options.repairs'),
  };
}

/**
 * Decides on the arguments of one tool call, and builds their value where they are accepted.
 *
 * `raw` may be a string, bytes (`Uint8Array`, `Buffer`), `null` or `undefined` (no arguments, which
 * stands for `{}`), or an object that somebody parsed already: a plain one or a `Map` with string
 * keys. The decision is the same as that of a scanner that was fed the text in fragments
 * (guarantee 2). Spans count UTF-16 units in a string and bytes in bytes.
 *
 * @param name - the tool's name, as it stands in the message
 * @param raw - what the model sent
 * @returns the arguments, or a report with the message that the model should get; a model's
 * mistake is never thrown
 * @throws TypeError | RangeError for a wrong `name` or option, and for a view on shared or
 * detached memory
 * @example
 * ```ts
 * const outcome = parseToolArguments('read', 'Let me look: {"path": "src/main.rs"}');
 * if (outcome.status === 'accepted') {
 *   outcome.value; // { path: 'src/main.rs' }
 *   outcome.repair; // 'prose'
 * }
 * ```
 */
export function parseToolArguments(name: string, raw: unknown, options?: DecisionOptions): Outcome {
  checkName(name);
  return decide(name, raw, readSettings(options));
}

function decide(name: string | null, raw: unknown, settings: Settings): Outcome {
  if (typeof raw === 'string') {
    // Whatever its characters are: UTF-8 takes three bytes a unit at most.
    const checked = raw.length * 3 <= settings.bytesMax && settings.stop === 'finished';
    if (checked && checkText(raw)) {
      return acceptAll(name, raw, raw.length);
    }
    return decideText(name, raw, checked, settings, (start, end) => raw.slice(start, end));
  }
  if (isBytes(raw)) {
    checkMemory(raw, 'raw');
    const length = lengthOf(raw);
    const slice: Slice = (start, end) => decodeLossy(subBytes(raw, start, end));
    const small = length <= settings.bytesMax && settings.stop === 'finished';
    const plain = small ? checkBytes(raw) : undefined;
    if (plain === true) {
      return acceptAll(name, decodeBytes(raw) ?? slice(0, length), length);
    }
    return decideText(name, raw, plain === false, settings, slice);
  }
  if (raw === undefined || raw === null) {
    return decide(name, '', settings);
  }
  return decideObject(name, raw, settings);
}

/** The outcome for a text that is an object and nothing else, and where it ends. */
function acceptAll(name: string | null, text: string, end: number): Outcome {
  const value = JSON.parse(text) as ToolArguments;
  const span = { start: 0, end };
  return { status: 'accepted', name: name ?? '', value, text, repair: 'none', span };
}

function decideText(
  name: string | null,
  text: string | Uint8Array,
  checked: boolean,
  settings: Settings,
  slice: Slice,
): Outcome {
  const { bytesMax, stop } = settings;
  const summary = checked ? decideChecked(text) : decideWhole(text, bytesMax, stop);
  const decision = readDecision(summary, stop, bytesMax);
  return outcomeOf(name, decision, settings, slice);
}

/** Arguments that arrive as a value. Their wire closed them, so no stop signal applies. */
function decideObject(name: string | null, raw: unknown, settings: Settings): Outcome {
  const input = readObject(raw);
  if ('type' in input) {
    return buildReport({
      ...settings,
      name,
      kind: 'unsupported-type',
      reason: `got ${input.type}`,
      error: null,
      echo: '',
      more: false,
      object: null,
    });
  }
  const { text, value } = input;
  if (settings.bytesMax < Buffer.byteLength(text)) {
    return buildReport({
      ...settings,
      name,
      kind: 'too-large',
      reason: tooLargeReason(settings.bytesMax),
      error: null,
      ...echoOf(text, settings.echoLimit),
      object: null,
    });
  }
  const span = { start: 0, end: text.length };
  return { status: 'accepted', name: name ?? '', value, text, repair: 'none', span };
}

/**
 * Decides on a text without building a value. Bytes are read in place, which makes that many times
 * faster than `JSON.parse`; strings are copied out first. There is no size limit.
 *
 * @param text - a string, or the bytes of one
 * @returns the verdict, and where the object is or why there is none
 * @throws TypeError where `text` is something else, or a view on shared or detached memory
 * @example
 * ```ts
 * check('{"path": "src/main.rs"}').span; // { start: 0, end: 23 }
 * check('{"path": "src/main.rs').kind; // 'truncated'
 * ```
 */
export function check(text: string | Uint8Array): Check {
  let plain;
  let end;
  if (typeof text === 'string') {
    plain = checkText(text);
    end = text.length;
  } else {
    // Which looks at what came by itself, and a call is short enough for another look to count.
    plain = checkBytes(text);
    end = plain === true ? lengthOf(text) : 0;
  }
  if (plain === true) {
    const span = { start: 0, end };
    return { verdict: 'complete', repair: 'none', span, kind: null, reason: null, error: null };
  }
  let summary;
  if (plain === undefined) {
    if (!isBytes(text)) {
      throw new TypeError(`text must be a string or a Uint8Array (got ${typeOf(text)})`);
    }
    checkMemory(text, 'text');
    summary = decideWhole(text, Infinity, 'finished');
  } else {
    summary = decideChecked(text);
  }
  return toCheck(readDecision(summary, 'finished', Infinity));
}

/**
 * Parses arguments as `JSON.parse` parses JSON, and finds the object where `JSON.parse` does not:
 * in a Markdown fence, in prose, or in a string that holds it. Blank text and `null` give `{}`.
 *
 * What `JSON.parse` makes an object of is returned as it makes it, also where the decision rule is
 * stricter (lone surrogate escapes, `1e999`, 128 levels and more); half a surrogate pair that stands
 * in a string itself stays what it is. There is no size limit.
 *
 * @param text - a string, bytes, `null`, or an object that was parsed already
 * @param reviver - called at last, as `JSON.parse` calls it
 * @throws ArgumentsError (a `SyntaxError`) where the rule reports
 * @throws TypeError for `undefined`, which is a wrong property path and not a call without
 * arguments, and for a view on shared or detached memory
 * @example
 * ```ts
 * parse('```json\n{"path": "src/main.rs"}\n```'); // { path: 'src/main.rs' }
 * ```
 */
// The type is the caller's claim, as it is after JSON.parse.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function parse<T = ToolArguments>(text: unknown, reviver?: Reviver): T {
  // The one case that must cost nothing beyond JSON.parse: of a text that begins so it makes an
  // object or nothing.
  if (typeof text === 'string' && text.charCodeAt(0) === BRACE) {
    try {
      return JSON.parse(text, reviver) as T;
    } catch (error) {
      // What a reviver throws is its caller's.
      if (reviver !== undefined && parseJson(text) !== undefined) {
        throw error;
      }
    }
    // JSON.parse has said what it makes of it, and another try would cost another error.
    return parseByRule(text, reviver) as T;
  }
  return parseOther(text, reviver) as T;
}

function parseOther(text: unknown, reviver: Reviver | undefined): unknown {
  if (text === undefined) {
    throw new TypeError('text must be a string, bytes, an object or null (got undefined)');
  }
  let string: unknown = text;
  if (isBytes(text)) {
    checkMemory(text, 'text');
    string = decodeBytes(text);
  }
  if (typeof string === 'string') {
    const value = parseJson(string);
    if (value !== undefined) {
      return revive(value, string, reviver);
    }
  }
  return parseByRule(text, reviver);
}

/** What the decision rule makes of a text of which `JSON.parse` makes no object. */
function parseByRule(text: unknown, reviver: Reviver | undefined): unknown {
  const outcome = decide(null, text, unlimited);
  if (outcome.status === 'reported') {
    throw new ArgumentsError(outcome);
  }
  return revive(outcome.value, outcome.text, reviver);
}

/** `{` as a unit. */
const BRACE = 0x7b;

/** The beginning of every text that `JSON.parse` makes an object of. */
const mayBeObject = /^[\t\n\r ]*\{/;

/** What `JSON.parse` calls with each key and value, innermost first. */
export type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function revive(value: object, text: string, reviver: Reviver | undefined): unknown {
  return reviver === undefined ? value : JSON.parse(text, reviver);
}

/** The object that `JSON.parse` makes of a text, or `undefined` where it makes none. */
function parseJson(text: string): object | undefined {
  if (text.charCodeAt(0) !== BRACE && !mayBeObject.test(text)) {
    // Known without an error, which costs more than reading the text.
    return undefined;
  }
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
