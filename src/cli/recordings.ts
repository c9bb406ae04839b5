/**
 * Recorded tool calls: the format of `demo/recordings.jsonl`, and its reader.
 *
 * A file given by the user is checked field by field, so that a wrong line is
 * named and not half replayed.
 */
import { readFileSync } from 'node:fs';

import { Misuse, systemReason } from './io.js';
import { packageFile } from './package-files.js';
import { visible } from './terminal.js';

/** One call as a model wrote it, and the decision that belongs to it. */
export interface Recording {
  readonly id: string;
  readonly model: string;
  readonly tool: string;
  /** The text of the arguments, as it was streamed: a token each. */
  readonly fragments: readonly string[];
  /** `eos`: the model ended by itself; `length`: it was cut by the token limit. */
  readonly stop: 'eos' | 'length';
  /** How the model was prompted. */
  readonly style: string | null;
  readonly temperature: number | null;
  readonly expected: Expected | null;
}

/**
 * The decision recorded with a call, made from its whole text alone, without the
 * stop signal. `span` stands for a fence as well as for prose.
 */
export type Expected =
  | { readonly status: 'accepted'; readonly repair: string; readonly value: unknown }
  | { readonly status: 'reported'; readonly message: string };

/** Reads recordings from a file, one JSON object a line; from the package's own without one. */
export function readRecordings(file?: string): Recording[] {
  const path = file ?? packageFile('demo/recordings.jsonl');
  const name = file === undefined ? 'demo/recordings.jsonl' : visible(file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Misuse(`cannot read "${name}": ${systemReason(error)}`);
  }
  const recordings: Recording[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') {
      continue;
    }
    recordings.push(readRecording(line, `${name}:${index + 1}`));
  }
  if (recordings.length === 0) {
    throw new Misuse(`"${name}" holds no recordings`);
  }
  return recordings;
}

function readRecording(line: string, place: string): Recording {
  const record = readObject(line, place);
  const text = (field: string): string => {
    const value = record.get(field);
    if (typeof value !== 'string') {
      throw new Misuse(`${place}: "${field}" is not a string`);
    }
    return value;
  };

  const fragments = record.get('fragments');
  if (!isStrings(fragments)) {
    throw new Misuse(`${place}: "fragments" is not an array of strings`);
  }
  const stop = text('stop');
  if (stop !== 'eos' && stop !== 'length') {
    throw new Misuse(`${place}: "stop" is neither "eos" nor "length"`);
  }

  const style = record.get('style');
  const temperature = record.get('temperature');
  return {
    id: text('id'),
    model: text('model'),
    tool: text('tool'),
    fragments,
    stop,
    style: typeof style === 'string' ? style : null,
    temperature: typeof temperature === 'number' ? temperature : null,
    expected: expectedOf(record),
  };
}

function readObject(line: string, place: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Misuse(`${place}: not JSON`);
  }
  if (typeof value !== 'object' || value === null) {
    throw new Misuse(`${place}: not an object`);
  }
  return new Map(Object.entries(value));
}

function expectedOf(record: ReadonlyMap<string, unknown>): Expected | null {
  const repair = record.get('repair');
  if (typeof repair === 'string') {
    return { status: 'accepted', repair, value: record.get('value') };
  }
  const message = record.get('message');
  return typeof message === 'string' ? { status: 'reported', message } : null;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
