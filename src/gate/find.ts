/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Calls that a model wrote as text: found by the scanner, which reads every brace; here they get an
 * id and a reason.
 *
 * A finder that streams is native memory: `finish` and disposal free it at once, and one that is
 * dropped is freed some time after the garbage collector found it.
 */

import { readCount, readOptions, typeOf } from '../input.js';
import {
  Fact,
  errorEntry,
  fact,
  factBuffer,
  finderAddon as addon,
  piecesOf,
  textUnitsMax,
} from '../native.js';
import { type NoCallFacts, noCallReason } from '../report.js';
import { mintId } from '../wire/id.js';
import type { RawCall } from './types.js';

/** What can be chosen about the search for a call. */
export interface FindOptions {
  /**
   * The tools' names. Where an object is nothing but one of them (`{"name": "now"}`), it is a call
   * without arguments. They decide nothing else: a call of another name is found as well, and the
   * gate reports it.
   * @defaultValue none
   */
  readonly names?: readonly string[] | undefined;
  /**
   * The most UTF-16 units of a call's arguments, as they stand in the text from their colon on; also
   * of its name. A call beyond it is `malformed`.
   * @defaultValue 16 Mi
   */
  readonly maxLength?: number | undefined;
}

/** A call that stands in a text: `gate.decide` takes it as it is. */
export interface FoundCall extends RawCall {
  /** Made up: a text's own ids are not used, because nobody answers for them. */
  readonly id: string;
  readonly name: string;
  /**
   * The arguments' text, exactly as it stands there; of a string what it says, and of `null`
   * nothing.
   */
  readonly arguments: string;
  /** Where the call begins in the text, in UTF-16 units, with the tag or fence around it. */
  readonly start: number;
  /** Where it ends: the first unit that is not in it. */
  readonly end: number;
}

/** Why a text has no call that could be decided on. */
export interface NoCall {
  readonly call: null;
  /**
   * - `none`: nothing reads as a call; `ambiguous`: more than one reading
   * - `truncated`: a call begins and the text ends inside of it; `malformed`: a call begins and is
   *   none, or is too large
   */
  readonly kind: 'none' | 'ambiguous' | 'truncated' | 'malformed';
  /** Why, in words that a model understands too. */
  readonly reason: string;
}

/** Exactly one call, or why there is none. */
export type TextCall = { readonly call: FoundCall } | NoCall;

/** What is known of a text that streams; {@link ToolCallFinder} says what each promises. */
export type FinderStatus = 'text' | 'maybe' | 'call';

/** Looks for the call in a text that streams. */
export interface ToolCallFinder {
  /**
   * Takes the next fragment, cut anywhere, and says what is known of all so far:
   *
   * - `text`: no character so far belongs to a call, whatever follows
   * - `maybe`: the last characters may be the beginning of a call
   * - `call`: a call has begun. It stays at that, and the end is a call or a reason of another kind
   *   than `none`; unless `</think>` or its like shows that all so far was reasoning, which begins
   *   anew
   *
   * @throws TypeError where `text` is no string, and after `finish` or disposal
   */
  feed(text: string): FinderStatus;
  /**
   * What {@link findToolCall} finds in the whole text. It may be called again, and gives the same.
   *
   * @throws TypeError after disposal, where it was not called before
   */
  finish(): TextCall;
  /** Lets go of the native memory. */
  [Symbol.dispose](): void;
}

/** The default limit of a call's arguments, in units. */
const LENGTH_MAX = 16 * 1024 * 1024;

/** No string is as long, and it fits what the addon takes. */
const LENGTH_ENDLESS = 2 ** 32 - 1;

const statuses = ['text', 'maybe', 'call'] as const;

interface Settings {
  readonly names: readonly string[];
  readonly maxLength: number;
}

function readFindOptions(given: FindOptions): Settings {
  const { names, maxLength } = readOptions(given, ['names', 'maxLength']);
  return {
    names: readNames(names),
    maxLength: readCount(maxLength, 'options.maxLength', LENGTH_MAX),
  };
}

/** @throws TypeError */
function readNames(given: unknown): readonly string[] {
  if (given === undefined) {
    return [];
  }
  let names: readonly unknown[] | null;
  try {
    names = Array.isArray(given) ? Array.from(given as readonly unknown[]) : null;
  } catch (cause) {
    throw new TypeError('options.names could not be read', { cause });
  }
  const odd = names?.findIndex((name) => typeof name !== 'string') ?? -1;
  if (names === null || odd >= 0) {
    const got = names === null ? typeOf(given) : `${typeOf(names[odd])} in it`;
    throw new TypeError(`options.names must be an array of strings (got ${got})`);
  }
  return names as readonly string[];
}

/** Opens a finder in the addon; returns its number. */
function open({ names, maxLength }: Settings): number {
  const finder = addon.openFinder(Math.min(maxLength, LENGTH_ENDLESS));
  for (const name of names) {
    // A longer one does not cross, and no model writes it.
    if (name.length <= textUnitsMax) {
      addon.nameFinder(finder, name);
    }
  }
  return finder;
}

function feed(finder: number, text: string): FinderStatus {
  let status = 0;
  for (const piece of text.length <= textUnitsMax ? [text] : piecesOf(text)) {
    status = addon.feedFinder(finder, piece);
  }
  return statuses[status] ?? 'call';
}

