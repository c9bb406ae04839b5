/**
 * JSON Schema through ajv: compiled once, strict about types, nothing fetched and nothing filled in.
 */

import { Ajv, _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnySchemaObject, ErrorObject, KeywordCxt, ValidateFunction } from 'ajv';

import { shown } from '../input.js';
import type { JsonSchema } from './definitions.js';
import { type Issues, issuesOfAjv } from './issues.js';
import { SchemaGraph, isSchemaObject, referenceOf } from './subschemas.js';

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

/**
 * Says what a schema does not allow about a value; `null` where it allows all of it.
 *
 * @param size - how many characters the value's text has
 * @throws TooManySteps where that is not known in the time that the size allows; what a format or
 * an engine of the caller's throws
 */
export type Check = (value: unknown, size: number) => Issues | null;

const mebibyte = 1024 * 1024;

/** Levels of nesting in a schema; ajv compiles by recursion. */
const LEVELS_MAX = 100;

/** Members beyond which a value is told its first issue only. */
const THOROUGH_MAX = 8192;

/**
 * How often references may be followed. A schema that tries several forms of itself at each level can
 * follow them so often that no check would end, for a value of a few hundred characters: so as
 * often as the value is long, and a number of times more. Finding all issues costs far more a step.
 */
const STEPS_MIN = 10_000;
const STEPS_PER_CHARACTER = 4;
const THOROUGH_STEPS = 2000;

/** A check that would take too long was given up. */
export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}

/** Counts the references that are followed. */
class Steps {
  #left = 0;

  allow(steps: number): void {
    this.#left = steps;
  }

  readonly take = (): void => {
    this.#left--;
    if (this.#left < 0) {
      throw new TooManySteps('it takes too many steps');
    }
  };
}

/** Counts a step; put beside each reference in the copy of a schema that is compiled. */
const STEP = 'argspan:step';

/** A word that is a property of every object: what is inherited must not count as a member. */
const inherited =
  /"(?:constructor|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|__\w+__)"/;

/** Which of its versions ajv takes for a schema. */
interface EngineKind {
  readonly draft: '2020-12' | 'draft-07';
  /** Whether all issues are looked for, and not only the first. */
  readonly thorough: boolean;
  /** Whether only an object's own members count, which costs a little. */
  readonly own: boolean;
  /** Whether the schema has ids, which ajv would keep for the schemas after it. */
  readonly ids: boolean;
}

/** An ajv, and how many schemas it may still compile: it keeps something of each. */
interface Engine {
  readonly ajv: Ajv;
  left: number;
}

const COMPILED_MAX = 64;

/** Those without options, which every gate may have: making one takes its time. */
const plainEngines = new Map<string, Engine>();

/** One for all: checks are synchronous. */
const steps = new Steps();

/** Compiles the schemas of one gate. */
export class Compiler {
  readonly #options: CompileOptions;
  readonly #engines: Map<string, Engine>;

  constructor(options: CompileOptions) {
    this.#options = options;
    const plain = options.formats === undefined && options.regExp === undefined;
    this.#engines = plain ? plainEngines : new Map();
  }

  /**
   * Compiles a schema. A copy is compiled, so that changing it later changes nothing.
   *
   * @throws TypeError | RangeError naming the tool, where it cannot be compiled
   */
  compile(tool: string, schema: JsonSchema): { check: Check; json: string } {
    try {
      const { json, copy } = copied(schema, this.#options.maxSchemaBytes ?? mebibyte);
      const kind = {
        draft: draftOf(copy),
        own: inherited.test(json),
        ids: json.includes('"$id"'),
      };
      const refers = prepare(copy);
      const first = this.#compileCopy(copy, { ...kind, thorough: false });
      if ('$async' in first) {
        throw new TypeError('it is asynchronous');
      }
      // What is not plain to see, such as a loop by absolute references, is found now all the same.
      ask(first, {}, STEPS_MIN);
      let thorough: ValidateFunction | undefined;
      const explain = (value: unknown): Issues => {
        const errors = takeErrors(first);
        if (isLarge(value)) {
          return issuesOfAjv(errors);
        }
        try {
          thorough ??= this.#compileCopy(copy, { ...kind, thorough: true });
          return issuesOfAjv(ask(thorough, value, THOROUGH_STEPS) ?? errors);
        } catch {
          return issuesOfAjv(errors);
        }
      };
      const check: Check = (value, size) => {
        if (refers) {
          steps.allow(STEPS_MIN + STEPS_PER_CHARACTER * size);
        }
        return first(value) ? null : explain(value);
      };
      return { check, json };
    } catch (cause) {
      const Kind = cause instanceof RangeError ? RangeError : TypeError;
      const why = cause instanceof Error ? cause.message : 'an unknown reason';
      throw new Kind(`the schema of \`${tool}\` cannot be compiled: ${why}`, { cause });
    }
  }

  #compileCopy(copy: AnySchemaObject, kind: EngineKind): ValidateFunction {
    const engine = this.#engine(kind);
    try {
      return engine.compile(copy);
    } finally {
      // So that the same schema is compiled anew where another gate has it.
      engine.removeSchema(copy);
    }
  }

