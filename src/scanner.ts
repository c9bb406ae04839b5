/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The scanner as JavaScript sees it: fragments in, a verdict at any time, one outcome at the end.
 *
 * Crossing to the addon costs more than scanning a few characters, so strings are collected until
 * somebody looks or enough have come. Where that changed nothing, their units wait in a room of
 * numbers, which crosses as it is. Only one scanner collects at a time, and none beyond the
 * current turn of the event loop: what was fed is never held twice, and a scanner that is dropped
 * is not kept alive by its last fragment.
 */

import {
  type Settings,
  type Slice,
  objectText,
  outcomeOf,
  repairedText,
  reportOf,
} from './decide.js';
import { type Decision, readDecision, readError, readSpan, toCheck } from './decision.js';
import {
  BYTES_MAX,
  ECHO_LIMIT,
  checkMemory,
  checkName,
  checkStop,
  isBytes,
  lengthOf,
  readCount,
  readFlag,
  readOptions,
  subBytes,
  typeOf,
} from './input.js';
import { flatFragment } from './flat.js';
import { CHARACTER_BYTES_MAX, Kept } from './kept.js';
import {
  Fact,
  type ScannerMemory,
  State,
  decide,
  describe,
  fact,
  feedBytes,
  feedRoom,
  feedText,
  openScanner,
  piecesOf,
  room,
  roomText,
  textUnitsMax,
  verdictOf,
} from './native.js';
import type {
  Check,
  DecisionOptions,
  Outcome,
  Reported,
  ScanError,
  Span,
  StopSignal,
  Verdict,
} from './outcome.js';
import { type RepairSet, readTextRepairs } from './repairs.js';

/**
 * What can be chosen about a scanner: all about its decisions but the stop signal, and more. `repairs`
 * apply where it decides, in `finish`, `finishCheck` and `report`, and need the text; the verdict is
 * `malformed` all the same, so do not stop feeding at it.
 */
export interface ScannerOptions extends Omit<DecisionOptions, 'stop'> {
  /**
   * Whether the text is kept, so that `finish` can build the value. Without it a scanner takes a few
   * hundred bytes and the first characters for the echo, whatever is fed.
   * @defaultValue true
   */
  keepText?: boolean | undefined;
}

/**
 * Follows the arguments of one call as they stream.
 *
 * Any cutting of the same text gives the same outcome, and the same verdict at the same byte
 * (guarantee 1); the work is linear in the text (guarantee 4). Every other
 * member throws a `TypeError` after disposal.
 */
export interface ArgumentScanner {
  /**
   * Takes the next fragment: a string, which may end in half a surrogate pair, or bytes, which may
   * end inside a UTF-8 sequence. Bytes are not kept alive: what is needed of them is copied.
   * @throws TypeError where it is something else, or a view on shared or detached memory
   * @throws RangeError where the text cannot be kept, because it is too long for a string or there
   * is no memory: then, and in every other member until `reset`
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

/** Bytes that are read, and kept, in one go. */
const KEPT_AT_ONCE = 1 << 18;

/**
 * Units that are collected before they cross. Long enough to pay, short enough to join quickly, and half
 * of the room: what has been looked at may be so long, and two short fragments longer.
 */
const COLLECTED_MAX = 1024;

/** Stands where no scanner is; nothing that a method can be called on is equal to it. */
const nobody: unique symbol = Symbol('nobody');

/** The scanner whose fragments are being collected. */
let collecting: Scanner | typeof nobody = nobody;
let releasePlanned = false;

/** Stands for a part of the text that has not arrived yet. */
const onItsWay: unique symbol = Symbol('on its way');

class Scanner implements ArgumentScanner {
  /** The scanner itself; `null` once it was disposed of. */
  #memory: ScannerMemory | null;
  /** The addon's word on all that has crossed. */
  #state = 0;
  readonly #bytesMax: number;
  readonly #echoLimit: number;
  readonly #stopHint: boolean;
  readonly #keepText: boolean;
  readonly #repairs: RepairSet;
  /** The text, or as much of it as a message may quote. */
  #kept: Kept | null;
  /** Whether nothing more needs to be kept. */
  #full: boolean;
  /**
   * How many units of the room have been collected, and looked at; none unless this scanner is the one
   * that collects.
   */
  #looked = 0;
  /** Whether they end in a backslash whose escape is open. */
  #escapeOpen = false;
  /** What has been collected since somebody looked. */
  #collected = '';
  /** The one fragment that this is; `undefined` for none, `null` for several. */
  #fresh: string | null | undefined = undefined;
  /**
   * Why a part of the text may not have been read or kept: nothing is ever decided without it. It
   * stands while a part is on its way, so that whatever throws there, be it the stack's end, is not
   * forgotten.
   */
  #lost: unknown = null;

