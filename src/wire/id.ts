/**
 * Ids for calls whose wire gives none.
 */

import { randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 24;

/** Bytes from here on would make some characters likelier than others. */
const FAIR_BYTES = 256 - (256 % alphabet.length);

/** A new id: the prefix, then 24 random characters of base 62. */
export function mintId(prefix: 'call_' | 'toolu_'): string {
  let id = '';
  while (id.length < LENGTH) {
    for (const byte of randomBytes(LENGTH)) {
      if (byte < FAIR_BYTES && id.length < LENGTH) {
        id += alphabet[byte % alphabet.length];
      }
    }
  }
  return prefix + id;
}
