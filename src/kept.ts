/**
 * The text that a scanner keeps: all of it, or as much as a message may quote.
 *
 * Strings are joined as strings, bytes as bytes in a buffer that doubles. Where both come, all of
 * it becomes bytes, and positions still count what came first.
 */

import { flat } from './flat.js';
import { decodeLossy, subBytes } from './input.js';

/** The most bytes of UTF-8 that a character takes. */
export const CHARACTER_BYTES_MAX = 4;

/** Keeps fragments, counted from `start` in the units of the first one. */
export class Kept {
  /** Where the first kept unit stands in all that was fed. */
  #start = 0;
  /** Whether positions count bytes; the first fragment says so. */
  #countsBytes = false;
  #text = '';
  #bytes: Uint8Array | null = null;
  #length = 0;
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
    this.#append(Buffer.from(this.#half === '' ? whole : whole.slice(0, -1)));
  }

  /** Adds a copy of bytes. */
  addBytes(bytes: Uint8Array): void {
    if (this.#bytes === null) {
      this.#countsBytes = this.#text === '' && this.#start === 0;
      this.#bytes = new Uint8Array(64);
      this.#append(Buffer.from(this.#text));
      this.#text = '';
    }
    if (this.#half !== '') {
      this.#append(Buffer.from('\u{fffd}'));
      this.#half = '';
    }
    this.#append(subBytes(bytes, 0, Infinity));
  }

  #append(bytes: Uint8Array): void {
    let kept = this.#bytes ?? new Uint8Array(0);
    const length = this.#length + bytes.length;
    if (kept.length < length) {
      const larger = new Uint8Array(Math.max(length, kept.length * 2));
      larger.set(kept.subarray(0, this.#length));
      kept = larger;
      this.#bytes = larger;
    }
    kept.set(bytes, this.#length);
    this.#length = length;
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
        : this.#length > characters * CHARACTER_BYTES_MAX;
    if (surplus === 0 && !long) {
      // Nothing to forget, and a copy for each fragment would make work of it.
      return;
    }
    if (bytes === null) {
      this.#text = flat(this.#text.slice(surplus, surplus + characters * 2));
    } else {
      const from = this.#countsBytes ? surplus : this.#byteIndex(surplus);
      const to = Math.min(this.#length, from + characters * CHARACTER_BYTES_MAX);
      this.#bytes = bytes.slice(from, to);
      this.#length = this.#bytes.length;
    }
    this.#start = start;
  }

  /** Whether so many characters are kept for sure. */
  holds(characters: number): boolean {
    return this.#bytes === null
      ? this.#text.length >= characters * 2
      : this.#length >= characters * CHARACTER_BYTES_MAX;
  }

  /** Where the byte of a UTF-16 position stands, while bytes are kept. */
  #byteIndex(units: number): number {
    const before = decode((this.#bytes ?? new Uint8Array(0)).subarray(0, this.#length));
    return Buffer.byteLength(before.slice(0, units));
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
      const text = decode(this.#bytes.subarray(from, Math.min(to, this.#length)));
      return this.#length < to ? text + half : text;
    }
    return (decode(this.#bytes.subarray(0, this.#length)) + half).slice(from, to);
  }
}

function decode(bytes: Uint8Array): string {
  return decodeLossy(subBytes(bytes, 0, bytes.length));
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff;
}
