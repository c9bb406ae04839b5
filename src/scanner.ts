/**
 * The scanner as JavaScript sees it: fragments in, a verdict at any time, one outcome at the end.
 *
 * Crossing to the addon costs more than scanning a few characters, so strings are collected until
 * somebody looks or enough have come. Only one scanner collects at a time, and none beyond the
 * current turn of the event loop: what was fed is never held twice, and a scanner that is dropped
 * is not kept alive by its last fragment.
 */

import { type Settings, type Slice, outcomeOf, reportOf } from './decide.js';
import {
  BYTES_MAX,
  ECHO_LIMIT,
  checkMemory,
  checkName,
  checkOptions,
  checkStop,
  isBytes,
  readCount,
  readFlag,
  typeOf,
} from './input.js';
import { Kept } from './kept.js';
import {
  Fact,
  State,
  addon,
  decide,
  describe,
  fact,
  feedText,
  stopNumber,
  takeSlot,
  verdictOf,
} from './native.js';
import type { Check, Outcome, Reported, ScanError, Span, StopSignal, Verdict } from './outcome.js';
import { readDecision, readError, toCheck } from './report.js';

/** What can be chosen about a scanner. */
export interface ScannerOptions {
  /**
   * Whether the text is kept, so that `finish` can build the value. Without it a scanner takes a few
   * hundred bytes and the first characters for the echo, whatever is fed.
   * @defaultValue true
   */
  keepText?: boolean | undefined;
  /**
   * The most bytes (of UTF-8) that a text may have; beyond it lies a `too-large` report.
   * @defaultValue 16 MiB
   */
  maxBytes?: number | undefined;
  /**
   * How many characters (Unicode scalar values) of the text a message quotes; 0 quotes none.
   * @defaultValue 500
   */
  echoLimit?: number | undefined;
  /**
   * Whether a report on a call that was cut off ends in advice on the next attempt.
   * @defaultValue true
   */
  stopHint?: boolean | undefined;
}

/**
 * Follows the arguments of one call as they stream.
 *
 * Any cutting of the same text gives the same outcome, and the same verdict at the same byte
 * (guarantee 1); the work is linear in the text (guarantee 4). Every member throws a `TypeError`
 * after disposal.
 */
export interface ArgumentScanner {
  /**
   * Takes the next fragment: a string, which may end in half a surrogate pair, or bytes, which may
   * end inside a UTF-8 sequence. Bytes are not kept alive: what is needed of them is copied.
   * @throws TypeError where it is something else, or a view on shared or detached memory
   */
  feed(fragment: string | Uint8Array): void;
  /** What is known about all that was fed. */
  readonly verdict: Verdict;
  /** Open containers: of the object once its `{` was seen, else of the text as a JSON value. */
  readonly depth: number;
  /** Whether a string or key is open, in the reading that `depth` speaks of. */
  readonly inString: boolean;
  /** What was fed, in bytes of UTF-8; half a surrogate pair at the end is not counted. */
  readonly bytes: number;
  /** Where the first `{` stands, counted as a {@link Span} is. */
  readonly objectStart: number | null;
  /** Where the object stands, or the string that holds it, while the verdict is `complete`. */
  readonly span: Span | null;
  /** Why the text is malformed, once the verdict says so and the words are final. */
  readonly error: ScanError | null;
  /**
   * Decides, as if the text ended here; more may be fed and `finish` be called again.
   * @param stop - how the wire says that the call ended; `'finished'` by default
   * @throws TypeError with `keepText: false`, where there is no text to build a value from
   */
  finish(name: string, stop?: StopSignal): Outcome;
  /** Decides without a value, also where no text is kept. */
  finishCheck(stop?: StopSignal): Check;
  /**
   * The report where the text is not acceptable, else `null`; also where no text is kept. Its
   * `replay` is then `{"INVALID_JSON": echo}`, also for an object that was cut off.
   */
  report(name: string, stop?: StopSignal): Reported | null;
  /** Starts over, with the same options. */
  reset(): void;
  /** Lets go of everything at once, instead of when the garbage collector comes. */
  [Symbol.dispose](): void;
}