  #engine({ draft, thorough, own, ids }: EngineKind): Ajv {
    const key = `${draft} ${thorough} ${own}`;
    const known = this.#engines.get(key);
    if (known !== undefined && known.left > 0 && !ids) {
      known.left--;
      return known.ajv;
    }
    const { formats, regExp } = this.#options;
    const engine = new (draft === 'draft-07' ? Ajv : Ajv2020)({
      strict: false,
      logger: false,
      verbose: true,
      allErrors: thorough,
      ownProperties: own,
      validateFormats: formats !== undefined,
      ...(formats === undefined ? {} : { formats: { ...formats } }),
      ...(regExp === undefined ? {} : { code: { regExp: engineOf(regExp) } }),
    });
    addKeywords(engine);
    if (!ids) {
      this.#engines.set(key, { ajv: engine, left: COMPILED_MAX - 1 });
    }
    return engine;
  }
}

/** What is wrong with a value; `null` where nothing is. */
function ask(validate: ValidateFunction, value: unknown, most: number): ErrorObject[] | null {
  steps.allow(most);
  return validate(value) ? null : takeErrors(validate);
}

/** The errors of the last answer, which would keep its value alive where they are. */
function takeErrors(validate: ValidateFunction): ErrorObject[] {
  const errors = validate.errors ?? [];
  validate.errors = null;
  return errors;
}

function addKeywords(engine: Ajv): void {
  engine.addKeyword({
    keyword: STEP,
    before: '$ref',
    code({ gen }: KeywordCxt) {
      gen.code(_`${gen.scopeValue('func', { ref: steps.take })}()`);
    },
  });
  // ajv compares every item with every other.
  engine.removeKeyword('uniqueItems');
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || allDiffer(items),
  });
}

function allDiffer(items: readonly unknown[]): boolean {
  const texts = items.map((item) => JSON.stringify(item, withSortedKeys));
  return new Set(texts).size === items.length;
}

function withSortedKeys(_key: string, value: unknown): unknown {
  return isSchemaObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

function engineOf(make: NonNullable<CompileOptions['regExp']>) {
  return Object.assign((pattern: string, flags: string) => make(pattern, flags), {
    // Only ajv's generation of source files, which nobody asks for here, would use it.
    code: 'new RegExp',
  });
}

function copied(schema: JsonSchema, bytesMax: number): { json: string; copy: AnySchemaObject } {
  const json = JSON.stringify(schema) as string | undefined;
  const copy: unknown = json === undefined ? undefined : JSON.parse(json);
  if (json === undefined || !isSchemaObject(copy)) {
    throw new TypeError('its JSON is not an object');
  }
  if (bytesMax < json.length) {
    throw new RangeError(`it has more than ${bytesMax} characters`);
  }
  if (LEVELS_MAX < levelsOf(copy)) {
    throw new RangeError(`it has more than ${LEVELS_MAX} levels`);
  }
  return { json, copy };
}

/** The draft of a schema, however its name is spelled; the name without a number is the newest's. */
function draftOf(schema: JsonSchema): EngineKind['draft'] {
  const { $schema = '' } = schema;
  const name = typeof $schema === 'string' ? $schema : JSON.stringify($schema);
  if (name.includes('draft-07')) {
    return 'draft-07';
  }
  if (/^$|2020-12|^https?:\/\/json-schema\.org\/schema#?$/.test(name)) {
    return '2020-12';
  }
  throw new TypeError(`its $schema is neither 2020-12 nor draft-07 (got '${shown(name)}')`);
}

/**
 * Refuses what no check could end or see, and has the steps of the rest counted.
 *
 * @returns whether there are any
 */
function prepare(copy: AnySchemaObject): boolean {
  // Its name is what chose the version, and ajv knows one spelling only.
  delete copy.$schema;
  const graph = new SchemaGraph(copy);
  if (graph.hasLoop()) {
    throw new RangeError('it refers to itself without end');
  }
  let refers = false;
  for (const schema of graph.all) {
    const { properties } = schema;
    if (isSchemaObject(properties) && Object.hasOwn(properties, '__proto__')) {
      throw new TypeError('it names a property `__proto__`, which cannot be checked');
    }
    if (referenceOf(schema) !== null) {
      Object.assign(schema, { [STEP]: true });
      refers = true;
    }
  }
  return refers;
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
  let left = THOROUGH_MAX;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) {
      const members = Object.values(next);
      left -= members.length;
      if (left < 0) {
        return true;
      }
      for (const member of members) {
        waiting.push(member);
      }
    }
  }
  return false;
}
