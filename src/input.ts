/**
 * What callers hand over: checks it, and brings values that are not text into the rule's form.
 *
 * A wrong argument is the caller's mistake and ends in a `TypeError` or `RangeError` that names
 * the argument and what came. A wrong value of a model's is never thrown: it becomes a report.
 */

import { types } from 'node:util';

import type { StopSignal, ToolArguments } from './outcome.js';

/** The default limit of one call's argument text, in bytes. */
export const BYTES_MAX = 16 * 1024 * 1024;

/** The default number of characters of the text that a message quotes. */
export const ECHO_LIMIT = 500;

/** Describes what came, for an error: a type, never the content. */
export function typeOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (value === undefined) {
    return 'undefined';
  }
  if (typeof value !== 'object') {
    return `a ${typeof value}`;
  }
  return isArray(value) ? 'an array' : classOf(value);
}

/** As much of a caller's text as an error shows. */
export function shown(text: string): string {
  return text.slice(0, 100).toWellFormed();
}

/** Like `Array.isArray`, which throws for a proxy that was revoked. */
function isArray(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** `an object`, or `an object of class X` where it has one. A proxy may throw at any look. */
function classOf(value: object): string {
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    const name: unknown = (prototype as { constructor?: { name?: unknown } } | null)?.constructor
      ?.name;
    if (typeof name === 'string' && name !== '' && name !== 'Object') {
      return `an object of class ${shown(name)}`;
    }
  } catch {
    // Then it has none that anybody can see.
  }
  return 'an object';
}

/** The getter of a property, which reads it whatever properties an object has of its own. */
function getterOf(prototype: unknown, key: string | symbol): (this: unknown) => unknown {
  // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
  return Object.getOwnPropertyDescriptor(prototype, key)?.get ?? (() => undefined);
}

const typedArray: unknown = Object.getPrototypeOf(Uint8Array.prototype);
const typedArrayTag = getterOf(typedArray, Symbol.toStringTag) as (
  this: unknown,
) => string | undefined;
const viewBuffer = getterOf(typedArray, 'buffer') as (this: unknown) => ArrayBuffer;
const viewOffset = getterOf(typedArray, 'byteOffset') as (this: unknown) => number;
const viewLength = getterOf(typedArray, 'byteLength') as (this: unknown) => number;

const bufferLength = getterOf(ArrayBuffer.prototype, 'byteLength') as (this: unknown) => number;

/** Whether a value is a `Uint8Array` (so also a `Buffer`), of this realm or another's. */
export function isBytes(value: unknown): value is Uint8Array {
  return typedArrayTag.call(value) === 'Uint8Array';
}

/**
 * Refuses bytes that another thread may write to, or that are gone.
 *
 * @throws TypeError
 */
export function checkMemory(bytes: Uint8Array, argument: string): void {
  const buffer = viewBuffer.call(bytes);
  try {
    // Of all buffers only an ArrayBuffer that is not shared has this length, in any realm.
    bufferLength.call(buffer);
  } catch {
    throw new TypeError(`${argument} must not be a view on shared memory`);
  }
  if (viewLength.call(bytes) === 0 && isGone(bytes)) {
    throw new TypeError(`${argument} must not be a view on memory that was detached or cut off`);
  }
}

/** Whether a view has no length because its buffer was transferred or made shorter. */
function isGone(bytes: Uint8Array): boolean {
  try {
    // Every method of typed arrays looks that up first.
    Uint8Array.prototype.at.call(bytes, 0);
    return false;
  } catch {
    return true;
  }
}

/** The bytes between two offsets, without a copy. */
export function subBytes(bytes: Uint8Array, start: number, end: number): Buffer {
  const length = Math.min(end, viewLength.call(bytes)) - start;
  return Buffer.from(viewBuffer.call(bytes), viewOffset.call(bytes) + start, length);
}

/** How many bytes a view has, whatever it says itself. */
export function lengthOf(bytes: Uint8Array): number {
  return viewLength.call(bytes);
}

/**
 * The string that bytes are; what is not UTF-8 in it becomes U+FFFD.
 *
 * @throws RangeError where they are too many for a string
 */
export function decodeLossy(bytes: Buffer): string {
  try {
    return bytes.toString();
  } catch (cause) {
    throw new RangeError(`${bytes.length} bytes are too many for a string`, { cause });
  }
}

/** @throws TypeError where a tool's name is not a string */
export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') {
    throw new TypeError(`name must be a string (got ${typeOf(name)})`);
  }
}

