/**
 * What a terminal needs: colour where it is wanted, text that fits, and no
 * character that could drive it.
 *
 * Everything a model wrote is hostile here: an escape sequence could clear the
 * screen, retitle the window or hide half of a line. `visible` is the one door
 * through which such text reaches a terminal.
 */
import type { Io, OutputStream } from './io.js';

/** A colour or a weight; `plain` leaves the text as it is. */
export type Colour = 'plain' | 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** How to write for one stream. */
export interface Style {
  /** False for a pipe or a file: plain lines then, nothing cut to a width. */
  readonly terminal: boolean;
  /** Columns to use; infinite where there is no terminal. */
  readonly columns: number;
  paint(colour: Colour, text: string): string;
}

const codes: Readonly<Record<Exclude<Colour, 'plain'>, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

const columnsMin = 40;
// Longer lines are hard to follow with the eye, however wide the window is.
const columnsMax = 120;
const columnsDefault = 80;

/** Looks at the stream and at `NO_COLOR` and `TERM`. */
export function styleFor(stream: OutputStream, env: Io['env']): Style {
  const terminal = stream.isTTY === true;
  // no-color.org: set and not empty means no colour, whatever the value.
  const colour = terminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const width = stream.columns ?? columnsDefault;
  return {
    terminal,
    columns: terminal ? Math.min(Math.max(width, columnsMin), columnsMax) : Infinity,
    paint(name, text) {
      if (!colour || name === 'plain' || text === '') {
        return text;
      }
      const [on, off] = codes[name];
      return `\u001B[${on}m${text}\u001B[${off}m`;
    },
  };
}

// Controls (C0, DEL, C1), format characters (bidirectional overrides, zero width
// ones, tags), half surrogate pairs and the two Unicode line ends.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const unsafeInLines = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text on one line, every character that could move a terminal's cursor or hide text written as an escape. */
export function visible(text: string): string {
  return text.replace(unsafe, escape);
}

/** As `visible`, but line feeds and tabs stay: for text that is shown as the lines it has. */
export function visibleLines(text: string): string {
  return text.replace(unsafeInLines, escape);
}

/**
 * A value as one line of JSON that is safe in a terminal, and for readers that
 * take U+2028 for the end of a line. It parses to the same value as
 * `JSON.stringify` gives.
 */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(unsafe, escapeUnits)}\n`;
}

function escape(character: string): string {
  if (character === '\n') {
    return '\\n';
  }
  if (character === '\r') {
    return '\\r';
  }
  if (character === '\t') {
    return '\\t';
  }
  return escapeUnits(character);
}

function escapeUnits(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const printableAscii = /^[ -~]*$/;
const mark = /^[\p{Mn}\p{Me}]$/u;
const emoji = /^\p{Emoji_Presentation}|\uFE0F/u;
// East Asian Wide and Fullwidth (UAX 11), the emoji aside: JavaScript has no
// property for it. Blocks, not single characters: a code point that is not
// assigned yet may be counted wide.
const wide =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u;

/** Terminal columns that a text takes; the text has gone through `visible`. */
export function widthOf(text: string): number {
  if (printableAscii.test(text)) {
    return text.length;
  }
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
  }
  return width;
}

function graphemeWidth(segment: string): number {
  if (mark.test(segment)) {
    return 0;
  }
  return wide.test(segment) || emoji.test(segment) ? 2 : 1;
}

/** The text, or as much of it as fits with `…` at its end; never half a character. */
export function truncate(text: string, columns: number): string {
  return fits(text, columns) ? text : `${cut(text, columns - 1)}…`;
}

/** Breaks a text into at most `rowsMax` rows, at spaces where they are near; the last one ends in `…` if text is left. */
export function wrap(text: string, columns: number, rowsMax: number): string[] {
  const rows: string[] = [];
  let rest = text;
  while (rows.length + 1 < rowsMax && !fits(rest, columns)) {
    // A grapheme wider than the row is taken whole: no progress would be worse.
    const row = cut(rest, columns) || (graphemes.segment(rest).containing(0)?.segment ?? rest);
    const space = row.lastIndexOf(' ');
    const end = rest.charAt(row.length) !== ' ' && space > row.length / 2 ? space : row.length;
    rows.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^ /, '');
  }
  if (rest !== '' || rows.length === 0) {
    rows.push(truncate(rest, columns));
  }
  return rows;
}

/** The text with spaces after it up to a width. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** The text with spaces before it up to a width. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text;
}

function fits(text: string, columns: number): boolean {
  // By cutting, not by measuring: a long text is not read to its end just to
  // learn that it is too long.
  if (columns === Infinity) {
    return true;
  }
  return cut(text, columns).length === text.length;
}

/** The longest beginning that fits. */
function cut(text: string, columns: number): string {
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (columns < width) {
      return text.slice(0, index);
    }
  }
  return text;
}
