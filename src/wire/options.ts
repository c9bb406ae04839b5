/**
 * Options and formats, checked and complete.
 */

import {
  BYTES_MAX,
  ECHO_LIMIT,
  checkWord,
  readCount,
  readFlag,
  readOptions,
  readWord,
} from '../input.js';
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
    stopPolicy: readWord(options.stopPolicy, 'options.stopPolicy', ['report', 'text']),
    maxArgumentBytes: readCount(options.maxArgumentBytes, 'options.maxArgumentBytes', BYTES_MAX),
    maxTotalBytes: readCount(options.maxTotalBytes, 'options.maxTotalBytes', 64 * mebibyte),
    maxEventBytes: readCount(options.maxEventBytes, 'options.maxEventBytes', 64 * mebibyte),
    maxCalls: readCount(options.maxCalls, 'options.maxCalls', 128),
    maxNameBytes: readCount(options.maxNameBytes, 'options.maxNameBytes', 256),
    echoLimit: readCount(options.echoLimit, 'options.echoLimit', ECHO_LIMIT),
    stopHint: readFlag(options.stopHint, 'options.stopHint', true),
  };
}

/** The numbers by which the addon knows the formats; 3 is told from the first event. */
const formats = ['openai-chat', 'anthropic-messages', 'openai-responses', 'auto'] as const;

/**
 * The addon's number of a format.
 *
 * @throws TypeError | RangeError
 */
export function formatNumber(format: WireFormat | 'auto'): number {
  checkWord(format, 'format', formats);
  return formats.indexOf(format);
}
