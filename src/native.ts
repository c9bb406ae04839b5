/**
 * The one place that loads the addon: its functions, and where its numbers stand. What a decision's
 * numbers mean is in `decision.ts`, a stream's in `wire/reader.ts`, a finder's in `gate/find.ts`.
 *
 * A scanner is an `ArrayBuffer`: the garbage collector frees it, also inside a long synchronous
 * loop, where finalizers do not run. Feeding it returns one small number. What else there is to know
 * stands in {@link facts} until the next call; so does what a decision depends on, because a number
 * in memory costs less to hand over than one that is an argument.
 */

import loadAddon from '../native/load.cjs';
import { isOneByte } from './flat.js';
import type { ScanErrorCode, StopSignal, Verdict } from './outcome.js';

/** The memory of one scanner. */
export type ScannerMemory = ArrayBuffer;

/** The addon's exports (`native/node/src/lib.rs`). Arguments are checked before they get there. */
interface Addon extends StreamAddon, FinderAddon {
  readonly scannerBytes: number;
  readonly textUnitsMax: number;
  readonly factCount: number;
  readonly errorCodes: string;
  open(scanner: ScannerMemory, facts: ArrayBuffer): void;
  feedText(scanner: ScannerMemory, text: string): number;
  feedLatin1(scanner: ScannerMemory, text: string): number;
  feedUnits(scanner: ScannerMemory, units: ArrayBuffer): number;
  feedBytes(scanner: ScannerMemory, bytes: Uint8Array): number;
  describe(scanner: ScannerMemory, facts: ArrayBuffer): void;
  decide(scanner: ScannerMemory, facts: ArrayBuffer): void;
  checkText(text: string): boolean;
  checkLatin1(text: string): boolean;
  checkBytes(bytes: Uint8Array): boolean | undefined;
  decideChecked(facts: ArrayBuffer): void;
  decodeBytes(bytes: Uint8Array): string | null;
  inspectText(text: string, wanted: number): number;
  inspectLatin1(text: string, wanted: number): number;
  inspectBytes(bytes: Uint8Array, wanted: number): number;
  findings(): string;
  repair(bytes: Uint8Array, facts: ArrayBuffer): string | null;
}

/** The addon's exports for wire streams (`native/node/src/wire.rs`). */
export interface StreamAddon {
  openStream(facts: ArrayBuffer): number;
  feedStream(stream: number, bytes: Uint8Array): number;
  gather(text: string): number;
  feedEvent(stream: number, text: string): number;
  feedBodyText(stream: number, text: string): number;
  feedBody(stream: number, bytes: Uint8Array): number;
  flushStream(stream: number): number;
  nextNote(stream: number, facts: ArrayBuffer): number;
  noteText(stream: number, which: number): string | null;
  describeCall(stream: number, facts: ArrayBuffer): void;
  callText(stream: number, which: number): string;
  closeStream(stream: number): number;
}

/** The addon's exports for finders (`native/node/src/find.rs`). */
export interface FinderAddon {
  openFinder(lengthMax: number): number;
  nameFinder(finder: number, name: string): void;
  feedFinder(finder: number, text: string): number;
  finishFinder(finder: number, facts: ArrayBuffer): void;
  foundName(finder: number): string;
  foundArguments(finder: number): string;
  closeFinder(finder: number): void;
}

// A copy, because V8 keeps an object that was filled through Node-API as a dictionary, in which each
// call would look its function up.
const addon: Addon = { ...(loadAddon() as Addon) };

/** The functions of wire streams, which `wire/reader.ts` calls. */
export const streamAddon: StreamAddon = addon;

/** The functions of finders, which `gate/find.ts` calls. */
export const finderAddon: FinderAddon = addon;

/** Strings longer than this cross in pieces. */
export const { textUnitsMax } = addon;

/** What the addon writes numbers into, and reads some from. */
export const factBuffer = new ArrayBuffer(addon.factCount * Float64Array.BYTES_PER_ELEMENT);
export const facts = new Float64Array(factBuffer);

/** Where each fact stands; `mod fact` in `native/node/src/lib.rs`. The first two go in. */
export const Fact = {
  stop: 0,
  bytesMax: 1,
  summary: 2,
  spanStart: 3,
  spanEnd: 4,
  textStart: 5,
  textEnd: 6,
  errorCode: 7,
  errorOffset: 8,
  errorLine: 9,
  errorColumn: 10,
  bytes: 11,
  objectStart: 12,
  invalidAt: 13,
  limit: 14,
  call: 15,
  choice: 16,
  index: 17,
  wireIndex: 18,
  flags: 19,
  repairs: 20,
} as const;

