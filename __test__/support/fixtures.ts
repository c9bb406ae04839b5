// The files of cases and recordings that ship with the project.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The rows of a file of JSON lines. */
export function readRows<T>(file: string): T[] {
  const lines = readFileSync(path.resolve(root, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

/** A text with the oracle's decision, which was made without a stop signal. */
export interface DecisionRow {
  readonly case: string;
  readonly name: string;
  readonly raw: string;
  /** `span` is a fence or prose. */
  readonly repair?: 'none' | 'double-encoding' | 'span';
  readonly value?: Record<string, unknown>;
  readonly first_err: string | null;
  readonly message?: string;
}

export interface VerdictRow {
  readonly case: string;
  readonly raw: string;
  /** One letter a prefix, in code points, the empty one first. */
  readonly states: string;
}

export interface FieldReport {
  readonly id: string;
  readonly title: string;
  readonly input_form: 'string' | 'null' | 'fragments' | 'events';
  readonly input?: unknown;
  readonly default: { readonly status?: string; readonly [key: string]: unknown };
}

export interface RecordingRow extends Omit<DecisionRow, 'case' | 'name' | 'raw'> {
  readonly id: string;
  readonly tool: string;
  readonly stop: 'eos' | 'length';
  readonly fragments: readonly string[];
}

export const decisionRows = readRows<DecisionRow>('fixtures/cases/decisions.jsonl');
export const verdictRows = readRows<VerdictRow>('fixtures/cases/verdicts.jsonl');
export const fieldReports = readRows<FieldReport>('fixtures/cases/reports.jsonl');
export const recordingRows = readRows<RecordingRow>('fixtures/recordings/recordings.jsonl');

/** Every text of the cases, once. */
export const caseTexts: readonly string[] = [
  ...new Set([
    ...decisionRows.map(({ raw }) => raw),
    ...verdictRows.map(({ raw }) => raw),
    ...fieldReports.flatMap(({ input }) =>
      typeof input === 'string'
        ? [input]
        : Array.isArray(input) && input.every((item) => typeof item === 'string')
          ? [input.join('')]
          : [],
    ),
  ]),
];
