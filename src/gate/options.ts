/**
 * What can be chosen about a gate, checked and complete.
 */

import {
  BYTES_MAX,
  ECHO_LIMIT,
  readCount,
  readFlag,
  readFunction,
  readOptions,
  readWord,
  typeOf,
} from '../input.js';
import type { SchemaRepair, TextRepair } from '../outcome.js';
import { type RepairSet, namesByText, readRepairs } from '../repairs.js';
import type { CompileOptions } from './json-schema.js';
import { type RedactOptions, type Redactor, createRedactor } from './redact.js';

/** What can be chosen about a gate. */
export interface GateOptions extends CompileOptions {
  /**
   * How many characters (Unicode scalar values) of the arguments a message quotes; 0 quotes none.
   * @defaultValue 500
   */
  readonly echoLimit?: number | undefined;
  /**
   * How many characters of the schema a `schema` report shows; 0 shows none.
   * @defaultValue 2000
   */
  readonly schemaLimit?: number | undefined;
  /**
   * The most bytes of one call's arguments; beyond it lies a `too-large` report.
   * @defaultValue 16 MiB
   */
  readonly maxBytes?: number | undefined;
  /**
   * Whether a report on a call that was cut off ends in advice on the next attempt.
   * @defaultValue true
   */
  readonly stopHint?: boolean | undefined;
  /**
   * Repairs of a text that is malformed and was not cut off, and of arguments that do not match a
   * tool's JSON Schema. The rule and the schema come first, and what they accept is not touched; a
   * finding `repaired` says what became of the rest.
   * @defaultValue none
   */
  readonly repairs?: readonly (TextRepair | SchemaRepair)[] | undefined;
  /**
   * From how many reports on a call on (`context.corrections`) the next one says that it is the last.
   * @defaultValue 2, so that with the first there are three attempts
   */
  readonly maxCorrections?: number | undefined;
  /**
   * Whether what was accepted is looked into. Without it, forbidden keys are still found.
   * @defaultValue true
   */
  readonly findings?: boolean | undefined;
  /**
   * Whether reasoning inside a value is a finding or a `schema` report.
   * @defaultValue 'find', because phrases give false positives
   */
  readonly thinkingLeak?: 'find' | 'report' | undefined;
  /**
   * What becomes of keys that would reach a prototype: `__proto__`, and `constructor` that holds
   * `prototype`. Removed, what runs is no longer what the model sent; a finding says so.
   * @defaultValue 'report'
   */
  readonly forbiddenKeys?: 'report' | 'remove' | 'allow' | undefined;
  /**
   * How arguments look to those who watch the channels.
   * @defaultValue every value is masked
   */
  readonly redact?: RedactOptions | undefined;
}

/** Every option with its value. */
export interface GateSettings {
  readonly echoLimit: number;
  readonly schemaLimit: number;
  readonly maxBytes: number;
  readonly stopHint: boolean;
  readonly repairs: RepairSet;
  /** Those of a text, by name. */
  readonly textRepairs: readonly TextRepair[];
  readonly maxCorrections: number;
  readonly findings: boolean;
  readonly thinkingLeak: 'find' | 'report';
  readonly forbiddenKeys: 'report' | 'remove' | 'allow';
  readonly redact: Redactor;
  readonly compile: CompileOptions;
}

const optionNames = [
  'echoLimit',
  'schemaLimit',
  'maxBytes',
  'stopHint',
  'repairs',
  'maxCorrections',
  'findings',
  'thinkingLeak',
  'forbiddenKeys',
  'redact',
  'formats',
  'regExp',
  'maxSchemaBytes',
] as const satisfies readonly (keyof GateOptions)[];

/** @throws TypeError | RangeError */
export function readGateOptions(given: GateOptions): GateSettings {
  const options = readOptions(given, optionNames);
  const repairs = readRepairs(options.repairs, 'options.repairs');
  return {
    echoLimit: readCount(options.echoLimit, 'options.echoLimit', ECHO_LIMIT),
    schemaLimit: readCount(options.schemaLimit, 'options.schemaLimit', 2000),
    maxBytes: readCount(options.maxBytes, 'options.maxBytes', BYTES_MAX),
    stopHint: readFlag(options.stopHint, 'options.stopHint', true),
    repairs,
    textRepairs: namesByText(repairs),
    maxCorrections: readCount(options.maxCorrections, 'options.maxCorrections', 2),
    findings: readFlag(options.findings, 'options.findings', true),
    thinkingLeak: readWord(options.thinkingLeak, 'options.thinkingLeak', ['find', 'report']),
    forbiddenKeys: readWord(options.forbiddenKeys, 'options.forbiddenKeys', [
      'report',
      'remove',
      'allow',
    ]),
    redact: createRedactor(options.redact, 'options.redact'),
    compile: {
      formats: readObjectOption(options.formats, 'options.formats'),
      regExp: readFunction(options.regExp, 'options.regExp'),
      maxSchemaBytes: readCount(options.maxSchemaBytes, 'options.maxSchemaBytes', 1024 * 1024),
    },
  };
}

/** @throws TypeError where something is no signal, of this realm or another's */
export function readSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (
    signal !== undefined &&
    (typeof signal !== 'object' ||
      signal === null ||
      typeof signal.aborted !== 'boolean' ||
      typeof signal.addEventListener !== 'function')
  ) {
    throw new TypeError(`options.signal must be an AbortSignal (got ${typeOf(signal)})`);
  }
  return signal;
}

function readObjectOption<T extends object>(value: T | undefined, argument: string): T | undefined {
  if (value !== undefined && (typeof value !== 'object' || value === null)) {
    throw new TypeError(`${argument} must be an object (got ${typeOf(value)})`);
  }
  return value;
}
