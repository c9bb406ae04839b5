// The tables in README.md and docs/repairs.md: what each repair does to the recordings, counted.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { createGate } from '../src/gate/index.js';
import { parseToolArguments, type SchemaRepair, type TextRepair } from '../src/index.js';
import { allRepairs, namesByText, readRepairs } from '../src/repairs.js';
import { recordingRows, root, type RecordingRow } from './support/fixtures.js';
import { recordedTools } from './support/tools.js';

type Asked = readonly (TextRepair | SchemaRepair)[];

const textOf = ({ fragments }: RecordingRow): string => fragments.join('');
const ended = recordingRows.filter(({ stop }) => stop === 'eos');
const cut = recordingRows.filter(({ stop }) => stop === 'length');
const strict = createGate(recordedTools);

function runs(gate: typeof strict, row: RecordingRow): boolean {
  const decision = gate.decide({ id: 'call_1', name: row.tool, arguments: textOf(row) });
  return decision.action === 'run';
}

/** Whether the text is accepted, before a schema is asked. */
function reads(row: RecordingRow, repairs: readonly TextRepair[]): boolean {
  return parseToolArguments(row.tool, textOf(row), { repairs }).status === 'accepted';
}

/** The cells of a repair's row. */
function count(asked: Asked): readonly number[] {
  const repairs = namesByText(readRepairs(asked, 'asked'));
  const gate = createGate(recordedTools, { repairs: asked });
  const objects = (rows: readonly RecordingRow[]) =>
    rows.filter((row) => reads(row, repairs) && !reads(row, []));
  const gained = ended.filter((row) => runs(gate, row) && !runs(strict, row));
  const recovered = new Set([...objects(ended), ...gained]);
  return [recovered.size, gained.length, recovered.size - gained.length, objects(cut).length];
}

it('README.md and docs/repairs.md have the numbers', () => {
  const page = readFileSync(path.join(root, 'docs/repairs.md'), 'utf8');
  const models = new Set(recordingRows.map(({ id }) => id.split('-')[0]));
  expect(models).toEqual(new Set(['gemma', 'smol']));
  expect(page).toContain('a 270M and a 135M model');
  expect(page).toContain(`${recordingRows.length} recorded calls`);
  expect(page).toContain(`${ended.length} of them ended by themselves`);
  const accepted = ended.filter((row) => reads(row, []));
  const ran = ended.filter((row) => runs(strict, row));
  expect(page).toContain(`the rule alone reads an object in ${accepted.length}`);
  expect(page).toContain(`${ran.length} of these match their tool's parameters`);
  const rows = [
    ...allRepairs.map((name) => [`\`${name}\``, [name]] as const),
    ['all', allRepairs] as const,
  ];
  const counts = rows.map(([name, asked]) => ({ name, cells: count(asked) }));
  const table = counts.map(({ name, cells }) => `| ${[name, ...cells].join(' | ')} |`);
  expect(page.split('\n').filter((line) => /^\| (?:`|all)/.test(line))).toEqual(table);

  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  expect(readme).toContain(`the ${ended.length} recorded calls that ended by themselves`);
  for (const { name, cells } of counts) {
    const row = readme.split('\n').find((line) => line.startsWith(`| ${name} | `));
    expect(row, name).toMatch(new RegExp(` \\| ${cells[1]} / ${cells[2]} \\|$`));
  }
});