/** Units that are collected before they cross. Long enough to pay, short enough to join quickly. */
const COLLECTED_MAX = 512;

/** The scanner whose fragments are being collected, and what has been collected. */
let collecting: Scanner | null = null;
let collected = '';
let releasePlanned = false;

class Scanner implements ArgumentScanner {
  #slab: ArrayBuffer | null;
  readonly #slot: number;
  readonly #bytesMax: number;
  readonly #echoLimit: number;
  readonly #stopHint: boolean;
  readonly #keepText: boolean;
  /** The addon's word on all that has crossed. */
  #state = 0;
  /** Why `finish` has no text to build a value from. */
  #kept: Kept | null = null;
  /** Whether nothing more needs to be kept. */
  #full = false;

  constructor(options: ScannerOptions) {
    this.#keepText = readFlag(options.keepText, 'options.keepText', true);
    this.#bytesMax = readCount(options.maxBytes, 'options.maxBytes', BYTES_MAX);
    this.#echoLimit = readCount(options.echoLimit, 'options.echoLimit', ECHO_LIMIT);
    this.#stopHint = readFlag(options.stopHint, 'options.stopHint', true);
    const { slab, index } = takeSlot();
    this.#slab = slab;
    this.#slot = index;
    this.#open(slab);
  }

  #open(slab: ArrayBuffer): void {
    addon.open(slab, this.#slot, this.#bytesMax);
    this.#state = 0;
    this.#full = !this.#keepText && this.#echoLimit === 0;
    this.#kept = this.#full ? null : new Kept();
  }

  feed(fragment: string | Uint8Array): void {
    if (typeof fragment === 'string') {
      if (collecting !== this) {
        this.#collect();
      }
      collected += fragment;
      if (collected.length >= COLLECTED_MAX) {
        this.#settle();
      }
      return;
    }
    this.#feedBytes(fragment);
  }

