/**
 * Keys that a schema does not name and lets through all the same.
 */

import type { JsonSchema } from './definitions.js';
import { pointerTo } from './pointer.js';
import { type SchemaGraph, isSchemaObject, referenceOf } from './subschemas.js';
import type { Finding } from './types.js';
import { namesOf, shortened } from './words.js';

const FOUND_MAX = 16;

/** Keywords by which a schema takes keys that nobody names. */
const elsewhere = ['patternProperties', 'propertyNames', 'unevaluatedProperties'] as const;

/** What some schemas, which all see the same value, say of its keys and items. */
interface Place {
  /** Those that they name; `null` where any key is as good as another. */
  readonly keys: ReadonlyMap<string, readonly JsonSchema[]> | null;
  readonly items: readonly JsonSchema[];
  /** The places below, as far as somebody has been there: by key, and of every item. */
  readonly below: Map<string | null, Place>;
}

/**
 * The keys that a schema names: in `properties`, behind its local references, and in the schemas
 * that it combines, all forms of a choice together.
 */
export class KnownKeys {
  readonly #graph: SchemaGraph;
  readonly #root: Place;

  constructor(graph: SchemaGraph) {
    this.#graph = graph;
    this.#root = this.#placeOf([graph.root]);
  }

  /** Adds a finding for each key of a value that is not known. */
  find(value: unknown, findings: Finding[]): void {
    this.#find(value, this.#root, findings, '');
  }

  #find(value: unknown, place: Place, findings: Finding[], path: string): void {
    if (typeof value !== 'object' || value === null || FOUND_MAX <= findings.length) {
      return;
    }
    if (Array.isArray(value)) {
      if (place.items.length > 0) {
        const below = this.#below(place, null, place.items);
        for (const [index, item] of value.entries()) {
          this.#find(item, below, findings, `${path}/${index}`);
        }
      }
      return;
    }
    const { keys } = place;
    if (keys === null) {
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      const schemas = keys.get(key);
      if (schemas !== undefined) {
        this.#find(member, this.#below(place, key, schemas), findings, pointerTo(path, key));
      } else if (findings.length < FOUND_MAX) {
        findings.push(unknownKey(pointerTo(path, key), key, keys));
      }
    }
  }

  #below(place: Place, key: string | null, schemas: readonly JsonSchema[]): Place {
    const known = place.below.get(key);
    if (known !== undefined) {
      return known;
    }
    const below = this.#placeOf(schemas);
    place.below.set(key, below);
    return below;
  }

  #placeOf(schemas: readonly JsonSchema[]): Place {
    const together = new Set(schemas);
    const keys = new Map<string, JsonSchema[]>();
    const items: JsonSchema[] = [];
    let anyKey = false;
    // A set's iteration reaches what is added while it goes on.
    for (const schema of together) {
      anyKey ||= this.#takesAnyKey(schema);
      for (const [key, inner] of entriesOf(schema['properties'])) {
        keys.set(key, [...(keys.get(key) ?? []), ...(isSchemaObject(inner) ? [inner] : [])]);
      }
      if (isSchemaObject(schema['items'])) {
        items.push(schema['items']);
      }
      for (const applied of this.#graph.applied(schema)) {
        together.add(applied);
      }
    }
    return { keys: anyKey || keys.size === 0 ? null : keys, items, below: new Map() };
  }

  #takesAnyKey(schema: JsonSchema): boolean {
    return (
      isSchemaObject(schema['additionalProperties']) ||
      elsewhere.some((keyword) => Object.hasOwn(schema, keyword)) ||
      (referenceOf(schema) !== null && this.#graph.targetOf(schema) === null) ||
      ['anyOf', 'oneOf'].some((keyword) => listOf(schema[keyword]).some((form) => isFree(form)))
    );
  }
}

/** Which keys a schema names; `null` where there is nothing to look for. */
export function knownKeysOf(graph: SchemaGraph): KnownKeys | null {
  const open = [...graph.all].some(
    (schema) =>
      entriesOf(schema['properties']).length > 0 && schema['additionalProperties'] !== false,
  );
  return open ? new KnownKeys(graph) : null;
}

/** Whether a form of a choice is an object of which nothing else is said. */
function isFree(form: unknown): boolean {
  const says = ['properties', '$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf'];
  return (
    form === true ||
    (isSchemaObject(form) &&
      [form['type']].flat().includes('object') &&
      !says.some((keyword) => Object.hasOwn(form, keyword)))
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: unknown): [string, unknown][] {
  return isSchemaObject(value) ? Object.entries(value) : [];
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
