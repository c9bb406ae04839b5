/**
 * Repairs by schema: `nested-json` and `lossless-coerce`.
 *
 * Both replace a string where the schema refuses any string, and only by what the string says
 * itself. Whether the whole is then what the schema wants, the schema is asked.
 */

import { inspect } from '../native.js';
import type { SchemaRepair, TextRepair, ToolArguments } from '../outcome.js';
import { check } from '../parse.js';
import { type RepairSet, namesByText, setOf } from '../repairs.js';
import { everything, readFindings } from './inspect.js';
import { pointerTo } from './pointer.js';
import { SchemaDocument, type Shape, Type } from './shape.js';
import type { Finding } from './types.js';
import { shortened } from './words.js';

/** Replacements that are told one by one. */
const TOLD_MAX = 16;

/** Findings in what was a string that are kept. */
const INSIDE_MAX = 32;

/** Levels that the rule accepts. */
const LEVELS_MAX = 127;

/** No number that is written as JavaScript writes it is longer. */
const NUMBER_UNITS_MAX = 32;

/** Arguments with some of their strings replaced. */
export interface SchemaRepaired {
  readonly value: ToolArguments;
  /** Their JSON. */
  readonly text: string;
  /** Which repairs it took. */
  readonly set: RepairSet;
  /** What was replaced, and what deserves a look in what was a string. */
  readonly findings: readonly Finding[];
}

const shapes = new WeakMap<object, Shape>();

/** What a tool's JSON Schema allows; it is read once. */
export function shapeOf(tool: object, json: string): Shape {
  let shape = shapes.get(tool);
  if (shape === undefined) {
    shape = new SchemaDocument(JSON.parse(json)).shape();
    shapes.set(tool, shape);
  }
  return shape;
}

const textWords: Readonly<Record<TextRepair, string>> = {
  'unique-object': 'other text with braces around the object was left out',
  'repeated-copies': 'the object stood there more than once',
  'control-characters': 'raw control characters in strings were escaped',
  'literal-backslashes': 'backslashes in strings, none of them an escape, were escaped',
  'extra-closers': 'closing brackets behind the object were left out',
};

/** Adds a finding for each repair of a text. */
export function findTextRepairs(set: RepairSet, findings: Finding[]): void {
  for (const detail of set === 0 ? [] : namesByText(set)) {
    findings.push({ code: 'repaired', path: '', message: textWords[detail], detail });
  }
}

/** Replaces what can be; `null` where nothing can, or where the rule would not accept the result. */
export function repairBySchema(
  shape: Shape,
  text: string,
  allowed: RepairSet,
): SchemaRepaired | null {
  const repairer = new Repairer(allowed);
  const walked = repairer.walk(JSON.parse(text), shape, '');
  if (repairer.set === 0) {
    return null;
  }
  const repaired = JSON.stringify(walked);
  if (check(repaired).repair !== 'none') {
    return null;
  }
  // What runs is what the text says, down to the sign of a zero.
  const value = JSON.parse(repaired) as ToolArguments;
  return { value, text: repaired, set: repairer.set, findings: repairer.findings() };
}

class Repairer {
  set = 0;
  readonly #allowed: RepairSet;
  readonly #told: Finding[] = [];
  readonly #inside: Finding[] = [];
  #forbidden = false;
  #more = 0;

  constructor(allowed: RepairSet) {
    this.#allowed = allowed;
  }

  findings(): Finding[] {
    const more = this.#more;
    const rest: Finding[] =
      more === 0
        ? []
        : [{ code: 'more', path: '', message: `${more} more were repaired`, detail: `${more}` }];
    return [...this.#inside, ...this.#told, ...rest];
  }

  /** The value with its strings replaced; containers are changed in place. */
  walk(value: unknown, shape: Shape, path: string, level = 1): unknown {
    if (typeof value === 'string') {
      return this.#string(value, shape, path, level);
    }
    if (typeof value !== 'object' || value === null || LEVELS_MAX < level) {
      return value;
    }
    const isArray = Array.isArray(value);
    for (const [key, item] of Object.entries(value) as [string, unknown][]) {
      const inner = isArray ? shape.item(Number(key)) : shape.property(key);
      const repaired =
        inner === null ? item : this.walk(item, inner, pointerTo(path, key), level + 1);
      if (repaired !== item) {
        // A property of the object's own stays one, whatever it is called.
        Object.defineProperty(value, key, { value: repaired });
      }
    }
    return value;
  }

  #string(text: string, shape: Shape, path: string, level: number): unknown {
    const { types } = shape;
    if ((types & Type.string) !== 0) {
      return text;
    }
    if (this.#may('nested-json')) {
      const container = this.#container(text, types, path);
      if (container !== null) {
        this.#note('nested-json', path, 'was a string that holds it');
        return this.walk(container, shape, path, level);
      }
    }
    if (this.#may('lossless-coerce')) {
      const scalar = scalarIn(text, types);
      if (scalar !== null) {
        this.#note('lossless-coerce', path, `was a string that says exactly this ${typeof scalar}`);
        return scalar;
      }
    }
    return text;
  }

  #may(name: SchemaRepair): boolean {
    return (this.#allowed & setOf(name)) !== 0;
  }

  #note(name: SchemaRepair, path: string, what: string): void {
    this.set |= setOf(name);
    if (TOLD_MAX <= this.#told.length) {
      this.#more++;
      return;
    }
    const message = `the value ${what}`;
    this.#told.push({ code: 'repaired', path: shortened(path, 1000), message, detail: name });
  }

  /** The object or array that a string holds, where one is wanted and the rule would accept it. */
  #container(text: string, types: number, path: string): object | null {
    const wanted = (types & Type.array) | (types & Type.object);
    if (wanted === 0 || !/^\s*[[{]/.test(text)) {
      return null;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    const type = Array.isArray(value) ? Type.array : Type.object;
    // The member's name is empty, so that paths begin in a slash more.
    const count = inspect(`{"":${text}}`, everything);
    if ((types & type) === 0 || count < 0) {
      return null;
    }
    const found = count === 0 ? [] : readFindings();
    if (found.some(({ code }) => code === 'duplicate-key')) {
      // One of the two would be lost without a trace.
      return null;
    }
    for (const finding of found) {
      // What decides is kept in any case.
      const decides = finding.code === 'forbidden-key' && !this.#forbidden;
      if (decides || this.#inside.length < INSIDE_MAX) {
        this.#forbidden ||= decides;
        this.#inside.push({ ...finding, path: shortened(path + finding.path.slice(1), 1000) });
      }
    }
    return value as object;
  }
}

/** The number or boolean that a string says exactly, where the schema allows no other scalar. */
function scalarIn(text: string, types: number): number | boolean | null {
  const scalars = types & (Type.boolean | Type.integer | Type.fraction);
  if (scalars === Type.boolean) {
    return text === 'true' ? true : text === 'false' ? false : null;
  }
  if (scalars === 0 || (scalars & Type.boolean) !== 0 || NUMBER_UNITS_MAX < text.length) {
    return null;
  }
  const number = Number(text);
  // What is no number at all is not finite, and JSON writes it `null`, which a string may say.
  const fits = Number.isInteger(number)
    ? Number.isSafeInteger(number)
    : Number.isFinite(number) && (scalars & Type.fraction) !== 0;
  return fits && JSON.stringify(number) === text ? number : null;
}
