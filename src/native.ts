/**
 * The one place that loads the addon, and that knows what its numbers mean.
 *
 * A scanner's state lives in a slot of a slab, an `ArrayBuffer` that belongs to JavaScript: the
 * garbage collector frees it with the scanners that use it, also inside a long synchronous loop,
 * where finalizers do not run. What a call returns is one small number; the rest of a decision
 * stands in {@link facts} until the next call.
 */

import loadAddon from '../native/load.cjs';
import type { ScanErrorCode, StopSignal, Verdict } from './outcome.js';

/** The addon's exports (`native/node/src/lib.rs`). Arguments are checked before they get there. */
interface Addon {
  readonly scannerBytes: number;
  readonly textUnitsMax: number;
  readonly factCount: number;
  readonly errorCodes: string;
  open(slab: ArrayBuffer, slot: number, bytesMax: number): number;
  feedText(slab: ArrayBuffer, slot: number, text: string): number;
  feedBytes(slab: ArrayBuffer, slot: number, bytes: Uint8Array): number;
  state(slab: ArrayBuffer, slot: number): number;
  describe(slab: ArrayBuffer, slot: number, facts: ArrayBuffer): number;
  decide(slab: ArrayBuffer, slot: number, facts: ArrayBuffer, stop: number): number;
  checkText(text: string, facts: ArrayBuffer, bytesMax: number, stop: number): number;
  checkBytes(bytes: Uint8Array, facts: ArrayBuffer, bytesMax: number, stop: number): number;
  decodeBytes(bytes: Uint8Array): string | null;
  openStream(facts: ArrayBuffer): number;
  feedStream(stream: number, bytes: Uint8Array): number;
  gather(text: string): number;
  feedEvent(stream: number, text: string): number;
  feedBodyText(stream: number, text: string): number;
  feedBody(stream: number, bytes: Uint8Array): number;
  flushStream(stream: number): number;
  nextNote(stream: number, facts: ArrayBuffer): number;
  noteText(stream: number, which: number): string | null;
  describeCall(stream: number, facts: ArrayBuffer): number;
  callText(stream: number, which: number): string;
  closeStream(stream: number): number;
}

export const addon = loadAddon() as Addon;

/** Strings longer than this cross in pieces. */
export const textUnitsMax = addon.textUnitsMax;

/** What facts are written into. */
export const factBuffer = new ArrayBuffer(addon.factCount * Float64Array.BYTES_PER_ELEMENT);

/** What the last `describe`, `decide` or `check` wrote, by the numbers of {@link Fact}. */
export const facts = new Float64Array(factBuffer);

/** Where each fact stands; `mod fact` in `native/node/src/lib.rs`. */
export const Fact = {
  spanStart: 0,
  spanEnd: 1,
  textStart: 2,
  textEnd: 3,
  errorCode: 4,
  errorOffset: 5,
  errorLine: 6,
  errorColumn: 7,
  bytes: 8,
  objectStart: 9,
  invalidAt: 10,
  limit: 11,
  call: 12,
  choice: 13,
  index: 14,
  wireIndex: 15,
  flags: 16,
} as const;

/** Reads one of the facts. */
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

/** The parts of a state, which `feed…`, `state` and `describe` return. */
export const State = {
  inString: 1 << 2,
  overLimit: 1 << 3,
  depthShift: 8,
} as const;

/** The parts of a summary, which `decide` and `check…` return. */
export const Summary = {
  repairShift: 2,
  kindShift: 5,
  threeBits: 7,
  cut: 1 << 8,
  loneHalf: 1 << 9,
  /** Accepted, and the text is the object: nothing is to be looked up but its span. */
  plain: 2 | (1 << 2),
} as const;

const stopNumbers: Readonly<Record<StopSignal, number>> = {
  finished: 0,
  length: 1,
  interrupted: 2,
};

/** The number by which the addon knows a stop signal. */
export function stopNumber(stop: StopSignal): number {
  return stopNumbers[stop];
}

/** Scanners that share a slab. A slab lives as long as one of them. */
const SLOTS = 16;

let slab = new ArrayBuffer(SLOTS * addon.scannerBytes);
let slotsTaken = 0;

/** Where one scanner's state lives. */
export interface Slot {
  readonly slab: ArrayBuffer;
  readonly index: number;
}

/** A slot that nobody has used, for `open`. */
export function takeSlot(): Slot {
  if (slotsTaken === SLOTS) {
    slab = new ArrayBuffer(SLOTS * addon.scannerBytes);
    slotsTaken = 0;
  }
  return { slab, index: slotsTaken++ };
}

/** Feeds a string of any length; returns the state behind it. */
export function feedText(into: ArrayBuffer, slot: number, text: string): number {
  if (text.length <= textUnitsMax) {
    return addon.feedText(into, slot, text);
  }
  let state = 0;
  for (let start = 0; start < text.length; start += textUnitsMax) {
    state = addon.feedText(into, slot, text.slice(start, start + textUnitsMax));
  }
  return state;
}

/** Decides a whole string of any length; returns the summary, the rest is in {@link facts}. */
export function checkText(text: string, bytesMax: number, stop: number): number {
  if (text.length <= textUnitsMax) {
    return addon.checkText(text, factBuffer, bytesMax, stop);
  }
  const { slab: own, index } = takeSlot();
  addon.open(own, index, bytesMax);
  feedText(own, index, text);
  return addon.decide(own, index, factBuffer, stop);
}

/** Decides whole bytes; returns the summary, the rest is in {@link facts}. */
export function checkBytes(bytes: Uint8Array, bytesMax: number, stop: number): number {
  return addon.checkBytes(bytes, factBuffer, bytesMax, stop);
}

/** What is known of a scanner so far, in {@link facts}. */
export function describe(into: ArrayBuffer, slot: number): void {
  addon.describe(into, slot, factBuffer);
}

/** Decides as if a scanner's text ended here; returns the summary, the rest is in {@link facts}. */
export function decide(into: ArrayBuffer, slot: number, stop: number): number {
  return addon.decide(into, slot, factBuffer, stop);
}