  constructor({ keepText, maxBytes, echoLimit, stopHint, repairs }: ScannerOptions) {
    this.#keepText = readFlag(keepText, 'options.keepText', true);
    this.#bytesMax = readCount(maxBytes, 'options.maxBytes', BYTES_MAX);
    this.#echoLimit = readCount(echoLimit, 'options.echoLimit', ECHO_LIMIT);
    this.#stopHint = readFlag(stopHint, 'options.stopHint', true);
    this.#repairs = readTextRepairs(repairs, 'options.repairs');
    if (this.#repairs !== 0 && !this.#keepText) {
      throw new TypeError('options.repairs needs the text: leave out keepText: false');
    }
    this.#memory = openScanner(this.#bytesMax);
    this.#full = !this.#keepText && this.#echoLimit === 0;
    this.#kept = this.#full ? null : new Kept();
  }

  feed(fragment: string | Uint8Array): void {
    if (typeof fragment !== 'string') {
      this.#feedBytes(fragment);
      return;
    }
    if (collecting !== this) {
      collect(this);
    }
    if (fragment.length >= COLLECTED_MAX) {
      // What came before may make it too long for a string.
      this.#handOver();
    }
    if (this.#collected === '') {
      // Often somebody looks after each fragment, and then nothing has to be joined.
      this.#fresh = fragment;
      this.#collected = fragment;
    } else if (fragment !== '') {
      // Joined with nothing, a slice would stay one.
      this.#fresh = null;
      this.#collected += fragment;
    }
    if (this.#looked + this.#collected.length >= COLLECTED_MAX) {
      this.#handOver();
    }
  }

  #feedBytes(bytes: Uint8Array): void {
    const memory = this.#handOver();
    if (!isBytes(bytes)) {
      throw new TypeError(`fragment must be a string or a Uint8Array (got ${typeOf(bytes)})`);
    }
    checkMemory(bytes, 'fragment');
    const length = lengthOf(bytes);
    if (length === 0) {
      return;
    }
    this.#lost = onItsWay;
    if (length <= KEPT_AT_ONCE) {
      this.#feedPiece(memory, bytes);
    } else {
      // What is too large is known before much of it is kept.
      for (let start = 0; start < length; start += KEPT_AT_ONCE) {
        this.#feedPiece(memory, subBytes(bytes, start, start + KEPT_AT_ONCE));
      }
    }
    this.#arrived();
  }

