/**
 * How arguments look to those who only watch: masked, unless somebody says what may be seen.
 */

import { types } from 'node:util';

import redactPaths from '@pinojs/redact';

import { typeOf } from '../input.js';

/** What stands in place of a value. */
const MASK = '[redacted]';

/** What a function that redacts is told beside the value. */
export interface RedactInfo {
  readonly name: string;
  /** Whether the value is what came (`raw`: often a string) or the arguments that were read. */
  readonly what: 'raw' | 'arguments';
}

/**
 * What may be seen of arguments.
 *
 * - `false`: all of it
 * - paths (`'password'`, `'users[*].mail'`, as in pino): all but these. Text that is not one object
 *   cannot be redacted by paths, and is masked as a whole
 * - a function: what it returns; if it throws, a mask
 */
export type RedactOptions =
  | false
  | readonly string[]
  | ((value: unknown, info: RedactInfo) => unknown);

/** Makes of a value what may be seen of it. */
export type Redactor = (value: unknown, info: RedactInfo) => unknown;

/**
 * Makes a redactor; without options, one that masks every value and leaves keys and structure.
 *
 * @throws TypeError
 */
export function createRedactor(options: RedactOptions | undefined, argument: string): Redactor {
  const redact = redactorOf(options, argument);
  return (value, info) => {
    try {
      return redact(value, info);
    } catch {
      // A getter, a proxy, the function: any look at what came may throw.
      return MASK;
    }
  };
}

function redactorOf(options: RedactOptions | undefined, argument: string): Redactor {
  if (options === undefined) {
    return masked;
  }
  if (options === false) {
    return (value) => harmless(value, (leaf) => leaf);
  }
  if (typeof options === 'function') {
    return options;
  }
  if (!Array.isArray(options) || options.some((path) => typeof path !== 'string')) {
    throw new TypeError(
      `${argument} must be false, a list of paths or a function (got ${typeOf(options)})`,
    );
  }
  const redact = pathRedactor(options as readonly string[], argument);
  return (value) =>
    typeof value === 'object' && value !== null
      ? redact(harmless(value, (leaf) => leaf))
      : masked(value);
}

function pathRedactor(paths: readonly string[], argument: string): (value: unknown) => unknown {
  try {
    // As text, because the object that it gives has a method among its members.
    const redact = redactPaths({ paths: [...paths], censor: MASK });
    return (value) => JSON.parse(String(redact(value)));
  } catch (cause) {
    throw new TypeError(`${argument} has a path that cannot be read`, { cause });
  }
}

function masked(value: unknown): unknown {
  return harmless(value, () => MASK);
}

const LEVELS_MAX = 8;
const MEMBERS_MAX = 100;

/** A copy with each scalar as `leaf` gives it, without keys that would reach a prototype. */
function harmless(value: unknown, leaf: (value: unknown) => unknown, level = 0): unknown {
  if (value === undefined || value === null) {
    return value;
  }
  if (typeof value !== 'object') {
    // What has no JSON of its own could have any, such as a method `toJSON`.
    return ['string', 'number', 'boolean'].includes(typeof value) ? leaf(value) : MASK;
  }
  if (types.isDate(value)) {
    const time: unknown = Date.prototype.toJSON.call(value);
    return time === null ? null : leaf(time);
  }
  if (ArrayBuffer.isView(value) || level >= LEVELS_MAX) {
    return MASK;
  }
  if (Array.isArray(value)) {
    return value.slice(0, MEMBERS_MAX).map((item) => harmless(item, leaf, level + 1));
  }
  const members = types.isMap(value)
    ? [...Map.prototype.entries.call(value)].map(([key, inside]) => [String(key), inside] as const)
    : Object.entries(value);
  const entries = members.slice(0, MEMBERS_MAX);
  // Makes properties of its own, whatever the keys are called.
  return Object.fromEntries(
    entries
      .filter(([key]) => key !== '__proto__' && key !== 'constructor' && key !== 'prototype')
      .map(([key, inside]) => [key, harmless(inside, leaf, level + 1)]),
  );
}