/** @throws TypeError | RangeError */
export function checkStop(stop: unknown, argument = 'stop'): asserts stop is StopSignal {
  checkWord(stop, argument, stopSignals);
}

const stopSignals: readonly StopSignal[] = ['finished', 'length', 'interrupted'];

/**
 * Refuses what is none of some words.
 *
 * @throws TypeError | RangeError
 */
export function checkWord<Word extends string>(
  value: unknown,
  argument: string,
  words: readonly Word[],
): asserts value is Word {
  if (typeof value !== 'string') {
    throw new TypeError(`${argument} must be a string (got ${typeOf(value)})`);
  }
  if (!(words as readonly string[]).includes(value)) {
    const quoted = words.map((word) => `'${word}'`);
    const choice = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
    throw new RangeError(`${argument} must be ${choice} (got '${shown(value)}')`);
  }
}

/**
 * Reads the named properties of an options object, once and in one place: a proxy or getter may
 * throw at any look.
 *
 * @throws TypeError
 */
export function readOptions<T extends object>(
  options: T,
  keys: readonly (keyof T & string)[],
  argument = 'options',
): T {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${argument} must be an object (got ${typeOf(options)})`);
  }
  const read: Partial<T> = {};
  for (const key of keys) {
    try {
      read[key] = options[key];
    } catch (cause) {
      throw new TypeError(`${argument}.${key} could not be read`, { cause });
    }
  }
  return read as T;
}

/**
 * A whole number from 0, or infinity.
 *
 * @throws TypeError | RangeError
 */
export function readCount(value: unknown, argument: string, fallback: number): number {
  if (value === undefined) {
    return fallback;
  }
  if (typeof value !== 'number') {
    throw new TypeError(`${argument} must be a number (got ${typeOf(value)})`);
  }
  if (value !== Infinity && (!Number.isSafeInteger(value) || value < 0)) {
    throw new RangeError(`${argument} must be a whole number from 0, or Infinity (got ${value})`);
  }
  return value;
}

/** @throws TypeError */
export function readFlag(value: unknown, argument: string, fallback: boolean): boolean {
  if (value === undefined) {
    return fallback;
  }
  if (typeof value !== 'boolean') {
    throw new TypeError(`${argument} must be a boolean (got ${typeOf(value)})`);
  }
  return value;
}

/**
 * One of some words, the first where none was given.
 *
 * @throws TypeError | RangeError
 */
export function readWord<Word extends string>(
  value: Word | undefined,
  argument: string,
  words: readonly [Word, ...Word[]],
): Word {
  if (value === undefined) {
    return words[0];
  }
  checkWord(value, argument, words);
  return value;
}

/** @throws TypeError */
export function readFunction<T extends (...given: never[]) => unknown>(
  value: T | undefined,
  argument: string,
): T | undefined {
  if (value !== undefined && typeof value !== 'function') {
    throw new TypeError(`${argument} must be a function (got ${typeOf(value)})`);
  }
  return value;
}

/** What a value that is not text stands for: its text and value, or why it has none. */
export type ObjectInput =
  | { readonly text: string; readonly value: ToolArguments }
  | { readonly type: string };

/**
 * Reads arguments that arrive as an object: a plain one, of any realm, or a `Map` with string keys.
 * What is returned shares nothing with what came.
 */
export function readObject(raw: unknown): ObjectInput {
  const type = typeOf(raw);
  if (typeof raw !== 'object' || raw === null) {
    return { type };
  }
  try {
    if (!types.isMap(raw) && !isPlain(raw)) {
      return { type };
    }
    const text = JSON.stringify(raw, mapsAsObjects) as string | undefined;
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    if (text === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { type };
    }
    return { text, value: value as ToolArguments };
  } catch {
    // A cycle, a BigInt, a key that is no string, a `toJSON` or proxy that throws: no JSON text.
    return { type };
  }
}

/** `JSON.stringify` would make every map an empty object, which is a lie about its content. */
function mapsAsObjects(_key: string, value: unknown): unknown {
  if (!types.isMap(value)) {
    return value;
  }
  const entries = [...Map.prototype.entries.call(value)];
  if (entries.some(([key]) => typeof key !== 'string')) {
    throw new TypeError('a key of a map is not a string');
  }
  // Makes properties of its own, whatever the keys are called.
  return Object.fromEntries(entries);
}

/** Whether an object's prototype is null or some realm's `Object.prototype`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) {
    return !isArray(value);
  }
  return (
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype as object, 'isPrototypeOf') &&
    Object.hasOwn(prototype as object, 'hasOwnProperty')
  );
}
