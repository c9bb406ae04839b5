/**
 * Which types a JSON Schema allows at each place, as far as it says so plainly.
 *
 * What is not understood restricts nothing here: the types are those that a schema allows at most,
 * so a type that is missing is refused for sure.
 */

import type { JsonSchema } from './definitions.js';
import { valueAt } from './pointer.js';
import { isSchemaObject } from './subschemas.js';

/** Types as bits. A `number` may be an `integer` too. */
export const Type = {
  null: 1,
  boolean: 1 << 1,
  integer: 1 << 2,
  fraction: 1 << 3,
  string: 1 << 4,
  array: 1 << 5,
  object: 1 << 6,
} as const;

const anyType = (1 << 7) - 1;

const typeWords: ReadonlyMap<unknown, number> = new Map([
  ['null', Type.null],
  ['boolean', Type.boolean],
  ['integer', Type.integer],
  ['number', Type.integer | Type.fraction],
  ['string', Type.string],
  ['array', Type.array],
  ['object', Type.object],
]);

/** What a schema allows at one place. */
export class Shape {
  /** The types that it allows at most. */
  readonly types: number;
  readonly #document: SchemaDocument;
  readonly #schemas: readonly JsonSchema[];
  #forObjects: readonly JsonSchema[] | undefined;
  #forArrays: readonly JsonSchema[] | undefined;
  readonly #properties = new Map<string, Shape | null>();
  readonly #items = new Map<number, Shape | null>();

  /** All of `schemas`, which stand in the document, hold at the place. */
  constructor(document: SchemaDocument, schemas: readonly unknown[]) {
    this.#document = document;
    this.#schemas = document.flatten(schemas);
    this.types = document.typesOf(this.#schemas);
  }

  /** What it allows as a property; `null` where nothing is known of it. */
  property(key: string): Shape | null {
    const schemas = (this.#forObjects ??= this.#document.chosen(this.#schemas, Type.object));
    const declared = schemas.some(({ properties }) => hasOwn(properties, key));
    // However many keys a model thinks of, those that no schema names are one place.
    const place = declared ? `/${key}` : '';
    return this.#known(this.#properties, place, () =>
      schemas.map((schema) => propertyOf(schema, key)),
    );
  }

  /** What it allows as an item; `null` where nothing is known of it. */
  item(index: number): Shape | null {
    const schemas = (this.#forArrays ??= this.#document.chosen(this.#schemas, Type.array));
    const named = schemas.reduce((most, schema) => Math.max(most, tupleOf(schema).length), 0);
    return this.#known(this.#items, Math.min(index, named), () =>
      schemas.map((schema) => itemOf(schema, index)),
    );
  }

  #known<Place>(
    places: Map<Place, Shape | null>,
    place: Place,
    find: () => readonly unknown[],
  ): Shape | null {
    let shape = places.get(place);
    if (shape === undefined) {
      const schemas = find().filter((schema) => schema !== undefined);
      shape = schemas.length === 0 ? null : new Shape(this.#document, schemas);
      places.set(place, shape);
    }
    return shape;
  }
}

/** A schema as a whole, in which references are looked up. */
export class SchemaDocument {
  readonly #root: unknown;
  /** The types of what has been looked at; of what is being looked at, any. */
  readonly #types = new Map<unknown, number>();

  constructor(root: unknown) {
    this.#root = root;
  }

  /** What it allows as a whole. */
  shape(): Shape {
    return new Shape(this, [this.#root]);
  }

  /** Schemas that all hold, with those that they refer to, each once. */
  flatten(schemas: readonly unknown[]): JsonSchema[] {
    const found = new Set<JsonSchema>();
    const waiting = [...schemas];
    while (waiting.length > 0) {
      const schema = waiting.pop();
      // To one that has an address of its own, references are of another kind.
      if (
        !isSchemaObject(schema) ||
        found.has(schema) ||
        (schema !== this.#root && '$id' in schema)
      ) {
        continue;
      }
      found.add(schema);
      const { $ref, allOf } = schema;
      if (typeof $ref === 'string') {
        waiting.push(this.#resolve($ref));
      }
      if (Array.isArray(allOf)) {
        waiting.push(...(allOf as unknown[]));
      }
    }
    return [...found];
  }

  /** The schema inside the document that a reference names. */
  #resolve(reference: string): unknown {
    return reference === '#' || reference.startsWith('#/')
      ? valueAt(this.#root, reference.slice(1))
      : undefined;
  }

  /** The types that schemas allow at most which all hold. */
  typesOf(schemas: readonly JsonSchema[]): number {
    return schemas.reduce((types, schema) => types & this.#typesOfOne(schema), anyType);
  }

  #typesOfOne(schema: JsonSchema): number {
    const known = this.#types.get(schema);
    if (known !== undefined) {
      return known;
    }
    this.#types.set(schema, anyType);
    let types = anyType;
    const { type, enum: choice } = schema;
    if (typeof type === 'string' || Array.isArray(type)) {
      types &= union([type].flat(), (word) => typeWords.get(word) ?? anyType);
    }
    if (Array.isArray(choice)) {
      types &= union(choice, typeOfValue);
    }
    if (Object.hasOwn(schema, 'const')) {
      types &= typeOfValue(schema['const']);
    }
    for (const branches of alternatives(schema)) {
      types &= union(branches, (branch) => this.#typesOfBranch(branch));
    }
    this.#types.set(schema, types);
    return types;
  }

  #typesOfBranch(branch: unknown): number {
    return branch === false ? 0 : this.typesOf(this.flatten([branch]));
  }

  /** Schemas that hold for a value of a type: with the alternative that allows it, where just one does. */
  chosen(schemas: readonly JsonSchema[], type: number): readonly JsonSchema[] {
    const found = new Set(schemas);
    // What is added on the way is looked at too.
    for (const schema of found) {
      for (const branches of alternatives(schema)) {
        const able = branches.filter((branch) => (this.#typesOfBranch(branch) & type) !== 0);
        for (const one of able.length === 1 ? this.flatten(able) : []) {
          found.add(one);
        }
      }
    }
    return [...found];
  }
}

/** The lists of a schema one of whose members has to hold. */
function alternatives({ anyOf, oneOf }: JsonSchema): (readonly unknown[])[] {
  return [anyOf, oneOf].filter((branches): branches is unknown[] => Array.isArray(branches));
}

function propertyOf(schema: JsonSchema, key: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (hasOwn(properties, key)) {
    return properties[key];
  }
  return patternProperties === undefined ? additionalProperties : undefined;
}

/** The schemas of the first items, in the words of either draft. */
function tupleOf({ prefixItems, items }: JsonSchema): readonly unknown[] {
  const tuple = prefixItems ?? items;
  return Array.isArray(tuple) ? (tuple as readonly unknown[]) : [];
}

function itemOf(schema: JsonSchema, index: number): unknown {
  const tuple = tupleOf(schema);
  if (index < tuple.length) {
    return tuple[index];
  }
  const { items, additionalItems } = schema;
  return Array.isArray(items) ? additionalItems : items;
}

function typeOfValue(value: unknown): number {
  if (value === null) {
    return Type.null;
  }
  if (Array.isArray(value)) {
    return Type.array;
  }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? Type.integer : Type.fraction;
  }
  return typeWords.get(typeof value) ?? anyType;
}

function union(values: readonly unknown[], typesFor: (value: unknown) => number): number {
  return values.reduce<number>((types, value) => types | typesFor(value), 0);
}

function hasOwn(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
