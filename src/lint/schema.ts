/**
 * The parts of a JSON Schema that a model reads, one after another.
 *
 * What is walked is a copy of at most 100 levels, so recursion is bounded; a `$ref` is looked up
 * where it is needed, and never walked into.
 */

import { pointerTo, valueAt } from '../gate/pointer.js';
import { type Members, isMembers } from './definitions.js';

/** One schema inside a schema. */
export interface Part {
  readonly schema: Members;
  readonly path: string;
  /** As what it stands there: a member of `properties`, or something else. */
  readonly property: { readonly name: string; readonly required: boolean } | null;
  /** Whether it is one of several that hold together, so that none alone can be closed. */
  readonly composed: boolean;
}

const maps = ['patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'] as const;
const singles = ['items', 'additionalProperties', 'contains', 'then', 'else'] as const;

/** All parts of a schema, itself first, in the order in which they stand. */
export function* partsOf(schema: Members, path: string): Generator<Part> {
  yield* walk({ schema, path, property: null, composed: false });
}

function* walk(part: Part): Generator<Part> {
  yield part;
  const { schema, path } = part;
  const { properties } = schema;
  if (isMembers(properties)) {
    const required = new Set(requiredOf(schema));
    const at = pointerTo(path, 'properties');
    for (const [name, inner] of Object.entries(properties)) {
      yield* walk({
        // `true` is a schema too: one that says nothing.
        schema: isMembers(inner) ? inner : {},
        path: pointerTo(at, name),
        property: { name, required: required.has(name) },
        composed: false,
      });
    }
  }
  for (const keyword of singles) {
    yield* inside(schema[keyword], pointerTo(path, keyword), false);
  }
  for (const keyword of lists) {
    const members = schema[keyword];
    for (const [index, inner] of (Array.isArray(members) ? members : []).entries()) {
      yield* inside(inner, pointerTo(pointerTo(path, keyword), `${index}`), keyword === 'allOf');
    }
  }
  for (const keyword of maps) {
    const members = schema[keyword];
    for (const [name, inner] of isMembers(members) ? Object.entries(members) : []) {
      yield* inside(inner, pointerTo(pointerTo(path, keyword), name), false);
    }
  }
}

function* inside(schema: unknown, path: string, composed: boolean): Generator<Part> {
  if (isMembers(schema)) {
    yield* walk({ schema, path, property: null, composed });
  }
}

/** The names that a schema requires. */
export function requiredOf({ required }: Members): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** What a schema says about its value, however it says it. */
export interface Facets {
  readonly types: readonly string[];
  readonly description: string | null;
  /** The values that it lists, the first of very many; `null` where it lists none. */
  readonly values: readonly unknown[] | null;
  readonly hasMinimum: boolean;
  readonly hasMaximum: boolean;
  readonly hasPattern: boolean;
  readonly hasDefault: boolean;
}

/** Schemas that are looked at for one property (its own, and those that it is made of), and members
 * of each list in them. */
const CLOSE_MAX = 50;

/** Reads a property's schema, with the forms it may have and what it refers to. */
export function facetsOf(schema: Members, root: Members): Facets {
  const close: Members[] = [schema];
  for (const one of close) {
    for (const next of [refer(one['$ref'], root), ...formsOf(one)]) {
      if (isMembers(next) && close.length < CLOSE_MAX && !close.includes(next)) {
        close.push(next);
      }
    }
  }
  const has = (...keywords: string[]): boolean =>
    close.some((one) => keywords.some((keyword) => one[keyword] !== undefined));
  const values = close.flatMap((one) => listedBy(one));
  const described = close.find(({ description }) => isProse(description));
  return {
    types: close
      .flatMap(({ type }) => (Array.isArray(type) ? firstOf(type) : [type]))
      .filter(isText),
    description: isProse(described?.['description']) ? described['description'] : null,
    values: values.length > 0 ? values : null,
    hasMinimum: has('minimum', 'exclusiveMinimum'),
    hasMaximum: has('maximum', 'exclusiveMaximum'),
    hasPattern: has('pattern', 'format'),
    hasDefault: has('default'),
  };
}

function formsOf(schema: Members): unknown[] {
  const combined = ['anyOf', 'oneOf', 'allOf'].map((keyword) => schema[keyword]);
  return [
    ...combined.flatMap((list) => (Array.isArray(list) ? firstOf(list) : [])),
    schema['items'],
  ];
}

function listedBy(schema: Members): unknown[] {
  return Array.isArray(schema['enum'])
    ? firstOf(schema['enum'])
    : Object.hasOwn(schema, 'const')
      ? [schema['const']]
      : [];
}

function firstOf(list: readonly unknown[]): unknown[] {
  return list.slice(0, CLOSE_MAX);
}

/** What a `$ref` inside the same schema stands for. */
function refer(ref: unknown, root: Members): unknown {
  return typeof ref === 'string' && ref.startsWith('#/') ? valueAt(root, ref.slice(1)) : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether a value is a text that says something. */
export function isProse(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether a schema says of what kind its value is. */
export function saysType(schema: Members): boolean {
  return [
    'type',
    'enum',
    'const',
    '$ref',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'properties',
    'items',
    'prefixItems',
  ].some((keyword) => schema[keyword] !== undefined);
}
