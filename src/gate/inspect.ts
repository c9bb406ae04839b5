/**
 * What the scanner finds in arguments, in words, and the removal of forbidden keys.
 */

import { Wanted, inspected } from '../native.js';
import type { Finding } from './types.js';

/** What is looked for with findings on, and what in any case. */
export const everything =
  Wanted.unsafeInteger | Wanted.duplicateKey | Wanted.forbiddenKey | Wanted.thinkingLeak;
export const { forbiddenKey: forbiddenOnly } = Wanted;

/** The findings of the last inspection. */
export function readFindings(): Finding[] {
  return inspected().map(([code, path, detail]) => toFinding(code, path, detail));
}

function toFinding(code: string, path: string, detail: string): Finding {
  switch (code) {
    case 'unsafe-integer':
      return { code, path, message: `${detail} is not exact as a double`, detail };
    case 'duplicate-key':
      return { code, path, message: 'the key stands twice in its object: the last counts', detail };
    case 'forbidden-key':
      return { code, path, message: `the key \`${detail}\` reaches a prototype`, detail };
    case 'thinking-leak':
      return { code, path, message: `the value holds reasoning ("${detail}")`, detail };
    default:
      return { code: 'more', path: '', message: `${detail} more were found`, detail };
  }
}

/** Removes from a value that nobody else has what {@link forbiddenOnly} finds. */
export function removeForbidden(value: unknown): void {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) {
      continue;
    }
    // Both delete properties of the object's own, and nothing else.
    if (Object.hasOwn(next, '__proto__')) {
      Reflect.deleteProperty(next, '__proto__');
    }
    const { value: inner } = Object.getOwnPropertyDescriptor(next, 'constructor') ?? {};
    if (
      typeof inner === 'object' &&
      inner !== null &&
      !Array.isArray(inner) &&
      Object.hasOwn(inner as object, 'prototype')
    ) {
      Reflect.deleteProperty(next, 'constructor');
    }
    for (const inside of Object.values(next)) {
      if (typeof inside === 'object') {
        waiting.push(inside);
      }
    }
  }
}
