// The table on the terminal.

import { type Reading, type Row, type Section, loses, markOf, reachesAim } from './results.js';

/** Three digits, and a unit that fits. */
export function formatNanos(nanos: number): string {
  const units = [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
    ['ns', 1],
  ] as const;
  const [unit, size] = units.find(([, least]) => Math.abs(nanos) >= least) ?? ['ns', 1];
  return `${threeDigits(nanos / size)} ${unit}`;
}

function threeDigits(number: number): string {
  const size = Math.abs(number);
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

const formats: Readonly<Record<Reading, (value: number) => string>> = {
  faster: (value) =>
    `${value >= 1000 ? Math.round(value).toLocaleString('en') : threeDigits(value)}×`,
  share: (value) => value.toFixed(2),
  spread: (value) => value.toFixed(2),
  bytes: (value) => `${value.toFixed(0)} B`,
  nanos: formatNanos,
};

/** A row's value, or a target's, as its reading wants it. */
export function formatValue(value: number, { reading }: Row): string {
  return formats[reading](value);
}

/** What must be and what is aimed for. */
export function formatTarget(row: Row): string {
  const { target } = row;
  return target === null
    ? ''
    : `${formatValue(target.must, row)} / ${formatValue(target.aim, row)}`;
}

/** PASS or MISS, with a star where the aim is reached as well. */
export function formatMark(row: Row): string {
  return `${markOf(row)}${reachesAim(row) ? ' *' : ''}`;
}

export function formatTimes({ detail, other, own }: Row): string {
  return own === null || other === null
    ? (detail ?? '')
    : `${formatNanos(own)} : ${formatNanos(other)}`;
}

export function formatSpread(row: Row): string {
  return row.spread === null
    ? ''
    : `${formatValue(row.spread[0], row)} – ${formatValue(row.spread[1], row)}`;
}

/** What was measured, and against whom. */
export function formatWhat({ rival, what }: Row): string {
  return rival === null ? what : `${what}, against ${rival}`;
}

export function printHead({ title }: Section): void {
  process.stdout.write(`\n${plain(title)}\n`);
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

export function printRow(row: Row): void {
  const cells = [
    plain(formatWhat(row)).padEnd(64),
    formatValue(row.value, row).padStart(8),
    formatTarget(row).padStart(16),
    `  ${formatMark(row)}`.padEnd(9),
    formatTimes(row).padEnd(20),
    loses(row) ? 'slower' : '',
  ];
  process.stdout.write(`  ${cells.join(' ').trimEnd()}\n`);
}

export function printSummary(rows: readonly Row[]): void {
  const required = rows.filter(({ target }) => target !== null);
  const missed = required.filter((row) => markOf(row) === 'MISS');
  const lost = rows.filter((row) => loses(row));
  const aimed = required.filter((row) => reachesAim(row));
  process.stdout.write(
    `\n${required.length - missed.length} of ${required.length} rows reach what they must, ` +
      `${aimed.length} what they aim for (*); argspan is the slower one in ${lost.length} of ${rows.length}.\n`,
  );
  for (const row of missed) {
    process.stdout.write(
      `  MISS ${row.section}: ${plain(formatWhat(row))}: ${formatValue(row.value, row)} (${formatTarget(row)})\n`,
    );
  }
}
