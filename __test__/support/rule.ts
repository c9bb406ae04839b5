// Parts of the decision rule in a second wording, made of `JSON.parse` and regular expressions. They
// judge what the tests generate; the full rule is compared with serde_json in `native/`.

import type { Reported, StopSignal } from '../../src/index.js';

/** The white space that is trimmed: Unicode's White_Space, which is neither `trim()` nor `\s`. */
const white = String.raw`[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*`;
const leading = new RegExp(`^${white}`);
const trailing = new RegExp(`${white}$`);
const fenceBefore = new RegExp(`^\`\`\`[^\`{\\n]*(?:\\n${white})?$`);
const fenceBehind = new RegExp(`^${white}\`\`\`$`);

export function trim(text: string): string {
  return text.replace(leading, '').replace(trailing, '');
}

export interface Judgement {
  readonly repair: 'none' | 'empty' | 'fence' | 'prose' | 'double-encoding';
  readonly text: string;
  readonly value: unknown;
}

/** What the rule accepts in a text, or `null`. For texts of a few kilobytes. */
export function judge(raw: string): Judgement | null {
  const text = trim(raw.toWellFormed());
  if (text === '') {
    return { repair: 'empty', text: '{}', value: {} };
  }
  if (isStrictObject(text)) {
    return { repair: 'none', text, value: JSON.parse(text) };
  }
  const content = stringIn(text);
  if (content !== null && isStrictObject(trim(content))) {
    return { repair: 'double-encoding', text: trim(content), value: JSON.parse(trim(content)) };
  }
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}') + 1;
  const object = text.slice(start, end);
  if (start < 0 || end <= start || !isStrictObject(object)) {
    return null;
  }
  const fenced = fenceBefore.test(text.slice(0, start)) && fenceBehind.test(text.slice(end));
  return { repair: fenced ? 'fence' : 'prose', text: object, value: JSON.parse(object) };
}

/** The content of a text that is one JSON string which serde_json accepts. */
function stringIn(text: string): string | null {
  const value = parsed(text);
  return typeof value === 'string' && value.isWellFormed() ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Whether a text is one object to serde_json: to `JSON.parse`, and without lone surrogate escapes,
 * numbers that are infinite, and more than 127 levels.
 */
function isStrictObject(text: string): boolean {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return false;
  }
  let wellFormed = true;
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (literal) => {
    wellFormed &&= (JSON.parse(literal) as string).isWellFormed();
    return '""';
  });
  let depth = 0;
  for (const [mark] of bare.matchAll(/[[\]{}]/g)) {
    depth += mark === '[' || mark === '{' ? 1 : -1;
    if (depth > 127) {
      return false;
    }
  }
  const numbers = bare.match(/-?\d[\d.eE+-]*/g) ?? [];
  return wellFormed && numbers.every((number) => Number.isFinite(Number(number)));
}

/** The first characters of a text, as a message quotes them. */
export function quote(text: string, limit: number): string {
  const characters = Array.from(trim(text.toWellFormed()));
  return characters.slice(0, limit).join('') + (characters.length > limit ? '…' : '');
}

const cutReasons = {
  length: 'the output was cut off by the token limit',
  interrupted: 'the stream ended before the call was complete',
} as const;

const hints = {
  finished: '',
  length: '\nNothing was run. Make a smaller call that fits the limit.',
  interrupted: '\nNothing was run. Make the call again.',
} as const;

/** What a report has to say, written out from the rule's table. `text` is all that was fed. */
export function messageFor(
  report: Reported,
  text: string,
  options: { stop?: StopSignal; echoLimit?: number; stopHint?: boolean } = {},
): string {
  const { stop = 'finished', echoLimit = 500, stopHint = true } = options;
  const { name, kind, reason, error } = report;
  let complaint = {
    truncated: 'not valid JSON',
    'not-object': 'not valid JSON',
    malformed: 'not valid JSON',
    'invalid-utf8': 'not valid UTF-8',
    'unsupported-type': 'not text or an object',
    'too-large': 'too large',
  }[kind];
  if (kind === 'truncated' && error?.code === 'eof-utf8') {
    complaint = 'not valid UTF-8';
  }
  if (kind === 'truncated' && stop !== 'finished' && reason === cutReasons[stop]) {
    complaint = 'not complete';
  }
  const echo =
    kind === 'unsupported-type' || echoLimit === 0 ? '' : ` Received: ${quote(text, echoLimit)}`;
  const hint = kind === 'truncated' && stopHint ? hints[stop] : '';
  return (
    `The arguments for \`${name}\` were ${complaint} (${reason}).${echo}\n` +
    `Call \`${name}\` again with a single JSON object that matches its parameters.${hint}`
  );
}
