/**
 * One tool's check of its arguments, whatever its schema is made of.
 */

import { isDeepStrictEqual, types } from 'node:util';

import type { StandardSchemaV1 } from '@standard-schema/spec';

import { typeOf } from '../input.js';
import { type Tool, isStandardSchema } from './definitions.js';
import { type Issues, issueOfThrown, issuesOfStandard } from './issues.js';
import type { Check, Compiler } from './json-schema.js';
import { TooManySteps } from './json-schema.js';
import { type KnownKeys, knownKeysOf } from './known-keys.js';
import { SchemaGraph, isSchemaObject } from './subschemas.js';
import { errorText, isThenable, warn } from './words.js';

/** What a check says: the value that runs, or what is wrong with it. */
export type Checked =
  | { readonly value: unknown; readonly transformed: boolean }
  | { readonly issues: Issues };

/** A tool, ready to be called. */
export interface Validator {
  readonly name: string;
  /** The parameters as the message shows them; `null` where they have no JSON. */
  readonly json: string | null;
  readonly known: KnownKeys | null;
  /** What JSON Schema says; `null` for a Standard Schema, or where anything goes. */
  readonly check: Check | null;
  readonly standard: StandardSchemaV1 | null;
}

/** Compiles a tool's schema. */
export function createValidator({ name, schema }: Tool, compiler: Compiler): Validator {
  if (schema === null) {
    return { name, json: null, known: null, check: null, standard: null };
  }
  if (isStandardSchema(schema)) {
    const object = jsonSchemaOf(schema);
    const json = object === null ? null : JSON.stringify(object);
    return { name, json, known: knownIn(json), check: null, standard: schema };
  }
  const { check, json } = compiler.compile(name, schema);
  return { name, json, known: knownIn(json), check, standard: null };
}

function knownIn(json: string | null): KnownKeys | null {
  const schema: unknown = json === null ? null : JSON.parse(json);
  return isSchemaObject(schema) ? knownKeysOf(new SchemaGraph(schema)) : null;
}

/** The JSON Schema that a Standard Schema can give, where it can. */
export function jsonSchemaOf(schema: StandardSchemaV1): Readonly<Record<string, unknown>> | null {
  try {
    const { jsonSchema } = schema['~standard'] as {
      jsonSchema?: { input?: (options: { target: string }) => unknown };
    };
    const json: unknown = jsonSchema?.input?.({ target: 'draft-2020-12' });
    return typeof json === 'object' && json !== null
      ? (JSON.parse(JSON.stringify(json)) as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    // It has no JSON for something that it checks: the message goes without.
    return null;
  }
}

/** Asks a JSON Schema's check. */
export function askCheck(name: string, check: Check, value: unknown, size: number): Issues | null {
  try {
    return check(value, size);
  } catch (error) {
    return thrown(name, error, value);
  }
}

/**
 * Asks a Standard Schema.
 *
 * @throws TypeError where it answers with a promise, or with what is no answer
 */
export function askNow(
  name: string,
  standard: StandardSchemaV1,
  value: unknown,
  text: string,
): Checked {
  let result: unknown;
  try {
    result = standard['~standard'].validate(value);
  } catch (error) {
    return { issues: thrown(name, error, value) };
  }
  if (isThenable(result)) {
    // Nobody will look at it.
    Promise.resolve(result).catch(() => undefined);
    throw new TypeError(`the schema of \`${name}\` answers with a promise: use decideAsync`);
  }
  return read(name, result, value, text);
}

/**
 * Asks a Standard Schema, and waits.
 *
 * @throws TypeError where it answers with what is no answer
 */
export async function askLater(
  name: string,
  standard: StandardSchemaV1,
  value: unknown,
  text: string,
): Promise<Checked> {
  let result: unknown;
  try {
    result = await standard['~standard'].validate(value);
  } catch (error) {
    return { issues: thrown(name, error, value) };
  }
  return read(name, result, value, text);
}

/** A check that throws has not accepted; its author should know, and the model make another call. */
function thrown(name: string, error: unknown, value: unknown): Issues {
  // A proxy could throw at being asked what it is.
  if (!types.isNativeError(error) || !(error instanceof TooManySteps)) {
    warn(`the schema of \`${name}\` threw`, error);
  }
  return issueOfThrown(errorText(error), value);
}

function read(name: string, result: unknown, value: unknown, text: string): Checked {
  const { issues, value: output } = answerOf(name, result);
  if (issues !== undefined) {
    return { issues: issuesOfStandard(issues, value) };
  }
  // Compared with a value of its own, because a schema may change what it is given in place.
  return { value: output, transformed: !isDeepStrictEqual(output, JSON.parse(text)) };
}

function answerOf(
  name: string,
  result: unknown,
): { readonly issues?: readonly unknown[]; readonly value?: unknown } {
  if (typeof result === 'object' && result !== null) {
    const { issues } = result as { readonly issues?: unknown };
    if (Array.isArray(issues)) {
      return { issues };
    }
    if (issues === undefined && 'value' in result) {
      return { value: result.value };
    }
  }
  throw new TypeError(
    `the schema of \`${name}\` must answer with a value or issues (got ${typeOf(result)})`,
  );
}
