// The texts that everything is measured with: made from a seed, of an exact size, the same on
// every machine. `__test__/benchmark.spec.ts` holds their hashes.

import { Random } from './random.js';
import { chinese, names, plainRemarks, remarks, verbs, words } from './words.js';

/** One text or more. */
export type Texts = readonly [string, ...string[]];

/** One shape of text. Short ones come in several, so that no branch predictor learns one by heart. */
export interface Fixture {
  readonly name: string;
  /** What it is, in the words of a table. */
  readonly title: string;
  readonly texts: Texts;
  /** The size of each text as UTF-8. */
  readonly bytes: number;
  /** Whether `JSON.parse` alone gives the object; it fails on a fence, and gives a string where the text was encoded twice. */
  readonly plain: boolean;
}

const KIB = 1024;

/** The byte length of a text as UTF-8. */
export function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

/** A text of exactly `bytes` bytes: `make` gets the filler that brings it there. */
function exactly(bytes: number, make: (filler: string) => string): string {
  const missing = bytes - sizeOf(make(''));
  if (missing < 0) {
    throw new RangeError(`the text is ${-missing} bytes longer than ${bytes}`);
  }
  return make('x'.repeat(missing));
}

/** Items of an array that take up to `bytes` bytes as JSON. */
function items<T>(bytes: number, make: () => T, indent?: number): T[] {
  const made: T[] = [];
  for (let left = bytes; ;) {
    const item = make();
    const lines = JSON.stringify([item], null, indent);
    left -= sizeOf(lines) - '[]'.length + ','.length;
    if (left < 0) {
      return made;
    }
    made.push(item);
  }
}

/** Pieces joined to a text that takes up to `bytes` bytes inside a JSON string. */
function pieces(bytes: number, make: () => string): string {
  let made = '';
  for (let left = bytes; ;) {
    const piece = make();
    left -= sizeOf(JSON.stringify(piece)) - '""'.length;
    if (left < 0) {
      return made;
    }
    made += piece;
  }
}

function sentence(random: Random): string {
  const said = Array.from({ length: random.between(5, 14) }, () => random.pick(words)).join(' ');
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. `;
}

function codeLine(random: Random, comments: readonly string[]): string {
  const indent = '  '.repeat(random.between(0, 4));
  const [a, b, c] = [random.pick(names), random.pick(names), random.pick(names)];
  const verb = random.pick(verbs);
  const line = random.pick([
    () => `const ${a} = await ${verb}(${b}, ${random.between(0, 4096)});`,
    () => `if (${a}.length > ${b}.${c}) {`,
    () => `throw new TypeError("${a} must be a ${b} (got " + typeof ${c} + ")");`,
    () => `return ${a}.map((${b}) => ${b}.${c} ?? null);`,
    () => `// ${random.pick(comments)}`,
    () => `for (const ${a} of ${b}.entries()) {`,
    () => `expect(${verb}("${a}/${b}.ts")).toEqual({ ${c}: ${random.between(0, 99)} });`,
    () => `}`,
    () => ``,
  ])();
  return `${line === '' ? '' : indent}${line}\n`;
}

/** What a model sends to write a file: two short members and one long one. */
function code(seed: number, bytes: number, comments: readonly string[]): string {
  const random = new Random(seed);
  const content = pieces(bytes - 64, () => codeLine(random, comments));
  return exactly(bytes, (filler) =>
    JSON.stringify({ path: `src/${filler}.ts`, mode: 'write', content }),
  );
}

