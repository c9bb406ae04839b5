/**
 * The demo as text: one block for a call, one table for all.
 *
 * A pipe gets the same rows as a terminal, in ASCII where the words are ours, and
 * uncut, so that they can be searched. Whatever a recording holds goes through
 * `visible` first, in both.
 */
import type { Outcome, Verdict } from '../index.js';
import type { Place, Replay } from './replay.js';
import { kinds, repairs, share, summarise, type Summary } from './summary.js';
import {
  padEnd,
  padStart,
  truncate,
  visible,
  widthOf,
  wrap,
  type Colour,
  type Style,
} from './terminal.js';

const labelColumns = 10;
const indent = '  ';
/** Rows on a terminal for a message's first line, whose echo may be long, and for any other sentence. */
const echoRowsMax = 2;
const factRowsMax = 4;
const barColumnsMax = 48;

const verdictColours: Readonly<Record<Verdict, Colour>> = {
  empty: 'dim',
  incomplete: 'yellow',
  complete: 'green',
  malformed: 'red',
};
/** Told apart without colour too. */
const verdictGlyphs: Readonly<Record<Verdict, string>> = {
  empty: '·',
  incomplete: '─',
  complete: '━',
  malformed: '×',
};

/** What every call begins with, before its first fragment. */
const emptyAtFirst = { verdict: 'empty', fragment: 0, byte: 0 } as const;

/** What the recordings are: the first lines of the demo. */
export function headerText(replays: readonly Replay[], shown: number, style: Style): string {
  const models = [...byModel(replays).keys()].map(describeModel);
  const what = `${counted(replays.length, 'recorded tool call')} of ${models.join(' and ')}`;
  const rows = [
    ...wrapRow(`${what}, replayed a fragment (a token) at a time.`, style),
    ...wrapRow(
      'Control characters are shown escaped; bytes are counted from the start of the arguments.',
      style,
    ),
  ];
  if (shown < replays.length) {
    rows.push(
      ...wrapRow(
        `${shown} of the calls in detail (--all: every one), then a table over all of them.`,
        style,
      ),
    );
  }
  return `${rows.join('\n')}\n`;
}

/** One call, with an empty line before it. */
export function callText(replay: Replay, position: number, style: Style): string {
  const { recording, outcome } = replay;
  const rows = [
    titleRow(replay, position, style),
    row('text', truncate(visible(recording.fragments.join('')), roomFor(style)), style),
    ...streamRows(replay, style),
    ...verdictRows(replay, style),
    ...abortRows(replay, style),
    row('decision', paintedDecision(outcome, style), style),
    ...messageRows(outcome, style),
  ];
  if (replay.agrees === false) {
    rows.push(row('', style.paint('red', 'not the recorded decision'), style));
  }
  return `\n${rows.join('\n')}\n`;
}

/** The closing table, with an empty line before it. */
export function summaryText(
  replays: readonly Replay[],
  scanMilliseconds: number,
  style: Style,
): string {
  const all = summarise(replays);
  const lines = linesFor(all);
  const labelWidth = Math.max(...lines.map((line) => line.label.length));
  const columns = columnsOf(replays, all, style.columns - labelWidth);
  const head = columns.map(({ title, width }) => `  ${padStart(title, width)}`).join('');
  const rule = (style.terminal ? '─' : '-').repeat(labelWidth + widthOf(head));

  const rows = [
    style.paint('bold', 'Summary'.padEnd(labelWidth) + head),
    style.paint('dim', rule),
    ...lines.map(({ label, colour, cell }) => {
      const cells = columns.map(({ summary, width }) => `  ${cell(summary).padStart(width)}`);
      return style.paint(colour ?? 'plain', label.padEnd(labelWidth) + cells.join(''));
    }),
    style.paint('dim', rule),
  ];

  const each = share(scanMilliseconds * 1000, all.fragments).toFixed(2);
  const time = `Scanned in ${scanMilliseconds.toFixed(2)} ms, ${each} us a fragment, the verdict read after each.`;
  rows.push(...wrapRow(time, style));
  if (0 < all.compared) {
    const agreed = `${number(all.agreed)} of ${number(all.compared)} decisions by the text alone are those recorded with the calls.`;
    rows.push(...wrapRow(agreed, style));
  }
  return `\n${rows.join('\n')}\n`;
}

interface TableColumn {
  readonly title: string;
  readonly width: number;
  readonly summary: Summary;
}

interface TableLine {
  readonly label: string;
  readonly colour?: Colour;
  readonly cell: (summary: Summary) => string;
}

