/**
 * Opt-in repairs: their names, and sets of them.
 */

import { shown, typeOf } from './input.js';
import type { Repair, RuleRepair, SchemaRepair, TextRepair } from './outcome.js';

/** Repairs as bits, those of a text as `mod repairs` in `native/scanner/src/repair` has them. */
export type RepairSet = number;

const bits: Readonly<Record<TextRepair | SchemaRepair, number>> = {
  'unique-object': 1,
  'repeated-copies': 1 << 1,
  'control-characters': 1 << 2,
  'literal-backslashes': 1 << 3,
  'extra-closers': 1 << 4,
  'nested-json': 1 << 5,
  'lossless-coerce': 1 << 6,
};

/** All repairs that can be asked for, in the order in which an outcome lists them. */
export const allRepairs = Object.keys(bits) as readonly (TextRepair | SchemaRepair)[];

/** The set of those by text. */
const byText: RepairSet = bits['nested-json'] - 1;
/** The set of those by schema. */
export const bySchema: RepairSet = bits['nested-json'] | bits['lossless-coerce'];

/** Those that need no schema. */
export const textRepairs: readonly TextRepair[] = namesByText(byText);

/** Whether a repair is one that has to be asked for. */
export function isOptIn(name: string): name is TextRepair | SchemaRepair {
  return Object.hasOwn(bits, name);
}

/** The set of one repair. */
export function setOf(name: TextRepair | SchemaRepair): RepairSet {
  return bits[name];
}

/** The names in a set, in their order. */
export function namesIn(set: RepairSet): (TextRepair | SchemaRepair)[] {
  return allRepairs.filter((name) => (set & bits[name]) !== 0);
}

/** The names in a set that are by text. */
export function namesByText(set: RepairSet): TextRepair[] {
  return namesIn(set & byText) as TextRepair[];
}

/**
 * The names that were read last, and their set. Callers ask for the same with every call, and of a
 * short text looking up each name would be a good part of the work.
 */
let lastRead: readonly string[] = [];
let lastSet: RepairSet = 0;

/**
 * A list of names as a set.
 *
 * @throws TypeError | RangeError
 */
export function readRepairs(value: unknown, argument: string): RepairSet {
  if (value === undefined) {
    return 0;
  }
  if (!Array.isArray(value)) {
    throw new TypeError(`${argument} must be a list (got ${typeOf(value)})`);
  }
  if (isLastRead(value)) {
    return lastSet;
  }
  let set = 0;
  for (let index = 0; index < value.length; index++) {
    const name: unknown = value[index];
    if (typeof name !== 'string') {
      throw new TypeError(`${argument}[${index}] must be a string (got ${typeOf(name)})`);
    }
    if (!isOptIn(name)) {
      const choice = allRepairs.map((one) => `'${one}'`).join(', ');
      throw new RangeError(`${argument}[${index}] must be one of ${choice} (got '${shown(name)}')`);
    }
    set |= bits[name];
  }
  lastRead = [...(value as string[])];
  lastSet = set;
  return set;
}

/** Whether a list has the names that were read last. */
function isLastRead(names: readonly unknown[]): boolean {
  const last = lastRead;
  let index = last.length;
  if (names.length !== index) {
    return false;
  }
  while (index > 0) {
    index--;
    if (names[index] !== last[index]) {
      return false;
    }
  }
  return true;
}

/**
 * The same where there is no schema.
 *
 * @throws TypeError | RangeError, the latter also for repairs by schema
 */
export function readTextRepairs(value: unknown, argument: string): RepairSet {
  const set = readRepairs(value, argument);
  if ((set & bySchema) !== 0) {
    const names = namesIn(set & bySchema).map((name) => `'${name}'`);
    throw new RangeError(
      `${argument} must not have ${names.join(' and ')}, which a gate alone can do: it has the schema`,
    );
  }
  return set;
}

/** How an outcome names its repairs: one of them, and all where there are several. */
export interface RepairNames {
  readonly repair: Repair;
  readonly repairs?: readonly Repair[];
}

/** The names for the repairs in a set, and for how the rule found the object. */
export function toRepairNames(set: RepairSet, foundBy: RuleRepair): RepairNames {
  if (set === 0) {
    return { repair: foundBy };
  }
  const rule: readonly RuleRepair[] = foundBy === 'none' ? [] : [foundBy];
  const repairs: readonly Repair[] = [...namesIn(set), ...rule];
  const [first = foundBy] = repairs;
  return repairs.length === 1 ? { repair: first } : { repair: first, repairs };
}

/** Takes names apart again. */
export function fromRepairNames({ repair: first, repairs = [first] }: RepairNames): {
  set: RepairSet;
  foundBy: RuleRepair;
} {
  let set = 0;
  let foundBy: RuleRepair = 'none';
  for (const name of repairs) {
    if (isOptIn(name)) {
      set |= bits[name];
    } else {
      foundBy = name;
    }
  }
  return { set, foundBy };
}
