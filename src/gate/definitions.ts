/**
 * Tool definitions, in the shapes that the wires, MCP and SDKs have, read into one.
 */

import type { StandardSchemaV1 } from '@standard-schema/spec';

import { readOptions, typeOf } from '../input.js';

/** A JSON Schema, of draft 2020-12 unless its `$schema` says draft-07. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the arguments are checked with. */
export type ParameterSchema = JsonSchema | StandardSchemaV1;

interface DefinitionFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** OpenAI's word for the schema. */
  readonly parameters?: ParameterSchema | null | undefined;
  /** Anthropic's. */
  readonly input_schema?: ParameterSchema | undefined;
  /** MCP's, and that of SDKs. */
  readonly inputSchema?: ParameterSchema | undefined;
}

/**
 * A tool as it is shown to the model. Its fields stand at the top or under `function`; `type` and
 * whatever else a wire wants may be there. A tool without a schema takes any object.
 */
export interface ToolDefinition extends DefinitionFields {
  readonly type?: string | undefined;
  readonly function?: DefinitionFields | undefined;
}

/** Tools in a list, or by name. */
export type ToolDefinitions = readonly ToolDefinition[] | Readonly<Record<string, ToolDefinition>>;

/** A definition, read. */
export interface Tool {
  readonly name: string;
  readonly schema: ParameterSchema | null;
}

/**
 * Reads definitions.
 *
 * @throws TypeError where one is none, has no name, or has another's
 */
export function readDefinitions(tools: unknown): Tool[] {
  if (typeof tools !== 'object' || tools === null) {
    throw new TypeError(`tools must be a list or an object of definitions (got ${typeOf(tools)})`);
  }
  const entries: [key: string | null, definition: unknown][] = Array.isArray(tools)
    ? tools.map((definition: unknown) => [null, definition])
    : Object.entries(tools);
  const read = entries.map(([key, definition], index) =>
    readDefinition(definition, key, key === null ? `tools[${index}]` : `tools.${key}`),
  );
  const names = new Set<string>();
  for (const { name } of read) {
    if (names.has(name)) {
      throw new TypeError(`tools has two definitions of \`${name}\``);
    }
    names.add(name);
  }
  return read;
}

const fieldNames = ['name', 'parameters', 'input_schema', 'inputSchema'] as const;

function readDefinition(definition: unknown, key: string | null, argument: string): Tool {
  if (typeof definition !== 'object' || definition === null) {
    throw new TypeError(`${argument} must be a definition (got ${typeOf(definition)})`);
  }
  const { function: inner } = readOptions<ToolDefinition>(definition, ['function'], argument);
  const fields = readOptions<DefinitionFields>(inner ?? definition, fieldNames, argument);
  const name = key ?? fields.name;
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`${argument} must have a name (got ${typeOf(name)})`);
  }
  const schema = fields.parameters ?? fields.input_schema ?? fields.inputSchema ?? null;
  if (schema !== null && !isSchema(schema)) {
    throw new TypeError(`the schema of \`${name}\` must be an object (got ${typeOf(schema)})`);
  }
  return { name, schema };
}

function isSchema(schema: unknown): schema is ParameterSchema {
  return (typeof schema === 'object' && schema !== null) || isStandardSchema(schema);
}

/** Whether a schema is a Standard Schema, which may be a function. */
export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) {
    return false;
  }
  const standard: unknown = (schema as Partial<StandardSchemaV1>)['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof (standard as Partial<StandardSchemaV1.Props>).validate === 'function'
  );
}