  /** Has the addon read a piece, and keeps it as far as it is needed. */
  #feedPiece(memory: ScannerMemory, piece: string | Uint8Array): void {
    if (this.#lost === onItsWay) {
      this.#state = typeof piece === 'string' ? feedText(memory, piece) : feedBytes(memory, piece);
      this.#keep(piece);
    }
  }

  /** The same for what stands in the room. */
  #feedRoom(memory: ScannerMemory): void {
    const length = this.#looked;
    this.#looked = 0;
    if (this.#lost === onItsWay) {
      this.#state = feedRoom(memory, length);
      this.#keep(this.#full ? '' : roomText(length));
    }
  }

  /** Keeps what was read, as far as it is needed. */
  #keep(piece: string | Uint8Array): void {
    if (!this.#full) {
      try {
        if (typeof piece === 'string') {
          this.#kept?.addText(piece);
        } else {
          this.#kept?.addBytes(this.#keepText ? piece : headFor(piece, this.#echoLimit));
        }
        this.#narrow();
      } catch (cause) {
        this.#lost = cause;
        this.#kept = null;
      }
    }
  }

  /** The memory, which a disposed scanner has no more. */
  #openMemory(): ScannerMemory {
    if (this.#memory === null) {
      throw new TypeError('this scanner was disposed of');
    }
    return this.#memory;
  }

  /** Hands over what was collected. */
  #handOver(): ScannerMemory {
    const memory = this.#openMemory();
    this.#checkWhole();
    if (this.#looked + this.#collected.length !== 0) {
      this.#lost = onItsWay;
      let text = this.#collected;
      if (this.#looked !== 0) {
        if (text.length <= SHORT_MAX) {
          // It takes less to write it behind the others than to cross once more.
          this.#looked = write(text, this.#looked);
          text = '';
        }
        this.#feedRoom(memory);
      }
      // One fragment alone may be a slice of something longer, which it would keep alive; several
      // have been joined into a string of their own.
      if (this.#fresh !== null && this.#kept !== null && !this.#full) {
        text = flatFragment(text);
      }
      this.#clearCollected();
      if (text.length > textUnitsMax) {
        for (const piece of piecesOf(text)) {
          this.#feedPiece(memory, piece);
        }
      } else if (text !== '') {
        this.#feedPiece(memory, text);
      }
      this.#arrived();
    }
    return memory;
  }

  /** Nothing is collected any more. */
  #clearCollected(): void {
    this.#looked = 0;
    this.#escapeOpen = false;
    this.#collected = '';
    this.#fresh = undefined;
  }

  /**
   * All of the part that was on its way has been read and kept.
   * @throws RangeError where it has not
   */
  #arrived(): void {
    if (this.#lost === onItsWay) {
      this.#lost = null;
    }
    this.#checkWhole();
  }

  /** @throws RangeError where a part of the text is missing */
  #checkWhole(): void {
    if (this.#lost !== null) {
      this.#clearCollected();
      const cause = this.#lost === onItsWay ? undefined : this.#lost;
      throw new RangeError('this scanner could not keep its text', { cause });
    }
  }

  /** Forgets text that nobody can ask for, where it is not kept or has grown too large. */
  #narrow(): void {
    const overLimit = (this.#state & State.overLimit) !== 0;
    const characters = this.#echoLimit + 1;
    if ((this.#keepText && !overLimit) || characters === Infinity) {
      return;
    }
    if (this.#memory !== null) {
      describe(this.#memory);
    }
    this.#kept?.narrow(fact(Fact.textStart), characters);
    this.#full = this.#kept?.holds(characters) ?? true;
  }

  /** Hands over what was collected, and has what is known written into the facts. */
  #describe(): void {
    describe(this.#handOver());
  }

  /** Whether nothing of what a scanner was fed is known to be missing. */
  static isWhole(scanner: Scanner): boolean {
    return scanner.#lost === null;
  }

  /** Hands over what was collected; `object` is what a method was called on. */
  static handOver(object: unknown): void {
    if (typeof object !== 'object' || object === null || !(#memory in object)) {
      throw new TypeError(`feed must be called on a scanner (got ${typeOf(object)})`);
    }
    object.#handOver();
  }

  /** The addon's word on all that was fed. */
  #look(): number {
    const fresh = this.#fresh;
    if (this.#lost !== null) {
      // The room may be another's by now, and this one has an error to throw.
    } else if (fresh === undefined && this.#looked !== 0) {
      return this.#state;
    } else if (typeof fresh === 'string' && (this.#state & State.calm) !== 0) {
      const behind = readCalmly(fresh, this.#looked, this.#escapeOpen);
      if (behind !== Behind.unknown) {
        // It changes nothing, so it need not cross yet.
        this.#looked += fresh.length;
        this.#escapeOpen = behind === Behind.openEscape;
        this.#collected = '';
        this.#fresh = undefined;
        return this.#state;
      }
    }
    this.#handOver();
    return this.#state;
  }

  get verdict(): Verdict {
    return verdictOf(this.#look());
  }

  get depth(): number {
    return this.#look() >> State.depthShift;
  }

  get inString(): boolean {
    return (this.#look() & State.inString) !== 0;
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
    return readSpan();
  }

  get error(): ScanError | null {
    this.#describe();
    return readError(this.#bytesMax);
  }

  finish(name: string, stop: StopSignal = 'finished'): Outcome {
    checkName(name);
    const decision = this.#decide(stop);
    if (!this.#keepText) {
      throw new TypeError('finish needs the text: create the scanner without keepText: false');
    }
    return outcomeOf(name, decision, this.#settings(stop), this.#slice());
  }

  finishCheck(stop: StopSignal = 'finished'): Check {
    const decision = this.#decide(stop);
    const check = toCheck(decision);
    if (this.#repairs === 0 || decision.kind === null) {
      return check;
    }
    const repaired = repairedText('', decision, this.#settings(stop), this.#slice());
    if (repaired === null) {
      return check;
    }
    const { repair, span } = repaired;
    return { ...check, repair, span, kind: null, reason: null, error: null };
  }

  report(name: string, stop: StopSignal = 'finished'): Reported | null {
    checkName(name);
    const decision = this.#decide(stop);
    if (decision.kind === null) {
      return null;
    }
    const settings = this.#settings(stop);
    const slice = this.#slice();
    if (this.#repairs !== 0 && repairedText(name, decision, settings, slice) !== null) {
      return null;
    }
    const object = this.#keepText ? objectText(decision, slice) : null;
    return reportOf(name, decision, settings, slice, object);
  }

  #decide(stop: StopSignal): Decision {
    const memory = this.#handOver();
    checkStop(stop);
    return readDecision(decide(memory, stop), stop, this.#bytesMax);
  }

  #settings(stop: StopSignal): Settings {
    return {
      stop,
      echoLimit: this.#echoLimit,
      bytesMax: this.#bytesMax,
      stopHint: this.#stopHint,
      repairs: this.#repairs,
    };
  }

  /** The text between two positions, as far as it is kept. */
  #slice(): Slice {
    return (start, end) => this.#kept?.slice(start, end) ?? '';
  }

  reset(): void {
    const memory = this.#openMemory();
    // Half of it done would be a text that nobody fed.
    this.#lost = onItsWay;
    this.#clearCollected();
    openScanner(this.#bytesMax, memory);
    this.#state = 0;
    this.#full = !this.#keepText && this.#echoLimit === 0;
    this.#kept = this.#full ? null : new Kept();
    this.#lost = null;
  }

  [Symbol.dispose](): void {
    if (collecting === this) {
      collecting = nobody;
    }
    this.#clearCollected();
    this.#memory = null;
    this.#kept = null;
  }
}

/** As much of bytes as an echo can need, where that is plain: they begin with no white space. */
function headFor(bytes: Uint8Array, echoLimit: number): Uint8Array {
  const most = (echoLimit + 1) * CHARACTER_BYTES_MAX;
  const first = bytes[0] ?? 0;
  const begun = 0x20 < first && first < 0x80;
  return begun && most < lengthOf(bytes) ? subBytes(bytes, 0, most) : bytes;
}

/** Up to this length a look at each unit costs less than crossing to the addon. */
const SHORT_MAX = 24;

/** Writes the units of a short string into the room, from `index` on; returns where they end. */
function write(text: string, index: number): number {
  for (let read = 0; read < text.length; read++) {
    room[index + read] = text.charCodeAt(read);
  }
  return index + text.length;
}

/** What stands behind a fragment that came while a scanner was calm. */
const Behind = { inString: 0, openEscape: 1, unknown: 2 } as const;
type Behind = (typeof Behind)[keyof typeof Behind];

/**
 * What stands behind a fragment that came inside of a string: still the string, where it is short and
 * has no quote, control character or escape beyond those of two characters; then it stands in the
 * room, from `index` on. Else the addon says.
 */
function readCalmly(fragment: string, index: number, escapeOpen: boolean): Behind {
  if (SHORT_MAX < fragment.length) {
    return Behind.unknown;
  }
  let open = escapeOpen;
  for (let read = 0; read < fragment.length; read++) {
    const unit = fragment.charCodeAt(read);
    if (open) {
      if (!isSimpleEscape(unit)) {
        return Behind.unknown;
      }
      open = false;
    } else if (unit === 0x5c) {
      open = true;
    } else if (unit < 0x20 || unit === 0x22) {
      return Behind.unknown;
    }
    room[index + read] = unit;
  }
  return open ? Behind.openEscape : Behind.inString;
}

/** Whether a unit ends the escape that a backslash has begun: one of `"\\/bfnrt`. */
function isSimpleEscape(unit: number): boolean {
  switch (unit) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

/** Makes a scanner the one whose fragments are collected, until the end of this turn. */
function collect(scanner: Scanner): void {
  Scanner.handOver(scanner);
  release();
  if (!releasePlanned) {
    queueMicrotask(() => {
      releasePlanned = false;
      release();
    });
    // Not before: where the stack ends in there, nothing is planned.
    releasePlanned = true;
  }
  collecting = scanner;
}

/** Ends the collecting, whoever does it. */
function release(): void {
  if (collecting === nobody) {
    return;
  }
  try {
    Scanner.handOver(collecting);
  } catch (error) {
    // Where the stack ended before anything was handed over, it still waits, and has the room.
    if (Scanner.isWhole(collecting)) {
      throw error;
    }
    // Else it is that scanner's failure, which its next member throws, and not its neighbour's.
  }
  collecting = nobody;
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
  return new Scanner(
    readOptions(options, ['keepText', 'maxBytes', 'echoLimit', 'stopHint', 'repairs']),
  );
}
