/**
 * JSON Schema through ajv: compiled once, strict about types, nothing fetched and nothing filled in.
 */

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnySchemaObject, ValidateFunction } from 'ajv';

import type { JsonSchema } from './definitions.js';
import { type Issues, issuesOfAjv } from './issues.js';

/** Checks a `format`: a regular expression, or a function. */
export type FormatCheck = RegExp | ((text: string) => boolean);

/** How schemas are compiled. */
export interface CompileOptions {
  /**
   * The `format`s that are asserted; others are not.
   * @defaultValue none
   */
  readonly formats?: Readonly<Record<string, FormatCheck>> | undefined;
  /**
   * Makes what a `pattern` is tested with: the place for an engine whose time is linear.
   * @defaultValue `(pattern) => new RegExp(pattern, 'u')`
   */
  readonly regExp?:
    | ((pattern: string, flags: string) => { test(text: string): boolean })
    | undefined;
  /**
   * The most characters that a schema's JSON may have.
   * @defaultValue 1 MiB
   */
  readonly maxSchemaBytes?: number | undefined;
}

/** Says what a schema does not allow about a value; `null` where it allows all of it. */
export type Check = (value: unknown) => Issues | null;

const mebibyte = 1024 * 1024;

/** Levels of nesting in a schema; ajv compiles by recursion. */
const LEVELS_MAX = 100;

/** Values that are larger than this are told their first issue only. */
const THOROUGH_MAX = 1 << 16;

const shared = {
  strict: false,
  validateFormats: false,
  logger: false,
} as const;

/** Compiles the schemas of one gate. */
export class Compiler {
  readonly #options: CompileOptions;
  readonly #engines = new Map<string, Ajv>();

  constructor(options: CompileOptions) {
    this.#options = options;
  }

  /**
   * Compiles a schema. A copy is compiled, so that changing it later changes nothing.
   *
   * @throws TypeError | RangeError naming the tool, where it cannot be compiled
   */
  compile(
    tool: string,
    schema: JsonSchema,
  ): { check: Check; accepts: ValidateFunction; json: string } {
    try {
      const { json, copy } = copied(schema, this.#options.maxSchemaBytes ?? mebibyte);
      const accepts = this.#compileCopy(copy, false);
      if ('$async' in accepts) {
        throw new TypeError('it is asynchronous');
      }
      // A schema that refers to itself without end is found now, and not at the first call.
      accepts({});
      let thorough: ValidateFunction | undefined;
      const check: Check = (value) => {
        if (accepts(value)) {
          return null;
        }
        if (isLarge(value)) {
          return issuesOfAjv(accepts.errors ?? []);
        }
        thorough ??= this.#compileCopy(copy, true);
        thorough(value);
        return issuesOfAjv(thorough.errors ?? []);
      };
      return { check, accepts, json };
    } catch (cause) {
      const Kind = cause instanceof RangeError ? RangeError : TypeError;
      const why = cause instanceof Error ? cause.message : 'an unknown reason';
      throw new Kind(`the schema of \`${tool}\` cannot be compiled: ${why}`, { cause });
    }
  }

  #compileCopy(copy: AnySchemaObject, thorough: boolean): ValidateFunction {
    const engine = this.#engine(copy, thorough);
    try {
      return engine.compile(copy);
    } finally {
      // So that another tool's schema may have the same id.
      engine.removeSchema(copy);
    }
  }

  /** The ajv for a schema's draft. */
  #engine({ $schema }: AnySchemaObject, thorough: boolean): Ajv {
    const old = typeof $schema === 'string' && $schema.includes('draft-07');
    const key = `${old} ${thorough}`;
    const known = this.#engines.get(key);
    if (known !== undefined) {
      return known;
    }
    const { formats, regExp } = this.#options;
    const Engine = old ? Ajv : Ajv2020;
    const engine = new Engine({
      ...shared,
      allErrors: thorough,
      verbose: thorough,
      ...(formats === undefined ? {} : { formats: { ...formats }, validateFormats: true }),
      ...(regExp === undefined ? {} : { code: { regExp: engineOf(regExp) } }),
    });
    this.#engines.set(key, engine);
    return engine;
  }
}

function engineOf(make: NonNullable<CompileOptions['regExp']>) {
  return Object.assign((pattern: string, flags: string) => make(pattern, flags), {
    // Only ajv's generation of source files, which nobody asks for here, would use it.
    code: 'new RegExp',
  });
}

function copied(schema: JsonSchema, bytesMax: number): { json: string; copy: AnySchemaObject } {
  const json = JSON.stringify(schema);
  if (bytesMax < json.length) {
    throw new RangeError(`it has more than ${bytesMax} characters`);
  }
  const copy = JSON.parse(json) as AnySchemaObject;
  if (LEVELS_MAX < levelsOf(copy)) {
    throw new RangeError(`it has more than ${LEVELS_MAX} levels`);
  }
  return { json, copy };
}

/** The levels of a value, counted without recursion. */
function levelsOf(value: unknown): number {
  let levels = 0;
  let level: unknown[] = [value];
  while (level.length > 0 && levels <= LEVELS_MAX) {
    levels++;
    level = level.flatMap((inside) =>
      typeof inside === 'object' && inside !== null ? Object.values(inside) : [],
    );
  }
  return levels;
}

/** Whether finding all issues of a value could take much memory. */
function isLarge(value: unknown): boolean {
  let left = THOROUGH_MAX / 8;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) {
      const inside = Object.values(next);
      left -= inside.length;
      if (left < 0) {
        return true;
      }
      for (const one of inside) {
        waiting.push(one);
      }
    }
  }
  return false;
}
