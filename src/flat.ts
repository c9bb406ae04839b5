/** Finds a unit that does not fit into a byte. */
const wideUnit = /[\u0100-\uffff]/;

/**
 * Whether every unit of a string fits into a byte. V8 keeps most strings a byte a unit, and knows
 * without a look that the expression cannot match one; in another it looks as far as the first match.
 */
export function isOneByte(text: string): boolean {
  return !wideUnit.test(text);
}

/** A copy of a string that keeps no longer one alive, as the result of `slice` does. */
export function flat(text: string): string {
  const encoding = isOneByte(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