/** What each code unit beyond ASCII is as an escape, which is how some servers write all of them. */
function escaped(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function tiny(seed: number): string {
  const random = new Random(seed);
  const [file, line] = [random.pick(verbs), random.between(1, 999)];
  return exactly(32, (filler) => JSON.stringify({ path: `${file}${filler}.ts`, line }));
}

/**
 * As many members and strings as calls of this length have in public sets of tool calls: seven or
 * eight, and eleven to fifteen.
 */
function small(seed: number): string {
  const random = new Random(seed);
  const path = `src/${random.pick(names)}/${random.pick(verbs)}.ts`;
  const pattern = `${random.pick(verbs)}("${random.pick(names)}`;
  const replace = `${random.pick(names)}.length`;
  const [line, lines] = [random.between(1, 400), random.between(1, 80)];
  const flags = ['global', random.pick(['word', 'line', 'case'])];
  const why = sentence(random).slice(0, 20);
  return exactly(200, (filler) =>
    JSON.stringify({ path, line, lines, regex: false, flags, pattern, replace, why: why + filler }),
  );
}

function prose(seed: number, bytes: number): string {
  const random = new Random(seed);
  const body = pieces(bytes - 64, () => sentence(random));
  return exactly(bytes, (filler) => JSON.stringify({ to: 'editor', subject: filler, body }));
}

interface Row {
  id: number;
  x: number;
  ok: boolean;
  tag: string;
  at: number[] | null;
}

function row(random: Random): Row {
  return {
    id: random.between(0, 99_999),
    x: random.between(-999, 999) / 10,
    ok: random.chance(0.5),
    tag: random.pick(names),
    at: random.chance(0.2) ? null : [random.between(0, 9), random.between(0, 9)],
  };
}

function dense(seed: number, bytes: number): string {
  const random = new Random(seed);
  const rows = items(bytes - 64, () => row(random));
  return exactly(bytes, (filler) => JSON.stringify({ rows, note: filler }));
}

function pretty(seed: number, bytes: number): string {
  const random = new Random(seed);
  // Inside the object each line stands one step further in.
  const rows = items(bytes - 64, () => [row(random)], 2).flat();
  return exactly(bytes, (filler) => JSON.stringify({ rows, note: filler }, null, 2));
}

function numbers(seed: number, bytes: number): string {
  const random = new Random(seed);
  const values = items(bytes - 64, () =>
    random.chance(0.4)
      ? random.between(-1e9, 1e9)
      : (random.next() - 0.5) * random.pick([1e-8, 1e-4, 1, 1e4, 1e8]),
  );
  return exactly(bytes, (filler) => JSON.stringify({ values, note: filler }));
}

function cjk(seed: number, bytes: number): string {
  const random = new Random(seed);
  const content = pieces(bytes - 64, () => `${random.pick(chinese)}，`);
  return exactly(bytes, (filler) => JSON.stringify({ path: `${filler}.md`, content }));
}

function fenced(seed: number): string {
  return `\`\`\`json\n${small(seed)}\n\`\`\``;
}

function double(seed: number): string {
  return JSON.stringify(code(seed, 2 * KIB, plainRemarks));
}

function fixture(name: string, title: string, texts: Texts, plain = true): Fixture {
  return { name, title, texts, bytes: sizeOf(texts[0]), plain };
}

/** So many texts of one shape, from seeds that follow one another. */
function several(count: number, seed: number, make: (seed: number) => string): Texts {
  const more = Array.from({ length: count - 1 }, (_, index) => make(seed + 1 + index));
  return [make(seed), ...more];
}

/** The texts of the requirements. */
export const required = {
  tiny: fixture('tiny', '32 B', several(16, 100, tiny)),
  small: fixture('small', '200 B', several(16, 200, small)),
  code: fixture('code', '20 KB code', [code(300, 20 * KIB, remarks)]),
  ascii: fixture('ascii', '20 KB code, ASCII', [code(300, 20 * KIB, plainRemarks)]),
  prose: fixture('prose', '20 KB prose, ASCII', [prose(400, 20 * KIB)]),
  dense: fixture('dense', '138 KB small values', [dense(500, 138 * KIB)]),
} as const;

/** Other shapes that models send, each hard for somebody. */
export const others = {
  escaped: fixture('escaped', '21 KB code, \\u escapes', [escaped(code(300, 20 * KIB, remarks))]),
  pretty: fixture('pretty', '20 KB pretty-printed', [pretty(600, 20 * KIB)]),
  cjk: fixture('cjk', '20 KB Chinese', [cjk(700, 20 * KIB)]),
  numbers: fixture('numbers', '20 KB numbers', [numbers(800, 20 * KIB)]),
  fenced: fixture('fenced', '212 B in a fence', several(16, 900, fenced), false),
  double: fixture('double', '2 KB encoded twice', several(4, 1000, double), false),
} as const;

/** All of them. */
export const fixtures: readonly Fixture[] = [...Object.values(required), ...Object.values(others)];

/** From here on a string is long: longer than keys, names and words are. */
const LONG_STRING = 32;

/** Whether most of a JSON text lies in long strings. */
export function isStringHeavy(text: string): boolean {
  const strings = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  const long = strings.filter((string) => string.length >= LONG_STRING);
  return long.reduce((sum, string) => sum + string.length, 0) > text.length / 2;
}

/** A text in pieces of so many characters (UTF-16 units), as a model streams it. */
export function fragmentsOf(text: string, units: number): string[] {
  return Array.from({ length: Math.ceil(text.length / units) }, (_, index) =>
    text.slice(index * units, (index + 1) * units),
  );
}

/** An object of exactly `bytes` bytes, made of code texts: for what is measured over many sizes. */
export function longText(bytes: number): string {
  const [part] = required.code.texts;
  const parts = Array.from({ length: Math.floor((bytes - 64) / (sizeOf(part) + 1)) }, () => part);
  return exactly(bytes, (filler) => `{"parts":[${parts.join(',')}],"filler":"${filler}"}`);
}
