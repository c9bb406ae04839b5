/**
 * Bytes that grow by being added to: kept in blocks, so that what is there already is never copied
 * again, and no more than a block is reserved.
 */

/** Bytes of the first block; each is as large as all before it, up to the largest. */
const FIRST = 64;
const LARGEST = 1 << 18;

/** Keeps bytes in the order in which they are added. */
export class Blocks {
  readonly #full: Uint8Array[] = [];
  #last = new Uint8Array(0);
  /** Bytes in the last block. */
  #used = 0;
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a copy of bytes. */
  append(bytes: Uint8Array): void {
    const room = this.#last.length - this.#used;
    if (bytes.length <= room) {
      this.#write(bytes);
      return;
    }
    this.#write(bytes.subarray(0, room));
    const rest = bytes.subarray(room);
    if (this.#used !== 0) {
      this.#full.push(this.#last);
    }
    this.#last = new Uint8Array(
      Math.max(rest.length, Math.min(Math.max(this.#length, FIRST), LARGEST)),
    );
    this.#used = 0;
    this.#write(rest);
  }

  #write(bytes: Uint8Array): void {
    this.#last.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#length += bytes.length;
  }

  /** The bytes between two positions: a view on them where they stand in one block, else a copy. */
  slice(start: number, end: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let behind = 0;
    for (const block of [...this.#full, this.#last.subarray(0, this.#used)]) {
      const before = behind;
      behind += block.length;
      if (start < behind && before < end) {
        parts.push(block.subarray(Math.max(start - before, 0), end - before));
      }
    }
    const [first, second] = parts;
    return second === undefined ? (first ?? new Uint8Array(0)) : Buffer.concat(parts);
  }
}