/** Reads one of the facts that the last `describe`, `decide` or `decideChecked` wrote. */
export function fact(index: (typeof Fact)[keyof typeof Fact]): number {
  return facts[index] ?? 0;
}

/** One of the crate's error codes: its name, and its text without a position. */
interface ErrorEntry {
  readonly name: ScanErrorCode;
  readonly text: string;
}

const errorEntries: readonly ErrorEntry[] = addon.errorCodes.split('\n').map((line) => {
  const [name = '', text = ''] = line.split('\t');
  return { name: name as ScanErrorCode, text };
});

/** The code with this number, or `null` for 0, which is none. */
export function errorEntry(number: number): ErrorEntry | null {
  return errorEntries[number - 1] ?? null;
}

const verdicts = ['empty', 'incomplete', 'complete', 'malformed'] as const;

/** The verdict in a state or summary. */
export function verdictOf(state: number): Verdict {
  return verdicts[state & 3] ?? 'malformed';
}

/** The parts of a state, which feeding returns. */
export const State = {
  inString: 1 << 2,
  overLimit: 1 << 3,
  /** Nothing but a quote, an escape that is no simple one or a control character can change the state soon. */
  calm: 1 << 4,
  depthShift: 8,
} as const;

/** The parts of a summary, which stands in the facts behind a decision. */
export const Summary = {
  repairShift: 2,
  kindShift: 5,
  threeBits: 7,
  cut: 1 << 8,
  /** Half a surrogate pair stands in the text, which counts as U+FFFD. */
  loneHalf: 1 << 9,
} as const;

const stopNumbers: Readonly<Record<StopSignal, number>> = {
  finished: 0,
  length: 1,
  interrupted: 2,
};

/** Starts over in a scanner's memory, or in new memory. */
export function openScanner(
  bytesMax: number,
  memory: ScannerMemory = new ArrayBuffer(addon.scannerBytes),
): ScannerMemory {
  facts[Fact.bytesMax] = bytesMax;
  addon.open(memory, factBuffer);
  return memory;
}

/** Whether a string is worth taking out a byte a unit, which is faster. */
function isLatin1(text: string): boolean {
  return text.length > 256 && isOneByte(text);
}

/** Feeds a string of at most `textUnitsMax`; returns the state behind it. */
function feedPiece(scanner: ScannerMemory, text: string): number {
  return isLatin1(text) ? addon.feedLatin1(scanner, text) : addon.feedText(scanner, text);
}

/** Feeds a string of any length; returns the state behind it. */
export function feedText(scanner: ScannerMemory, text: string): number {
  if (text.length <= textUnitsMax) {
    return feedPiece(scanner, text);
  }
  let state = 0;
  for (const piece of piecesOf(text)) {
    state = feedPiece(scanner, piece);
  }
  return state;
}

/** The pieces in which a string crosses. */
export function piecesOf(text: string): readonly string[] {
  const pieces = [];
  for (let start = 0; start < text.length; start += textUnitsMax) {
    pieces.push(text.slice(start, start + textUnitsMax));
  }
  return pieces;
}

/** Units that the room holds: twice what is collected, so that nothing is ever written behind its end. */
const ROOM_UNITS = 1 << 11;

/** Where units wait that were looked at and need not cross yet; how many there are stands before them. */
const roomBuffer = new ArrayBuffer((1 + ROOM_UNITS) * Uint16Array.BYTES_PER_ELEMENT);
export const room = new Uint16Array(roomBuffer, Uint16Array.BYTES_PER_ELEMENT);
const roomLength = new Uint16Array(roomBuffer, 0, 1);
const roomBytes = Buffer.from(roomBuffer, Uint16Array.BYTES_PER_ELEMENT);

/** Feeds the first units of the room; returns the state behind them. */
export function feedRoom(scanner: ScannerMemory, length: number): number {
  roomLength[0] = length;
  return addon.feedUnits(scanner, roomBuffer);
}

/** The first units of the room as a string. */
export function roomText(length: number): string {
  return roomBytes.toString('utf16le', 0, length * Uint16Array.BYTES_PER_ELEMENT);
}

