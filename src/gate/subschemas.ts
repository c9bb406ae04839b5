/**
 * Schemas inside a JSON Schema, and where references within it lead.
 */

import type { JsonSchema } from './definitions.js';
import { keyOf, valueAt } from './pointer.js';

/** Keywords whose schemas see the same value as the schema that they stand in. */
const inPlace: ReadonlySet<string> = new Set(
  'not if then else allOf anyOf oneOf dependentSchemas'.split(' '),
);

/** Keywords that hold one schema, or a list of them. */
const single: ReadonlySet<string> = new Set(
  (
    'not if then else allOf anyOf oneOf items prefixItems additionalItems unevaluatedItems contains ' +
    'contentSchema additionalProperties unevaluatedProperties propertyNames'
  ).split(' '),
);

/** Keywords that hold schemas by name. */
const named: ReadonlySet<string> = new Set(
  'properties patternProperties dependentSchemas dependencies $defs definitions'.split(' '),
);

/** Whether a value is a schema that is an object: others say nothing of what they let through. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schemas right inside a schema, under the keywords that `wanted` takes. */
function* inside(
  schema: JsonSchema,
  wanted: (keyword: string) => boolean,
): Generator<JsonSchema, void> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (!wanted(keyword)) {
      continue;
    }
    let candidates: readonly unknown[] = [];
    if (single.has(keyword)) {
      candidates = Array.isArray(value) ? value : [value];
    } else if (named.has(keyword) && isSchemaObject(value)) {
      candidates = Object.values(value);
    }
    yield* candidates.filter((candidate) => isSchemaObject(candidate));
  }
}

/** The reference in a schema, where it has one. */
export function referenceOf({ $ref, $dynamicRef }: JsonSchema): string | null {
  return typeof $ref === 'string' ? $ref : typeof $dynamicRef === 'string' ? $dynamicRef : null;
}

/** A JSON Schema as a graph: read once, and not changed. */
export class SchemaGraph {
  readonly root: JsonSchema;
  /** Every schema in it, those that only references lead to among them. */
  readonly all: ReadonlySet<JsonSchema>;
  readonly #anchors = new Map<string, JsonSchema>();

  constructor(root: JsonSchema) {
    this.root = root;
    const all = new Set([root]);
    this.all = all;
    // A set's iteration reaches what is added while it goes on.
    for (const schema of all) {
      for (const anchor of [schema['$anchor'], schema['$dynamicAnchor']]) {
        if (typeof anchor === 'string') {
          this.#anchors.set(anchor, schema);
        }
      }
      for (const inner of inside(schema, () => true)) {
        all.add(inner);
      }
      const target = this.targetOf(schema);
      if (target !== null) {
        all.add(target);
      }
    }
  }

  /** The schema that a schema refers to; `null` where it does not, or to none that is plain to see. */
  targetOf(schema: JsonSchema): JsonSchema | null {
    const reference = referenceOf(schema);
    if (reference?.startsWith('#') !== true) {
      return null;
    }
    const fragment = reference.slice(1);
    const target =
      fragment === '' || fragment.startsWith('/')
        ? valueAt(this.root, fragment)
        : this.#anchors.get(keyOf(fragment) ?? '');
    return isSchemaObject(target) ? target : null;
  }

  /** The schemas that see the same value as a schema does. */
  *applied(schema: JsonSchema): Generator<JsonSchema, void> {
    yield* inside(schema, (keyword) => inPlace.has(keyword));
    const target = this.targetOf(schema);
    if (target !== null) {
      yield target;
    }
  }

  /** Whether a schema comes back to itself with the same value, which no check would end. */
  hasLoop(): boolean {
    const done = new Set<JsonSchema>();
    const open = new Set<JsonSchema>();
    const visit = (schema: JsonSchema): boolean => {
      if (done.has(schema)) {
        return false;
      }
      if (open.has(schema)) {
        return true;
      }
      open.add(schema);
      const loops = [...this.applied(schema)].some(visit);
      open.delete(schema);
      done.add(schema);
      return loops;
    };
    return [...this.all].some(visit);
  }
}
