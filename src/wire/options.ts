/**
 * Options and formats, checked and complete.
 */

import { BYTES_MAX, ECHO_LIMIT, readCount, readFlag, readOptions, typeOf } from '../input.js';
import type { WireFormat, WireOptions } from './types.js';

const mebibyte = 1024 * 1024;

/** Every option with its value. */
export type WireSettings = {
  readonly [Option in keyof WireOptions]-?: NonNullable<WireOptions[Option]>;
};

/** Every option of reading a response. */
export const optionNames = [
  'fragments',
  'keepText',
  'stopPolicy',
  'maxArgumentBytes',
  'maxTotalBytes',
  'maxEventBytes',
  'maxCalls',
  'maxNameBytes',
  'echoLimit',
  'stopHint',
] as const satisfies readonly (keyof WireOptions)[];

/**
 * Reads options, with the defaults in their places.
 *
 * @throws TypeError | RangeError
 */
export function readWireOptions(given: WireOptions): WireSettings {
  const options = readOptions(given, optionNames);
  return {
    fragments: readFlag(options.fragments, 'options.fragments', false),
    keepText: readFlag(options.keepText, 'options.keepText', true),
    stopPolicy: readStopPolicy(options.stopPolicy),
    maxArgumentBytes: readCount(options.maxArgumentBytes, 'options.maxArgumentBytes', BYTES_MAX),
    maxTotalBytes: readCount(options.maxTotalBytes, 'options.maxTotalBytes', 64 * mebibyte),
    maxEventBytes: readCount(options.maxEventBytes, 'options.maxEventBytes', 64 * mebibyte),
    maxCalls: readCount(options.maxCalls, 'options.maxCalls', 128),
    maxNameBytes: readCount(options.maxNameBytes, 'options.maxNameBytes', 256),
    echoLimit: readCount(options.echoLimit, 'options.echoLimit', ECHO_LIMIT),
    stopHint: readFlag(options.stopHint, 'options.stopHint', true),
  };
}

function readStopPolicy(value: unknown): 'report' | 'text' {
  if (value === undefined || value === 'report') {
    return 'report';
  }
  if (typeof value !== 'string') {
    throw new TypeError(`options.stopPolicy must be a string (got ${typeOf(value)})`);
  }
  if (value !== 'text') {
    throw new RangeError(
      `options.stopPolicy must be 'report' or 'text' (got '${value.slice(0, 100)}')`,
    );
  }
  return value;
}

/** The numbers by which the addon knows the formats; 3 is told from the first event. */
const formats = ['openai-chat', 'anthropic-messages', 'openai-responses', 'auto'] as const;

/**
 * The addon's number of a format.
 *
 * @throws TypeError | RangeError
 */
export function formatNumber(format: WireFormat | 'auto'): number {
  if (typeof format !== 'string') {
    throw new TypeError(`format must be a string (got ${typeOf(format)})`);
  }
  const number = formats.indexOf(format);
  if (number < 0) {
    const known = formats.map((name) => `'${name}'`).join(', ');
    throw new RangeError(`format must be one of ${known} (got '${format.slice(0, 100)}')`);
  }
  return number;
}
