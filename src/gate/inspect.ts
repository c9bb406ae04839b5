/**
 * What the scanner finds in arguments, in words, and the removal of forbidden keys.
 */

import { Wanted, inspect, inspected } from '../native.js';
import type { ToolArguments } from '../outcome.js';
import { pointerTo } from './pointer.js';
import type { Finding } from './types.js';
import { shortened } from './words.js';

/** What is looked for with findings on, and what in any case. */
export const everything =
  Wanted.unsafeInteger | Wanted.duplicateKey | Wanted.forbiddenKey | Wanted.thinkingLeak;
export const { forbiddenKey: forbiddenOnly } = Wanted;

/** Findings that are kept; as many as the scanner keeps. */
const FOUND_MAX = 32;

/** What a text, and the value that it is the JSON of, hold that deserves a look. */
export function findingsIn(text: string, value: unknown, wanted: number): Finding[] {
  const count = inspect(text, wanted);
  if (count === 0) {
    return [];
  }
  // The JSON of a value that came as one may be no text by the rule: it may have more levels, or
  // halves of pairs. Forbidden keys are looked for all the same.
  return count > 0 ? readFindings() : forbiddenIn(value);
}

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

/** A key that reaches a prototype, and the object that has it. */
interface Forbidden {
  readonly holder: object;
  readonly key: '__proto__' | 'constructor';
  readonly path: string;
}

/** Those of a value. Nothing inside one of them is looked at, so it may be removed at once. */
function* forbiddenMembers(root: unknown): Generator<Forbidden, void> {
  const waiting: [value: unknown, path: string][] = [[root, '']];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [holder, path] = next;
    if (typeof holder !== 'object' || holder === null) {
      continue;
    }
    for (const [key, member] of Object.entries(holder)) {
      if (key === '__proto__' || (key === 'constructor' && holdsPrototype(member))) {
        yield { holder, key, path: pointerTo(path, key) };
      } else if (typeof member === 'object') {
        waiting.push([member, pointerTo(path, key)]);
      }
    }
  }
}

function holdsPrototype(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.hasOwn(value, 'prototype')
  );
}

function forbiddenIn(value: unknown): Finding[] {
  const found: Finding[] = [];
  for (const { key, path } of forbiddenMembers(value)) {
    found.push(toFinding('forbidden-key', shortened(path, 1000), key));
    if (found.length === FOUND_MAX) {
      break;
    }
  }
  return found;
}

/** What a text gives without what would reach a prototype. */
export function withoutForbidden(text: string): ToolArguments {
  const value = JSON.parse(text) as ToolArguments;
  for (const { holder, key } of forbiddenMembers(value)) {
    // A property of the object's own, and nothing else.
    Reflect.deleteProperty(holder, key);
  }
  return value;
}
