/** Finds a unit that does not fit into a byte. */
const wideUnit = /[\u0100-\uffff]/;

/**
 * Whether every unit of a string fits into a byte. V8 keeps most strings a byte a unit, and knows
 * without a look that the expression cannot match one; in another it looks as far as the first match.
 */
export function isOneByte(text: string): boolean {
  return !wideUnit.test(text);
}

/** V8 makes a slice only of so many units; shorter strings are copies. */
const SLICE_MIN = 13;

/**
 * Fragments up to this length are copied. Of a longer one the copy would cost more than what it may
 * keep alive is worth.
 */
const COPIED_MAX = 16_384;

/**
 * Where a copy is made. Not `Buffer.from`, because that writes and reads in Node's pool: where the stack
 * once ended in there, what comes back may be memory that nothing was written to.
 */
const room = Buffer.from(new ArrayBuffer(COPIED_MAX * Uint16Array.BYTES_PER_ELEMENT));

/** A copy of a string that keeps no longer one alive, as the result of `slice` does. */
export function flat(text: string): string {
  const encoding = isOneByte(text) ? 'latin1' : 'utf16le';
  const size = text.length * (encoding === 'latin1' ? 1 : Uint16Array.BYTES_PER_ELEMENT);
  const copy = size <= room.length ? room : Buffer.from(new ArrayBuffer(size));
  return copy.toString(encoding, 0, copy.write(text, encoding));
}

/** A fragment that keeps no longer string alive, unless it is a long one itself. */
export function flatFragment(fragment: string): string {
  return fragment.length < SLICE_MIN || fragment.length > COPIED_MAX ? fragment : flat(fragment);
}
