/**
 * Keys that a schema does not name and lets through all the same.
 */

import type { JsonSchema } from './definitions.js';
import type { Finding } from './types.js';
import { namesOf, pointerTo, shortened } from './words.js';

const FOUND_MAX = 16;
const LEVELS_MAX = 32;

/** The keys that a schema names, as far as it does so plainly. */
export interface KnownKeys {
  /** Those of an object, or `null` where any key is as good as another. */
  readonly keys: ReadonlyMap<string, KnownKeys | null> | null;
  /** Whether the schema itself refuses all other keys: then only what is inside can have some. */
  readonly closed: boolean;
  readonly items: KnownKeys | null;
}

/** Keywords by which other places than `properties` decide which keys there may be. */
const elsewhere = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'patternProperties',
  'dependentSchemas',
  'propertyNames',
];

/** Reads which keys a schema names; `null` where there is nothing to look for. */
export function knownKeysOf(schema: unknown, level = 0): KnownKeys | null {
  if (typeof schema !== 'object' || schema === null || level > LEVELS_MAX) {
    return null;
  }
  const { properties, items, additionalProperties } = schema as JsonSchema;
  if (elsewhere.some((keyword) => Object.hasOwn(schema, keyword))) {
    return null;
  }
  const schemaForOthers = typeof additionalProperties === 'object' && additionalProperties !== null;
  const closed = additionalProperties === false;
  let keys: Map<string, KnownKeys | null> | null = null;
  if (!schemaForOthers && typeof properties === 'object' && properties !== null) {
    const entries = Object.entries(properties);
    keys = new Map(entries.map(([key, inner]) => [key, knownKeysOf(inner, level + 1)]));
    if (closed && [...keys.values()].every((inner) => inner === null)) {
      keys = null;
    }
  }
  const inItems = Array.isArray(items) ? null : knownKeysOf(items, level + 1);
  return keys === null && inItems === null ? null : { keys, closed, items: inItems };
}

/** Adds a finding for each key of a value that is not known. */
export function findUnknownKeys(
  value: unknown,
  known: KnownKeys,
  findings: Finding[],
  path = '',
): void {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  if (Array.isArray(value)) {
    const { items } = known;
    if (items !== null) {
      for (const [index, item] of value.entries()) {
        findUnknownKeys(item, items, findings, `${path}/${index}`);
      }
    }
    return;
  }
  const { keys, closed } = known;
  if (keys === null) {
    return;
  }
  for (const key of Object.keys(value)) {
    const inner = keys.get(key);
    if (inner === undefined) {
      if (!closed && findings.length < FOUND_MAX) {
        findings.push(unknownKey(pointerTo(path, key), key, keys));
      }
    } else if (inner !== null) {
      findUnknownKeys((value as JsonSchema)[key], inner, findings, pointerTo(path, key));
    }
  }
}

function unknownKey(path: string, key: string, keys: ReadonlyMap<string, unknown>): Finding {
  const known = namesOf([...keys.keys()]);
  return {
    code: 'unknown-key',
    path: shortened(path, 1000),
    message: `\`${shortened(key, 100)}\` is not among the parameters (known: ${known})`,
    detail: shortened(key, 1000),
  };
}