function checkText(text: unknown): asserts text is string {
  if (typeof text !== 'string') {
    throw new TypeError(`text must be a string (got ${typeOf(text)})`);
  }
}

/** What a text comes to, in the order of the addon's numbers. */
const results = [
  'call',
  'nothing',
  'reasoning',
  'ambiguous',
  'truncated',
  'malformed',
  'not-a-call',
  'too-large',
  'reasoned',
] as const satisfies readonly ('call' | NoCallFacts['result'])[];

const ambiguities = [null, 'calls', 'names', 'arguments', 'definition', 'members'] as const;

const kinds = {
  nothing: 'none',
  reasoning: 'none',
  ambiguous: 'ambiguous',
  truncated: 'truncated',
  malformed: 'malformed',
  'not-a-call': 'malformed',
  'too-large': 'malformed',
  reasoned: 'none',
} as const satisfies Record<NoCallFacts['result'], NoCall['kind']>;

function resultOf(finder: number, { maxLength }: Settings): TextCall {
  addon.finishFinder(finder, factBuffer);
  const result = results[fact(Fact.summary)] ?? 'nothing';
  if (result === 'call') {
    const [start, end] = [fact(Fact.spanStart), fact(Fact.spanEnd)];
    const name = addon.foundName(finder);
    return {
      call: { id: mintId('call_'), name, arguments: addon.foundArguments(finder), start, end },
    };
  }
  const error = errorEntry(fact(Fact.errorCode))?.text ?? null;
  const ambiguity = ambiguities[fact(Fact.flags)] ?? null;
  const reason = noCallReason({ result, error, ambiguity, maxLength });
  return { call: null, kind: kinds[result], reason };
}

/**
 * Finds the one call that a model wrote as text instead of making it.
 *
 * A call is an object with a name (`name`, `tool`, `tool_name`, or `function` with a string) and
 * arguments (`arguments` or `parameters`, an object or a string that holds one), in any order, with
 * ids and reasons (`id`, `type`, `thought` and their like) beside them. It may stand in prose, in a fence, in an array, in a `tool_calls`,
 * `tool_call`, `function_call` or `function` member, between `<tool_call>` tags, and behind
 * `[TOOL_CALLS]` or `<|python_tag|>`. Reasoning in `<think>` tags and their like is left out.
 *
 * There is exactly one reading or no call: two different calls are `ambiguous`; the same one
 * several times over is one, because whichever is taken, the same is run. Other members beside
 * the arguments may be arguments in the wrong place: `ambiguous` too. Nothing is made whole: what is
 * cut off is `truncated`, however little is missing.
 *
 * @param text - the whole of what the model wrote
 * @throws TypeError | RangeError for a wrong argument
 * @example
 * ```ts
 * const text = 'Let me look.\n<tool_call>\n{"name": "read", "arguments": {"path": "a.txt"}}\n</tool_call>';
 * const found = findToolCall(text);
 * found.call; // { name: 'read', arguments: '{"path": "a.txt"}', start: 13, end: 86, … }
 *
 * const gate = createGate([{ name: 'read' }]);
 * found.call && gate.decide(found.call); // { action: 'run', arguments: { path: 'a.txt' }, … }
 *
 * findToolCall('{"name": "read", "arguments": {"path": "a.tx'); // { call: null, kind: 'truncated', … }
 * ```
 */
export function findToolCall(text: string, options: FindOptions = {}): TextCall {
  checkText(text);
  const settings = readFindOptions(options);
  const finder = open(settings);
  try {
    feed(finder, text);
    return resultOf(finder, settings);
  } finally {
    addon.closeFinder(finder);
  }
}

const abandoned = new FinalizationRegistry<number>((finder) => {
  addon.closeFinder(finder);
});

class Finder implements ToolCallFinder {
  readonly #settings: Settings;
  /** The addon's number, or -1 once it is closed. */
  #finder: number;
  #result: TextCall | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#finder = open(settings);
    abandoned.register(this, this.#finder, this);
  }

  feed(text: string): FinderStatus {
    const finder = this.#open();
    checkText(text);
    return feed(finder, text);
  }

  finish(): TextCall {
    if (this.#result === null) {
      this.#result = resultOf(this.#open(), this.#settings);
      this.#close();
    }
    return this.#result;
  }

  #open(): number {
    if (this.#finder < 0) {
      const end = this.#result === null ? 'was disposed of' : 'has finished';
      throw new TypeError(`this finder ${end}`);
    }
    return this.#finder;
  }

  #close(): void {
    if (this.#finder >= 0) {
      abandoned.unregister(this);
      addon.closeFinder(this.#finder);
      this.#finder = -1;
    }
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

/**
 * Finds a call as the text streams, so that a user interface can stop showing text as soon as it is
 * none: {@link findToolCall} for fragments.
 *
 * @throws TypeError | RangeError for a wrong option
 * @example
 * ```ts
 * const finder = createToolCallFinder();
 * finder.feed('I will look: '); // 'text'
 * finder.feed('{"na'); // 'maybe'
 * finder.feed('me": "read", "arguments": {"pa'); // 'call'
 * finder.feed('th": "a.txt"}}'); // 'call'
 * finder.finish().call; // { name: 'read', arguments: '{"path": "a.txt"}', start: 13, … }
 * ```
 */
export function createToolCallFinder(options: FindOptions = {}): ToolCallFinder {
  return new Finder(readFindOptions(options));
}
