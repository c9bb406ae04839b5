// What the scanners of the memory measurement are fed.

import { fragmentsOf, required } from './fixtures.js';

const [code] = required.code.texts;

/** Fragments by name; each leaves a scanner in another state. */
export const feeds: Readonly<Record<string, ReadonlyArray<string | Uint8Array>>> = {
  nothing: [],
  '20 KB of bytes': [Buffer.from(code)],
  '2 KB in fragments': fragmentsOf(code.slice(0, 2048), 4),
  '127 levels, open': ['[{"a":'.repeat(63).slice(1)],
  'half a character': ['{"a": "\u{d83d}'],
  'the beginning of a number': [`{"a": ${'1'.repeat(4096)}`],
  'an error': ['{"a": tru3', ' and what else was said'.repeat(100)],
};
