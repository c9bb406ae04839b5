/**
 * What descriptions say, found by the phrases that people use in English.
 *
 * A phrase that is not known finds nothing: a false alarm teaches people to look away. Every
 * pattern's work is linear, and only so many characters of a text are read.
 */

/** Characters of a description that are read. */
const READ_MAX = 4000;

const quoted = String.raw`'[^'\n]{1,60}'|"[^"\n]{1,60}"|\`[^\`\n]{1,60}\``;
const item = String.raw`(?:${quoted}|[A-Za-z0-9][\w+.-]{0,40})`;
const number = String.raw`-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?`;

/** A text without what it only mentions: examples are no lists and no limits. */
function withoutExamples(text: string): string {
  return text.replaceAll(
    /(?:\be\.g\.?|\bi\.e\.?|\beg\.|\bfor (?:example|instance)\b|\bexamples?\b|\bsuch as\b|\blike\b|\binclud(?:es?|ing)\b)(?:(?!\.\s|\.$)[^;)\n])*/gi,
    '',
  );
}

function readable(text: string): string {
  return text.slice(0, READ_MAX);
}

/** Whether a text is one that these patterns can read: its letters are mostly ASCII. */
export function isReadable(text: string): boolean {
  const letters = readable(text).match(/\p{L}/gu) ?? [];
  const ascii = letters.filter((letter) => letter < '\u0080');
  return letters.length * 0.8 <= ascii.length;
}

/** Whether a tool's description says when to call it. */
export function saysWhen(text: string): boolean {
  return /\b(?:when(?:ever)?|if|before|unless|until|always|never|only|instead of|rather than|useful (?:for|when|to)|use (?:this|it|for)|used (?:for|when)|call (?:this|it)|asks?|wants?|prefer|do not|don't)\b/i.test(
    readable(text),
  );
}

/** Whether a text shows an example. */
export function showsExample(text: string): boolean {
  return /\be\.g\b|\beg\.|\bfor (?:example|instance)\b|\bexamples?\b|\bsuch as\b|\blike ['"`]/i.test(
    readable(text),
  );
}

/** Whether a property's description says what holds where the property is left out. */
export function saysDefault(text: string): boolean {
  return /\bdefault(?:s|ed)?\b|\b(?:if|when|where)\b[^.;]{0,80}\b(?:omit\w*|not (?:given|set|specified|provided|present|supplied)|missing|absent|empty|unset|left out)\b|\b(?:omit(?:ted)?|otherwise|unspecified|leave (?:it )?out)\b/i.test(
    readable(text),
  );
}

/** Whether a description says no more than the name of the tool, in whatever spelling. */
export function onlyRepeats(text: string, name: string): boolean {
  const words = wordsIn(text).filter((word) => !/^(?:an?|the|tool|function|to)$/.test(word));
  const known = wordsIn(name);
  return words.every((word) => known.some((one) => one === word || `${one}s` === word));
}

