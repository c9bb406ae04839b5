/**
 * Values and names in the words of a message, never longer than a message can bear.
 */

import { echoOf } from '../report.js';

const VALUE_MAX = 60;
const CHOICES_MAX = 300;

/** A text as far as there is room for it. */
export function shortened(text: string, characters: number): string {
  const { echo, more } = echoOf(text, characters);
  return more ? `${echo}…` : echo;
}

/** What stands somewhere: a scalar as its JSON, a container by its kind. */
export function wordsOf(value: unknown): string {
  if (value === undefined) {
    return 'nothing';
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? 'an empty array' : 'an array';
  }
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  }
  const text = typeof value === 'string' ? value.slice(0, VALUE_MAX * 2) : value;
  return shortened(JSON.stringify(text) ?? 'nothing', VALUE_MAX);
}

/** The values among which to choose. */
export function choiceOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value) ?? 'nothing').join(', ');
  return `one of ${shortened(words, CHOICES_MAX)}`;
}

/** The members of an object that a message names. */
export function namesOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : shortened(names.join(', '), CHOICES_MAX);
}

/**
 * What the model is told of a value: a string as it is, anything else as JSON. Halves of surrogate
 * pairs, which servers refuse, become U+FFFD.
 *
 * @throws TypeError where it has none
 */
export function contentOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) as string | undefined);
  return text?.toWellFormed() ?? '';
}

/** Whether something is a promise, or would be taken for one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** What an error says, or `otherwise`. Anything may be thrown, and any look at it may throw too. */
export function errorText(error: unknown, otherwise = 'no reason given'): string {
  try {
    const message: unknown =
      typeof error === 'object' && error !== null
        ? (error as { message?: unknown }).message
        : error;
    return typeof message === 'string' && message !== '' ? message.toWellFormed() : otherwise;
  } catch {
    return otherwise;
  }
}

/** Tells whoever runs the process of a fault in what they gave, which must not stop a turn. */
export function warn(what: string, error: unknown): void {
  process.emitWarning(`${what}: ${errorText(error)}`, 'ArgspanWarning');
}
