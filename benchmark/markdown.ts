// The results of a run as the tables of README.md.

import {
  formatMark,
  formatSpread,
  formatTarget,
  formatTimes,
  formatValue,
  formatWhat,
} from './print.js';
import { type Results, type Row, type Section, loses, markOf, reachesAim } from './results.js';

const BEGIN = '<!-- results: written by `npm run render` -->';
const END = '<!-- /results -->';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A bar would end the cell; everything else in a cell is Markdown already.
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  // A column that nobody has anything to say in is left out.
  const used = head.map((_, column) => rows.some((cells) => cells[column] !== ''));
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => toLine(cells.filter((_, column) => used[column]))).join('\n');
}

function sectionTable({ id, note, title }: Section, all: readonly Row[]): string {
  const rows = all.filter(({ section }) => section === id);
  const cells = rows.map((row) => [
    formatWhat(row),
    loses(row) ? `**${formatValue(row.value, row)}**` : formatValue(row.value, row),
    formatSpread(row),
    formatTarget(row),
    formatMark(row),
    formatTimes(row),
  ]);
  const head = ['', 'value', 'quartiles', 'must / aim', '', 'argspan : rival'];
  return `### ${title}\n\n${note}\n\n${table(head, cells)}`;
}

function summary({ rows }: Results): string {
  const required = rows.filter(({ target }) => target !== null);
  const passed = required.filter((row) => markOf(row) === 'PASS').length;
  const aimed = required.filter((row) => reachesAim(row)).length;
  return (
    `${passed} of ${required.length} rows reach what they must (PASS), ` +
    `${aimed} of them what they aim for (a star).`
  );
}

function losses({ rows, sections }: Results): string {
  const lost = rows.filter((row) => loses(row));
  const cells = lost.map((row) => [
    sections.find(({ id }) => id === row.section)?.title ?? row.section,
    formatWhat(row),
    formatValue(row.value, row),
    formatTimes(row),
  ]);
  return `### Where argspan is the slower one\n\n${table(['', '', 'value', 'argspan : rival'], cells)}`;
}

function where({ date, effort, machine }: Results): string {
  const { cores, cpu, load, node, rust, system, v8 } = machine;
  return (
    `Measured on ${date} (${effort} run): ${cpu}, ${cores} cores with a load of ${load} from others, ${system}; ` +
    `Node ${node} (V8 ${v8})${rust === null ? '' : `, Rust ${rust}`}.`
  );
}

/** All that a run says. */
export function toMarkdown(results: Results): string {
  const { remarks, rows, sections } = results;
  const measured = sections.filter(({ id }) => rows.some(({ section }) => section === id));
  return [
    where(results),
    summary(results),
    ...measured.map((section) => sectionTable(section, rows)),
    losses(results),
    `### What the other readers let pass\n\n${remarks.map((remark) => `- ${remark}`).join('\n')}`,
  ].join('\n\n');
}

/** Puts the results of a run where the old ones stand. */
export function replaceResults(readme: string, results: Results): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin < 0 || end < begin) {
    throw new Error(`README.md has no place for results between ${BEGIN} and ${END}`);
  }
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${toMarkdown(results)}\n\n${readme.slice(end)}`;
}