function wordsIn(text: string): string[] {
  return (
    readable(text)
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

// ---- values

const lead = String.raw`(?:\b(?:one|any) of(?: (?:the following|these))?(?: (?:values|options))?|\b(?:allowed|valid|possible|accepted|supported|permitted|available) (?:values|options|choices|types|formats|modes)(?: are)?|\b(?:values|options|choices)(?: are)?(?=\s*:)|\bchoose (?:from|between)|\beither)`;
const separator = String.raw`\s*(?:,\s*(?:or|and)\s|[,|/]|\s(?:or|and)\s)\s*`;
const end = String.raw`(?=\s*(?:$|[.;:)\]\n(–—]|,\s*default))`;

/** Lists of values: behind words that announce one, in quotes, in parentheses, or with `|`. */
const lists: readonly RegExp[] = [
  new RegExp(String.raw`${lead}\s*:?\s*[([]?\s*(${item}(?:${separator}${item})+)${end}`, 'i'),
  new RegExp(String.raw`((?:${quoted})(?:\s*(?:,\s*or\s|[,|/]|\sor\s)\s*(?:${quoted}))+)`, 'i'),
  new RegExp(String.raw`\(\s*(${item}(?:\s*,\s*${item})*\s*(?:,?\sor\s|\|)\s*${item})\s*\)`, 'i'),
  new RegExp(String.raw`(?<![\w|])(${item}(?:\s*\|\s*${item})+)(?![\w|])`, 'i'),
];

/** The values that a description lists, as it writes them; `null` where it lists none. */
export function listedValues(text: string): string[] | null {
  const read = withoutExamples(readable(text));
  for (const list of lists) {
    const found = list.exec(read)?.[1];
    if (found !== undefined) {
      const values = [...found.matchAll(new RegExp(`${quoted}|[^\\s,|/]+`, 'g'))]
        .map(([value]) => value)
        .filter((value) => value !== 'or' && value !== 'and')
        .map((value) => value.replace(/^(['"`])(.*)\1$/, '$2').replace(/\.$/, ''));
      const distinct = [...new Set(values)];
      return distinct.length < 2 || distinct.every(isTruth) ? null : distinct;
    }
  }
  return null;
}

function isTruth(value: string): boolean {
  return /^(?:true|false|null)$/i.test(value);
}

/** The values among these that a description does not name. */
export function unnamed(text: string, values: readonly unknown[]): string[] {
  const read = readable(text).toLowerCase();
  return values
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((value) => !read.includes(value.toLowerCase()));
}

// ---- ranges

/** An end of a range. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** What a description says about how small and how large a number may be. */
export interface Range {
  readonly minimum: Bound | null;
  readonly maximum: Bound | null;
}

const both = [
  new RegExp(String.raw`\bbetween\s+(${number})\s+and\s+(${number})`, 'i'),
  new RegExp(
    String.raw`(?<![\w.,-])(${number})\s?(?:-|–|—|\.\.\.?|\bto\b|\bthrough\b)\s?(${number})(?![\w-])`,
    'i',
  ),
] as const;

const minimums: readonly (readonly [RegExp, exclusive: boolean])[] = [
  [
    new RegExp(
      String.raw`(?:\bat least|\bno(?:t)? (?:less|smaller|lower) than|\bminimum(?: value)?(?: of| is)?:?|\bmin\.?:?|>=|≥|\b(?:greater|larger|more) than or equal to)\s*(${number})(?!\s*(?:char|letter|item|element))`,
      'i',
    ),
    false,
  ],
  [
    new RegExp(
      String.raw`(?:(?<!\bno |\bnot )\b(?:greater|larger|more|higher) than|\babove|>(?!=))\s*(${number})`,
      'i',
    ),
    true,
  ],
];

const maximums: readonly (readonly [RegExp, exclusive: boolean])[] = [
  [
    new RegExp(
      String.raw`(?:\bat most|\bup to|\bno(?:t)? (?:more|greater|larger|higher) than|\bnot (?:to )?exceed(?:ing)?|\blimited to|\bmaximum(?: value)?(?: of| is)?:?|\bmax\.?:?|<=|≤|\b(?:less|smaller) than or equal to)\s*(${number})`,
      'i',
    ),
    false,
  ],
  [
    new RegExp(
      String.raw`(?:(?<!\bno |\bnot )\b(?:less|smaller|lower|fewer) than|\bbelow|\bunder|<(?!=))\s*(${number})`,
      'i',
    ),
    true,
  ],
];

/** The range that a description of a number states. */
export function statedRange(text: string): Range {
  const read = withoutExamples(readable(text));
  for (const pattern of both) {
    const [, low, high] = pattern.exec(read) ?? [];
    if (low !== undefined && high !== undefined && numberOf(low) < numberOf(high)) {
      return { minimum: bound(low, false), maximum: bound(high, false) };
    }
  }
  return { minimum: firstBound(minimums, read) ?? sign(read), maximum: firstBound(maximums, read) };
}

function firstBound(patterns: readonly (readonly [RegExp, boolean])[], text: string): Bound | null {
  for (const [pattern, exclusive] of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) {
      return bound(found, exclusive);
    }
  }
  return null;
}

function sign(text: string): Bound | null {
  if (/\bnon-?negative\b/i.test(text)) {
    return { value: 0, exclusive: false };
  }
  return /\bpositive (?:integer|number|int\b|value)|\b(?:must|should) be positive\b/i.test(text)
    ? { value: 0, exclusive: true }
    : null;
}

function bound(text: string, exclusive: boolean): Bound {
  return { value: numberOf(text), exclusive };
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
}