  /** Becomes the scanner whose fragments are collected. */
  #collect(): void {
    this.#alive();
    release();
    collecting = this;
    if (!releasePlanned) {
      releasePlanned = true;
      queueMicrotask(() => {
        releasePlanned = false;
        release();
      });
    }
  }

  #feedBytes(bytes: Uint8Array): void {
    const slab = this.#settle();
    if (!isBytes(bytes)) {
      throw new TypeError(`fragment must be a string or a Uint8Array (got ${typeOf(bytes)})`);
    }
    checkMemory(bytes, 'fragment');
    if (bytes.length === 0) {
      return;
    }
    this.#state = addon.feedBytes(slab, this.#slot, bytes);
    if (!this.#full) {
      this.#kept?.addBytes(bytes);
      this.#narrow();
    }
  }

  /** Hands over what was collected. Returns the slab, which a disposed scanner has no more. */
  #settle(): ArrayBuffer {
    const slab = this.#alive();
    if (collecting === this && collected !== '') {
      const text = collected;
      collected = '';
      this.#state = feedText(slab, this.#slot, text);
      if (!this.#full) {
        this.#kept?.addText(text);
        this.#narrow();
      }
    }
    return slab;
  }

  /** Forgets text that nobody can ask for, where it is not kept or has grown too large. */
  #narrow(): void {
    const overLimit = (this.#state & State.overLimit) !== 0;
    const kept = this.#kept;
    if (kept === null || (this.#keepText && !overLimit)) {
      return;
    }
    const characters = this.#echoLimit + 1;
    if (characters === Infinity) {
      return;
    }
    describe(this.#slab as ArrayBuffer, this.#slot);
    kept.narrow(fact(Fact.textStart), characters);
    this.#full = kept.holds(characters);
  }

  #alive(): ArrayBuffer {
    if (this.#slab === null) {
      throw new TypeError('this scanner was disposed of');
    }
    return this.#slab;
  }

  /** Hands over what was collected, and lets the addon describe what it knows. */
  #describe(): void {
    describe(this.#settle(), this.#slot);
  }

  /** Hands over the fragments that were collected, where they are this scanner's. */
  static release(scanner: Scanner): void {
    if (scanner.#slab !== null) {
      scanner.#settle();
    }
  }

  get verdict(): Verdict {
    this.#settle();
    return verdictOf(this.#state);
  }

  get depth(): number {
    this.#settle();
    return this.#state >> State.depthShift;
  }

  get inString(): boolean {
    this.#settle();
    return (this.#state & State.inString) !== 0;
  }

  get bytes(): number {
    this.#describe();
    return fact(Fact.bytes);
  }

  get objectStart(): number | null {
    this.#describe();
    const start = fact(Fact.objectStart);
    return start < 0 ? null : start;
  }

  get span(): Span | null {
    this.#describe();
    const start = fact(Fact.spanStart);
    return start < 0 ? null : { start, end: fact(Fact.spanEnd) };
  }

  get error(): ScanError | null {
    this.#describe();
    return readError(this.#bytesMax);
  }

  finish(name: string, stop: StopSignal = 'finished'): Outcome {
    checkName(name);
    checkStop(stop);
    const slab = this.#settle();
    if (!this.#keepText) {
      throw new TypeError('finish needs the text: create the scanner without keepText: false');
    }
    const decision = readDecision(decide(slab, this.#slot, stopNumber(stop)), stop, this.#bytesMax);
    return outcomeOf(name, decision, this.#settings(stop), this.#slice());
  }

  finishCheck(stop: StopSignal = 'finished'): Check {
    checkStop(stop);
    const slab = this.#settle();
    return toCheck(readDecision(decide(slab, this.#slot, stopNumber(stop)), stop, this.#bytesMax));
  }

  report(name: string, stop: StopSignal = 'finished'): Reported | null {
    checkName(name);
    checkStop(stop);
    const slab = this.#settle();
    const decision = readDecision(decide(slab, this.#slot, stopNumber(stop)), stop, this.#bytesMax);
    if (decision.kind === null) {
      return null;
    }
    if (this.#keepText) {
      return outcomeOf(name, decision, this.#settings(stop), this.#slice()) as Reported;
    }
    return reportOf(name, decision, this.#settings(stop), this.#slice(), null);
  }

  #settings(stop: StopSignal): Settings {
    return {
      stop,
      echoLimit: this.#echoLimit,
      bytesMax: this.#bytesMax,
      stopHint: this.#stopHint,
    };
  }

  /** The text between two positions, as far as it is kept. */
  #slice(): Slice {
    return (start, end) => this.#kept?.slice(start, end) ?? '';
  }

  reset(): void {
    const slab = this.#alive();
    if (collecting === this) {
      collected = '';
    }
    this.#open(slab);
  }

  [Symbol.dispose](): void {
    if (collecting === this) {
      collecting = null;
      collected = '';
    }
    this.#slab = null;
    this.#kept = null;
  }
}

/** Ends the collecting, whoever does it. */
function release(): void {
  if (collecting !== null) {
    Scanner.release(collecting);
    collecting = null;
    collected = '';
  }
}

/**
 * Creates a scanner for the arguments of one call.
 *
 * @throws TypeError | RangeError for a wrong option
 * @example
 * ```ts
 * const scanner = createScanner();
 * scanner.feed('{"path": "src/ma');
 * scanner.verdict; // 'incomplete'
 * scanner.feed('in.rs"}');
 * scanner.verdict; // 'complete'
 * scanner.finish('read'); // { status: 'accepted', value: { path: 'src/main.rs' }, … }
 * ```
 */
export function createScanner(options: ScannerOptions = {}): ArgumentScanner {
  checkOptions(options);
  return new Scanner(options);
}