/** All calls, and beside them each model's where there are two or three and they fit. */
function columnsOf(replays: readonly Replay[], all: Summary, room: number): TableColumn[] {
  const total = tableColumn('all', all);
  const models = byModel(replays);
  if (models.size < 2 || 3 < models.size) {
    return [total];
  }
  const each = [...models].map(([model, own]) => tableColumn(shortModel(model), summarise(own)));
  const columns = [total, ...each];
  const width = columns.reduce((sum, column) => sum + 2 + column.width, 0);
  return width <= room ? columns : [total];
}

function tableColumn(title: string, summary: Summary): TableColumn {
  return { title, width: Math.max(8, widthOf(title)), summary };
}

/** The table's lines; repairs and kinds that did not occur have none. */
function linesFor(all: Summary): TableLine[] {
  const accepted = repairs
    .filter((repair) => 0 < all.accepted[repair])
    .map((repair): TableLine => ({
      label: `  ${repair === 'none' ? 'as it is' : repair}`,
      cell: (summary) => number(summary.accepted[repair]),
    }));
  const reported = kinds
    .filter((kind) => 0 < all.reported[kind])
    .map((kind): TableLine => ({
      label: `  ${kind}`,
      cell: (summary) => number(summary.reported[kind]),
    }));
  return [
    { label: 'calls', cell: ({ recordings }) => number(recordings) },
    { label: 'accepted', colour: 'green', cell: (summary) => number(summary.accepted.total) },
    ...accepted,
    { label: 'reported', colour: 'red', cell: (summary) => number(summary.reported.total) },
    ...reported,
    { label: 'acceptable text, but cut off', cell: (summary) => number(summary.acceptableButCut) },
    { label: 'hopeless', cell: ({ hopeless }) => number(hopeless) },
    { label: 'fragments generated', cell: ({ fragments }) => number(fragments) },
    { label: '  saved by an abort', cell: ({ saved }) => number(saved.fragments) },
    { label: '  share', colour: 'cyan', cell: ({ saved }) => percent(saved.fragmentsShare) },
    { label: 'bytes generated', cell: ({ bytes }) => number(bytes) },
    { label: '  saved by an abort', cell: ({ saved }) => number(saved.bytes) },
    { label: '  share', colour: 'cyan', cell: ({ saved }) => percent(saved.bytesShare) },
  ];
}

/** The recordings of each model, in the order in which the models come first. */
export function byModel(replays: readonly Replay[]): Map<string, Replay[]> {
  const models = new Map<string, Replay[]>();
  for (const replay of replays) {
    const own = models.get(replay.recording.model);
    if (own === undefined) {
      models.set(replay.recording.model, [replay]);
    } else {
      own.push(replay);
    }
  }
  return models;
}

/** The size that a model's name tells (`270M`), or null. */
export function parametersOf(model: string): string | null {
  return /(?:^|[-_ ])(\d+(?:\.\d+)?[mb])(?:$|[-_ ])/i.exec(model)?.[1]?.toUpperCase() ?? null;
}

function titleRow({ recording }: Replay, position: number, style: Style): string {
  const facts = [recording.model];
  if (recording.style !== null) {
    facts.push(`prompted ${recording.style}`);
  }
  if (recording.temperature !== null) {
    facts.push(`temperature ${recording.temperature}`);
  }
  const name = `${position}. ${visible(recording.tool)}`;
  const rest = visible(` (${facts.join(', ')})`);
  if (!style.terminal) {
    return name + rest;
  }
  const left = truncate(name, style.columns);
  const room = style.columns - widthOf(left);
  return style.paint('bold', left) + (room < 8 ? '' : style.paint('dim', truncate(rest, room)));
}

/** How the stream went; on a terminal under a bar, a cell for one or more fragments, drawn as the verdict after them. */
function streamRows(replay: Replay, style: Style): string[] {
  const { fragments, bytes, stop } = replay;
  const ended = stop === 'length' ? 'cut off by the token limit' : 'ended by the model';
  const facts = `${counted(fragments, 'fragment')}, ${counted(bytes, 'byte')}, ${ended}`;
  if (!style.terminal) {
    return [row('stream', facts, style)];
  }
  return [row('stream', bar(replay, style), style), ...factRows('', facts, style)];
}

