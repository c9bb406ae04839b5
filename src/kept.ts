/**
 * The text that a scanner keeps: all of it, or as much as a message may quote.
 *
 * Strings are joined as strings, bytes are kept in blocks. Where both come, all of it becomes bytes,
 * and positions still count what came first.
 */

import { Blocks } from './blocks.js';
import { flat } from './flat.js';
import { decodeLossy, subBytes } from './input.js';

/** The most bytes of UTF-8 that a character takes. */
export const CHARACTER_BYTES_MAX = 4;

/** `Buffer.from` shares memory, and is not to be relied on once the stack has ended in it: see `flat.ts`. */
const encoder = new TextEncoder();

/** Keeps fragments, counted from `start` in the units of the first one. */
export class Kept {
  /** Where the first kept unit stands in all that was fed. */
  #start = 0;
  /** Whether positions count bytes; the first fragment says so. */
  #countsBytes = false;
  #text = '';
  #bytes: Blocks | null = null;
  /** The half pair that ended the last string, while bytes are kept. */
  #half = '';

  /** Adds a string. */
  addText(text: string): void {
    if (this.#bytes === null) {
      this.#text += text;
      return;
    }
    const whole = this.#half + text;
    this.#half = endsInHalf(whole) ? whole.slice(-1) : '';
    this.#bytes.append(encoder.encode(this.#half === '' ? whole : whole.slice(0, -1)));
  }

  /** Adds a copy of bytes. */
  addBytes(bytes: Uint8Array): void {
    if (this.#bytes === null) {
      this.#countsBytes = this.#text === '' && this.#start === 0;
      this.#bytes = new Blocks();
      this.#bytes.append(encoder.encode(this.#text));
      this.#text = '';
    }
    if (this.#half !== '') {
      this.#bytes.append(encoder.encode('\u{fffd}'));
      this.#half = '';
    }
    this.#bytes.append(subBytes(bytes, 0, Infinity));
  }

  /**
   * Forgets what stands before `start` and, behind it, all but the first `characters`. What is left
   * may hold some more, never fewer.
   */
  narrow(start: number, characters: number): void {
    const surplus = start - this.#start;
    const bytes = this.#bytes;
    const long =
      bytes === null
        ? this.#text.length > characters * 2
        : bytes.length > characters * CHARACTER_BYTES_MAX;
    if (surplus === 0 && !long) {
      // Nothing to forget, and a copy for each fragment would make work of it.
      return;
    }
    if (bytes === null) {
      this.#text = flat(this.#text.slice(surplus, surplus + characters * 2));
    } else {
      const from = this.#countsBytes ? surplus : this.#byteIndex(surplus);
      this.#bytes = new Blocks();
      this.#bytes.append(bytes.slice(from, from + characters * CHARACTER_BYTES_MAX));
    }
    this.#start = start;
  }

  /** Whether so many characters are kept for sure. */
  holds(characters: number): boolean {
    return this.#bytes === null
      ? this.#text.length >= characters * 2
      : this.#bytes.length >= characters * CHARACTER_BYTES_MAX;
  }

  /** Where the byte of a UTF-16 position stands, while bytes are kept. */
  #byteIndex(units: number): number {
    return Buffer.byteLength(this.#decoded(0, Infinity).slice(0, units));
  }

  /** The text between two positions; what is not UTF-8 in it becomes U+FFFD. */
  slice(start: number, end: number): string {
    const from = start - this.#start;
    const to = end - this.#start;
    if (this.#bytes === null) {
      return this.#text.slice(from, to);
    }
    const half = this.#half === '' ? '' : '\u{fffd}';
    if (this.#countsBytes) {
      const text = this.#decoded(from, to);
      return this.#bytes.length < to ? text + half : text;
    }
    return (this.#decoded(0, Infinity) + half).slice(from, to);
  }

  /** The kept bytes between two positions as a string. */
  #decoded(from: number, to: number): string {
    const bytes = this.#bytes?.slice(from, to);
    return bytes === undefined ? '' : decodeLossy(subBytes(bytes, 0, Infinity));
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff;
}