/** Feeds bytes; returns the state behind them. */
export function feedBytes(scanner: ScannerMemory, bytes: Uint8Array): number {
  return addon.feedBytes(scanner, bytes);
}

/** Writes what is known of a scanner so far into the facts. */
export function describe(scanner: ScannerMemory): void {
  addon.describe(scanner, factBuffer);
}

/** Decides as if a scanner's text ended here; returns the summary, the rest is in the facts. */
export function decide(scanner: ScannerMemory, stop: StopSignal): number {
  facts[Fact.stop] = stopNumbers[stop];
  addon.decide(scanner, factBuffer);
  return fact(Fact.summary);
}

/**
 * Reads a whole text, of any length: whether it is one object and nothing else. Where it is not,
 * `decideChecked` decides on it, and must be called next if at all.
 */
export function checkText(text: string): boolean {
  if (text.length > textUnitsMax) {
    // Too long for one call: it is read by the one that decides.
    return false;
  }
  return isLatin1(text) ? addon.checkLatin1(text) : addon.checkText(text);
}

/** The same for bytes; `undefined`, and nothing is read, where there are none, others share them, or something else came. */
export function checkBytes(bytes: Uint8Array): boolean | undefined {
  return addon.checkBytes(bytes);
}

/**
 * Decides on a finished text of which `checkText` or `checkBytes` has just said no; returns the summary, the rest
 * is in the facts.
 */
export function decideChecked(text: string | Uint8Array): number {
  if (typeof text === 'string' && text.length > textUnitsMax) {
    return decideWhole(text, Infinity, 'finished');
  }
  facts[Fact.stop] = stopNumbers.finished;
  addon.decideChecked(factBuffer);
  return fact(Fact.summary);
}

/** Decides on a whole text that may be too large; returns the summary, the rest is in the facts. */
export function decideWhole(text: string | Uint8Array, bytesMax: number, stop: StopSignal): number {
  const scanner = openScanner(bytesMax);
  if (typeof text === 'string') {
    feedText(scanner, text);
  } else {
    feedBytes(scanner, text);
  }
  return decide(scanner, stop);
}

/** Bytes of the place in which long strings become bytes; a longer one gets one of its own. */
const ENCODED_MAX = 1 << 18;
let encoded: Uint8Array | null = null;
const encoder = new TextEncoder();

/**
 * The UTF-8 of a string, until the next call. The place is used again, because memory that is new to
 * the process costs more than what is done in it.
 */
function encode(text: string): Uint8Array {
  if (text.length <= ENCODED_MAX) {
    encoded ??= new Uint8Array(ENCODED_MAX);
    const { read, written } = encoder.encodeInto(text, encoded);
    if (read === text.length) {
      return encoded.subarray(0, written);
    }
  }
  return encoder.encode(text);
}

/** What an inspection looks for, as bits; `mod wanted` in `native/scanner/src/findings.rs`. */
export const Wanted = {
  unsafeInteger: 1,
  duplicateKey: 1 << 1,
  forbiddenKey: 1 << 2,
  thinkingLeak: 1 << 3,
} as const;

/**
 * Reads a whole text and looks into it. Returns how many things it found, and -1 where the text is
 * not one object and nothing else; `inspected` tells what they are, and must be called next.
 */
export function inspect(text: string | Uint8Array, wanted: number): number {
  if (typeof text !== 'string') {
    return addon.inspectBytes(text, wanted);
  }
  if (textUnitsMax < text.length) {
    // Half a pair would become something else in bytes.
    return text.isWellFormed() ? addon.inspectBytes(encode(text), wanted) : -1;
  }
  return isLatin1(text) ? addon.inspectLatin1(text, wanted) : addon.inspectText(text, wanted);
}

/** What the last inspection found: code, path and detail of each. */
export function inspected(): [code: string, path: string, detail: string][] {
  return JSON.parse(addon.findings()) as [string, string, string][];
}

/**
 * What opt-in repairs, as bits of a set, make of a text that is malformed: its object, or `null`. The
 * facts say which it took, where the object stands, and how the rule found it.
 */
export function repair(text: string, allowed: number): string | null {
  facts[Fact.repairs] = allowed;
  // Half a pair becomes U+FFFD, which is what it counts as.
  return addon.repair(encode(text), factBuffer);
}

/** The string that bytes are, or `null` where they are not UTF-8 or too many for a string. */
export function decodeBytes(bytes: Uint8Array): string | null {
  return addon.decodeBytes(bytes);
}