function bar({ fragments, changes }: Replay, style: Style): string {
  const cells = Math.min(fragments, barColumnsMax, roomFor(style));
  let text = '';
  let drawn = 0;
  for (const [index, { verdict }] of [emptyAtFirst, ...changes].entries()) {
    // A cell shows the verdict after its last fragment.
    const next = changes[index];
    const end = next === undefined ? cells : Math.ceil((next.fragment * cells) / fragments) - 1;
    if (end <= drawn) {
      continue;
    }
    text += style.paint(verdictColours[verdict], verdictGlyphs[verdict].repeat(end - drawn));
    drawn = end;
  }
  return text;
}

function verdictRows({ changes }: Replay, style: Style): string[] {
  const steps = (changes.length === 0 ? [emptyAtFirst] : changes).map((change) => ({
    verdict: change.verdict,
    place: ` ${placeText(change)}`,
  }));
  const arrow = style.terminal ? ' → ' : ' -> ';
  // Only a row that fits is painted: what is cut or broken must hold no colour codes.
  const plain = steps.map(({ verdict, place }) => verdict + place).join(arrow);
  if (roomFor(style) < widthOf(plain)) {
    return factRows('verdict', plain, style);
  }
  const painted = steps.map(
    ({ verdict, place }) => style.paint(verdictColours[verdict], verdict) + place,
  );
  return [row('verdict', painted.join(arrow), style)];
}

/** When the object was known, or when the call became hopeless and what an abort would have saved. */
function abortRows(replay: Replay, style: Style): string[] {
  const { known, hopeless, saved, fragments, bytes, objectStart, end } = replay;
  if (known !== null) {
    const span = `bytes ${number(known.span.start)} to ${number(known.span.end)}`;
    return factRows('object', `${span}, known ${placeText(known)} of ${number(fragments)}`, style);
  }
  if (hopeless !== null) {
    const part = percent(share(saved.fragments, fragments));
    const saving =
      saved.fragments === 0
        ? 'nothing was left to save'
        : `an abort there saves ${number(saved.fragments)} of ${counted(fragments, 'fragment')} (${part}), ${number(saved.bytes)} of ${counted(bytes, 'byte')}`;
    return factRows('hopeless', `${placeText(hopeless)}: ${saving}`, style);
  }
  if (objectStart === null) {
    return factRows('object', 'none: there is no { in the text', style);
  }
  const where = `${counted(end.depth, 'level')} deep${end.inString ? ', inside a string' : ''}`;
  return factRows(
    'object',
    `from byte ${number(objectStart)}, not closed: the text ends ${where}`,
    style,
  );
}

function paintedDecision(outcome: Outcome, style: Style): string {
  switch (outcome.status) {
    case 'accepted': {
      const how = outcome.repair === 'none' ? 'as it is' : `repair: ${outcome.repair}`;
      return `${style.paint('green', 'accepted')}, ${how}`;
    }
    case 'reported':
      return `${style.paint('red', 'reported')}, kind: ${outcome.kind}`;
    default:
      return outcome satisfies never;
  }
}

/** The message for the model; the echo's own line ends are escaped, so that its lines can be told from ours. */
function messageRows(outcome: Outcome, style: Style): string[] {
  if (outcome.status === 'accepted') {
    return [];
  }
  const { message, echo } = outcome;
  const received = `Received: ${echo}`;
  const lines = message
    .replace(received, () => visible(received))
    .split('\n')
    .map(visible);
  return lines
    .flatMap((line, index) => wrap(line, roomFor(style), index === 0 ? echoRowsMax : factRowsMax))
    .map((line, index) => row(index === 0 ? 'message' : '', line, style));
}

/** Facts of our own, which have no line end: broken into rows where the terminal is narrow. */
function factRows(label: string, text: string, style: Style): string[] {
  return wrap(text, roomFor(style), factRowsMax).map((line, index) =>
    row(index === 0 ? label : '', line, style),
  );
}

function row(label: string, text: string, style: Style): string {
  return `${indent}${style.paint('dim', padEnd(label, labelColumns))}${text}`.trimEnd();
}

function wrapRow(text: string, style: Style): string[] {
  return wrap(text, style.columns, 4);
}

function roomFor(style: Style): number {
  return style.columns - indent.length - labelColumns;
}

function placeText({ fragment, byte }: Place): string {
  return `at byte ${number(byte)}, fragment ${number(fragment)}`;
}

function describeModel(model: string): string {
  const parameters = parametersOf(model);
  return visible(parameters === null ? model : `${model} (${parameters} parameters)`);
}

/** A model's name up to its size, for the head of a column. */
function shortModel(model: string): string {
  const name = /^.*?\d[mb](?=$|[-_ ])/i.exec(model)?.[0] ?? model;
  return truncate(visible(name), 16);
}

function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
