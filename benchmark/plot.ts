// The picture of a run: how much faster a check is, and what a stream of fragments costs.

import { formatNanos, formatValue } from './print.js';
import type { Results, Row } from './results.js';
import { circle, line, picture, rect, text } from './svg.js';

const WIDTH = 860;
const LEFT = 290;
const RIGHT = 90;
const ROW = 26;
const SPAN = WIDTH - LEFT - RIGHT;

interface Drawing {
  readonly height: number;
  readonly lines: readonly string[];
}

function head(y: number, title: string, note: string): string[] {
  return [text(0, y + 16, title, { class: 'title' }), text(0, y + 36, note, { class: 'note' })];
}

function label(y: number, what: string): string {
  return text(LEFT - 12, y + 4, what.replaceAll('`', ''), { class: 'end' });
}

const HEAD = 56;

/** A bar for each text, and marks where it must reach and where it aims. */
function drawCheck(top: number, rows: readonly Row[]): Drawing {
  const most = Math.max(...rows.flatMap(({ target, value }) => [value, target?.aim ?? 0]));
  const scale = (value: number): number => LEFT + (SPAN * value) / most;
  const lines = head(
    top,
    'check(bytes), times faster than JSON.parse(bytes.toString())',
    'Longer is better. Red: what it must be. Green: what is aimed for.',
  );
  for (const [index, row] of rows.entries()) {
    const y = top + HEAD + ROW * index + ROW / 2;
    lines.push(label(y, row.what), rect(LEFT, y - 8, scale(row.value) - LEFT, 16, 'own'));
    for (const kind of row.target === null ? [] : (['must', 'aim'] as const)) {
      const x = scale(row.target?.[kind] ?? 0);
      lines.push(line(x, y - 11, x, y + 11, kind));
    }
    lines.push(text(WIDTH, y + 4, formatValue(row.value, row), { class: 'end' }));
  }
  return { height: HEAD + ROW * rows.length, lines };
}

interface Stream {
  readonly name: string;
  readonly nanos: number;
  readonly own: boolean;
}

/** Everybody who reads the stream, the fastest first. */
function streamsOf(rows: readonly Row[]): Stream[] {
  const own = rows.map((row) => row.own ?? 0).sort((a, b) => a - b);
  const streams = rows.map(({ other, what }): Stream => ({
    name: what.split(':')[0] ?? what,
    nanos: other ?? 0,
    own: false,
  }));
  streams.push({ name: 'argspan', nanos: own[Math.floor(own.length / 2)] ?? 0, own: true });
  return streams.sort((a, b) => a.nanos - b.nanos);
}

/** A dot for each reader: the scale is logarithmic, so there is no zero for a bar to stand on. */
function drawStreams(top: number, rows: readonly Row[]): Drawing {
  const streams = streamsOf(rows);
  const powers = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];
  const decades = Math.log10((powers.at(-1) ?? 1) / (powers[0] ?? 1));
  const scale = (nanos: number): number =>
    LEFT + (SPAN * Math.log10(nanos / (powers[0] ?? 1))) / decades;
  const lines = head(
    top,
    '20 KB in 4-character fragments, asked after each: time for the whole stream',
    'Further left is better; each line is ten times the one before. JSON.parse is asked at the end only.',
  );
  const bottom = top + HEAD + ROW * streams.length;
  for (const power of powers) {
    const x = scale(power);
    lines.push(line(x, top + HEAD, x, bottom, 'grid'));
    const [number = '', unit = ''] = formatNanos(power).split(' ');
    lines.push(text(x, bottom + 16, `${Number(number)} ${unit}`, { class: 'note middle' }));
  }
  for (const [index, { name, nanos, own }] of streams.entries()) {
    const y = top + HEAD + ROW * index + ROW / 2;
    const x = scale(nanos);
    lines.push(label(y, name), line(LEFT, y, x, y, own ? 'stem-own' : 'stem'));
    lines.push(circle(x, y, 6, own ? 'own' : 'rival'), text(x + 12, y + 4, formatNanos(nanos)));
  }
  return { height: bottom - top + 24, lines };
}

export function plot({ rows }: Results): string {
  const check = drawCheck(
    0,
    rows.filter(({ section }) => section === 'check'),
  );
  const streams = drawStreams(
    check.height + 24,
    rows.filter(({ section }) => section === 'rereading' || section === 'following'),
  );
  return picture(WIDTH, check.height + 24 + streams.height, 'argspan beside its rivals', [
    ...check.lines,
    ...streams.lines,
  ]);
}
