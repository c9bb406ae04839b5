/**
 * One tool's check of its arguments, whatever its schema is made of.
 */

import { isDeepStrictEqual, types } from 'node:util';

import type { StandardSchemaV1 } from '@standard-schema/spec';

import { type Tool, isStandardSchema } from './definitions.js';
import { type Issues, issuesOfStandard } from './issues.js';
import type { Compiler } from './json-schema.js';
import { type KnownKeys, knownKeysOf } from './known-keys.js';

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
  readonly check: ((value: unknown) => Issues | null) | null;
  readonly standard: StandardSchemaV1 | null;
}

/** Compiles a tool's schema. */
export function createValidator({ name, schema }: Tool, compiler: Compiler): Validator {
  if (schema === null) {
    return { name, json: null, known: null, check: null, standard: null };
  }
  if (isStandardSchema(schema)) {
    const json = jsonOf(schema);
    return {
      name,
      json: json === null ? null : JSON.stringify(json),
      known: knownKeysOf(json),
      check: null,
      standard: schema,
    };
  }
  const { check, json } = compiler.compile(name, schema);
  return { name, json, known: knownKeysOf(JSON.parse(json)), check, standard: null };
}

/** The JSON Schema that a Standard Schema can give, where it can. */
export function jsonOf(schema: StandardSchemaV1): Readonly<Record<string, unknown>> | null {
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

/**
 * Asks a Standard Schema.
 *
 * @throws TypeError where it answers with a promise
 */
export function askNow(
  name: string,
  standard: StandardSchemaV1,
  value: unknown,
  text: string,
): Checked {
  const result = standard['~standard'].validate(value);
  if (types.isPromise(result) || result instanceof Promise) {
    // Nobody will look at it.
    result.catch(() => undefined);
    throw new TypeError(`the schema of \`${name}\` answers with a promise: use decideAsync`);
  }
  return read(result, value, text);
}

/** Asks a Standard Schema, and waits. */
export async function askLater(
  standard: StandardSchemaV1,
  value: unknown,
  text: string,
): Promise<Checked> {
  return read(await standard['~standard'].validate(value), value, text);
}

function read(result: StandardSchemaV1.Result<unknown>, value: unknown, text: string): Checked {
  if (result.issues !== undefined) {
    return { issues: issuesOfStandard(result.issues, value) };
  }
  // Compared with a value of its own, because a schema may change what it is given in place.
  const transformed = !isDeepStrictEqual(result.value, JSON.parse(text));
  return { value: result.value, transformed };
}
