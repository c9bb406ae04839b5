/**
 * Tool definitions as `createGate` takes them, read without a throw: what is wrong is a finding.
 */

import { isStandardSchema } from '../gate/definitions.js';
import { jsonSchemaOf } from '../gate/validator.js';
import { pointerTo } from '../gate/pointer.js';
import { typeOf } from '../input.js';
import { NoCopy, copyOf } from './copy.js';
import type { Report } from './types.js';

/** A JSON object, as far as it is known. */
export type Members = Readonly<Record<string, unknown>>;

/** A definition, read. */
export interface LintTool {
  readonly name: string | null;
  /** Where its name stands. */
  readonly namePath: string;
  /** Where its fields stand. */
  readonly path: string;
  readonly description: unknown;
  /** Its schema's JSON; `null` where it has none that could be looked into. */
  readonly schema: Members | null;
  readonly schemaPath: string;
  /** Whether it says at all what it takes: a schema, or the form of a text. */
  readonly saysWhatItTakes: boolean;
  /** Whether the definition brings examples of calls beside its schema. */
  readonly hasExamples: boolean;
}

const schemaFields = ['parameters', 'input_schema', 'inputSchema'] as const;

/** Whether a value is an object that is no list. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a definition; `null` where it is none, or one of a tool that the provider brings itself.
 *
 * @param key - its name where definitions stand by name
 */
export function readDefinition(
  definition: unknown,
  key: string | null,
  path: string,
  report: Report,
): LintTool | null {
  try {
    return read(definition, key, path, report);
  } catch {
    report(
      'not-a-definition',
      path,
      'the definition cannot be read',
      'give a plain object with `name`, `description` and a schema',
    );
    return null;
  }
}

function read(
  definition: unknown,
  key: string | null,
  path: string,
  report: Report,
): LintTool | null {
  if (!isMembers(definition)) {
    report(
      'not-a-definition',
      path,
      `a definition is an object, and this is ${typeOf(definition)}`,
      'give an object with `name`, `description` and a schema',
    );
    return null;
  }
  const { type, function: inner, custom } = definition;
  const [fields, at] = isMembers(inner)
    ? [inner, pointerTo(path, 'function')]
    : isMembers(custom)
      ? [custom, pointerTo(path, 'custom')]
      : [definition, path];
  const field = schemaFields.find((one) => fields[one] !== undefined && fields[one] !== null);
  const isText = type === 'custom' && field === undefined;
  if (field === undefined && isOfProvider(type)) {
    return null;
  }
  const name = readName(key ?? fields['name'], at, report);
  const schemaPath = pointerTo(at, field ?? 'parameters');
  return {
    name,
    namePath: key === null ? pointerTo(at, 'name') : path,
    path: at,
    description: fields['description'],
    schema: field === undefined ? null : readSchema(fields[field], schemaPath, report),
    schemaPath,
    saysWhatItTakes: field !== undefined || isText,
    hasExamples: [fields, definition].some(
      (one) => isList(one['input_examples']) || isList(one['inputExamples']),
    ),
  };
}

/** Tools of a provider's own have a type that says which, and nothing that could be mended. */
function isOfProvider(type: unknown): boolean {
  return typeof type === 'string' && !['function', 'custom', 'object'].includes(type);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function readName(name: unknown, path: string, report: Report): string | null {
  if (typeof name === 'string' && name.trim() !== '') {
    return name;
  }
  const got = typeof name === 'string' ? 'a blank one' : typeOf(name);
  report(
    'no-name',
    path,
    `a tool has a name, and this has ${name === undefined ? 'none' : got}`,
    'give a `name`, such as `read_file`',
  );
  return null;
}

function readSchema(schema: unknown, path: string, report: Report): Members | null {
  if (isStandardSchema(schema)) {
    const json = jsonSchemaOf(schema);
    if (json === null) {
      report(
        'opaque-schema',
        path,
        'the schema gives no JSON Schema, so it was not looked into',
        'lint the JSON Schema that the model is shown',
      );
    }
    return json;
  }
  try {
    const copied = copyOf(schema);
    if (isMembers(copied)) {
      return copied;
    }
    report(
      'invalid-schema',
      path,
      `a schema is an object, and this is ${typeOf(schema)}`,
      'give `{"type": "object", "properties": {…}}`',
    );
  } catch (error) {
    const { message, large } = error instanceof NoCopy ? error : new NoCopy('it cannot be read');
    const fix = large ? 'make it much shorter' : 'give a plain, flat JSON Schema';
    report(large ? 'long-schema' : 'invalid-schema', path, `the schema is no use: ${message}`, fix);
  }
  return null;
}
