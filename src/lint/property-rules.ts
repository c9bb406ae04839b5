/**
 * The rules about the parts of a schema: its objects and their properties.
 */

import { pointerTo } from '../gate/pointer.js';
import { shortened } from '../gate/words.js';
import { type Members, isMembers } from './definitions.js';
import {
  type Bound,
  isReadable,
  listedValues,
  saysDefault,
  statedRange,
  unnamed,
} from './prose.js';
import { type Facets, type Part, facetsOf, partsOf, requiredOf, saysType } from './schema.js';
import type { Report } from './types.js';

/** Values of an enum that a description can be asked to repeat. */
const REPEATED_MAX = 20;
const FIX_MAX = 300;
/** Names of properties that a mend can mention. */
const NAMES_MAX = 30;
/** Parts of a schema that are looked at. One that has more is told to be too long. */
const PARTS_MAX = 2000;

/** Looks at every part of a schema. */
export function checkParts(schema: Members, path: string, report: Report): void {
  let count = 0;
  for (const part of partsOf(schema, path)) {
    count++;
    if (PARTS_MAX < count) {
      return;
    }
    checkObject(part, report);
    if (part.property !== null) {
      checkProperty(part, schema, report);
    }
  }
}

// ---- objects

function checkObject({ schema, path, composed }: Part, report: Report): void {
  const { properties } = schema;
  const isObject = isMembers(properties) || schema['type'] === 'object';
  if (!isObject) {
    return;
  }
  if (isMembers(properties) && !isComposed(schema)) {
    const known = Object.keys(properties)
      .slice(0, NAMES_MAX)
      .map((one) => `\`${one}\``);
    for (const name of requiredOf(schema)) {
      if (!Object.hasOwn(properties, name)) {
        report(
          'unknown-required',
          pointerTo(path, 'required'),
          `\`${shortened(name, 100)}\` is required, and no property is called so`,
          `describe it among the properties, or require one of: ${list(known)}`,
        );
      }
    }
  }
  if (!composed && !isClosed(schema) && (isMembers(properties) || !isMap(schema))) {
    report(
      'open-object',
      path,
      'other keys are let through, so a model that guesses a name is not told',
      isMembers(properties)
        ? 'set "additionalProperties": false'
        : 'name the properties and set "additionalProperties": false, or say with ' +
            '"additionalProperties" what the values are',
    );
  }
}

function isClosed(schema: Members): boolean {
  return schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false;
}

/** An object of any keys on purpose: what its values are is said elsewhere. */
function isMap(schema: Members): boolean {
  return (
    isMembers(schema['additionalProperties']) ||
    isMembers(schema['patternProperties']) ||
    isComposed(schema)
  );
}

function isComposed(schema: Members): boolean {
  return ['allOf', 'anyOf', 'oneOf', '$ref', 'if'].some((keyword) => schema[keyword] !== undefined);
}

// ---- properties

function checkProperty(part: Part, root: Members, report: Report): void {
  const { schema, path } = part;
  const facets = facetsOf(schema, root);
  if (!saysType(schema)) {
    report(
      'property-without-type',
      path,
      'nothing says of what type the value is',
      'set "type": "string", "integer", "number", "boolean", "array" or "object"',
    );
  }
  if (facets.description === null) {
    report(
      'property-without-description',
      path,
      'nothing says what the value means',
      'add a description, with an example: "City name, e.g. \'Boston\'"',
    );
  } else if (isReadable(facets.description)) {
    checkProse(part, facets.description, facets, report);
  }
}

function checkProse(part: Part, description: string, facets: Facets, report: Report): void {
  const path = Object.hasOwn(part.schema, 'description')
    ? pointerTo(part.path, 'description')
    : part.path;
  if (facets.values === null) {
    checkValues(description, facets, path, report);
  } else {
    checkRepeated(description, facets.values, path, report);
  }
  checkRange(description, facets, path, report);
  if (part.property?.required === false && !facets.hasDefault && !saysDefault(description)) {
    report(
      'optional-without-default',
      path,
      'the property may be left out, and nothing says what holds then',
      'say it: "Defaults to …"; or require the property',
    );
  }
}

function checkValues(description: string, facets: Facets, path: string, report: Report): void {
  const { types, hasPattern } = facets;
  const isNumber = isNumeric(types);
  if (hasPattern || !(isNumber || types.length === 0 || types.includes('string'))) {
    return;
  }
  const found = listedValues(description);
  const values = isNumber ? (found?.map(Number) ?? null) : found;
  if (values !== null && values.every((value) => !Number.isNaN(value))) {
    report(
      'values-in-prose',
      path,
      'the description lists the values that are allowed, and the schema lets others through',
      shortened(`add "enum": ${JSON.stringify(values)}`, FIX_MAX),
    );
  }
}

function checkRepeated(
  description: string,
  values: readonly unknown[],
  path: string,
  report: Report,
): void {
  const missing = values.length <= REPEATED_MAX ? unnamed(description, values) : [];
  if (missing.length > 0) {
    report(
      'enum-not-repeated',
      path,
      `the description does not name: ${list(missing)}`,
      shortened(`say it: "One of: ${values.map(String).join(', ')}"`, FIX_MAX),
    );
  }
}

function checkRange(description: string, facets: Facets, path: string, report: Report): void {
  if (!isNumeric(facets.types)) {
    return;
  }
  const { minimum, maximum } = statedRange(description);
  const missing = [
    ...(facets.hasMinimum ? [] : boundOf('minimum', 'exclusiveMinimum', minimum)),
    ...(facets.hasMaximum ? [] : boundOf('maximum', 'exclusiveMaximum', maximum)),
  ];
  if (missing.length > 0) {
    report(
      'range-in-prose',
      path,
      'the description states a range, and the schema lets other numbers through',
      `add ${missing.join(' and ')}`,
    );
  }
}

function boundOf(closed: string, open: string, bound: Bound | null): string[] {
  return bound === null ? [] : [`"${bound.exclusive ? open : closed}": ${bound.value}`];
}

function isNumeric(types: readonly string[]): boolean {
  const kinds = types.filter((type) => type !== 'null');
  return kinds.length > 0 && kinds.every((type) => type === 'integer' || type === 'number');
}

function list(words: readonly string[]): string {
  return shortened(words.join(', '), FIX_MAX);
}
