// Continuations of a text that was cut off: one that makes it acceptable, and many that might.
//
// The search is led by the scanner's own verdicts, but what it finds is judged by `judge`.

import { check, createScanner } from '../../src/index.js';
import { judge, trim } from './rule.js';

/** What may be missing of a string before its quote: of an escape, of a pair of escapes. */
const stringEnds = (
  String.raw` n \udc00 udc00 dc00 c00 00 0 000 0000` +
  String.raw` 0\udc00 00\udc00 000\udc00 0000\udc00`
)
  .split(' ')
  .map((end) => `${end}"`);

/** What may be missing of a value, or of a member, before the bracket that follows it. */
const valueEnds =
  ' 0 :0 "":0 rue ue e alse lse se ull ll l .0 -9999 9999 e-9999 0e-9999 00 e0 +0'.split(' ');
const bracketEnds = valueEnds.flatMap((end) => [`${end}}`, `${end}]`]);

/** A text that makes this one acceptable when it follows, or `null` where none was found. */
export function continuationOf(text: string): string | null {
  return inSpan(text) ?? inString(text);
}

/** One that closes the object that starts at the first `{`. */
function inSpan(text: string): string | null {
  let more = '';
  // Every step closes a string or a bracket.
  for (let step = 0; step < 300; step++) {
    const { verdict } = check(text + more);
    if (verdict === 'complete' || verdict === 'empty') {
      return more;
    }
    const { depth, inString: open, objectStart } = stateOf(text + more);
    if (verdict === 'malformed') {
      return null;
    }
    if (objectStart === null) {
      return `${more}{}`;
    }
    const found = (open ? stringEnds : bracketEnds).find((end) => {
      const next = stateOf(text + more + end);
      return next.verdict !== 'malformed' && (open ? !next.inString : next.depth < depth);
    });
    if (found === undefined) {
      return null;
    }
    more += found;
  }
  return null;
}

function stateOf(text: string): {
  readonly verdict: string;
  readonly depth: number;
  readonly inString: boolean;
  readonly objectStart: number | null;
} {
  const scanner = createScanner({ keepText: false, echoLimit: 0 });
  scanner.feed(text);
  const { verdict, depth, inString: open, objectStart } = scanner;
  return { verdict, depth, inString: open, objectStart };
}

/** What may be missing of an escape of the outer string, for any character that it may stand for. */
const escapeEnds = ['', '"', '\\', 'n', '\\udc00', 'udc00', 'dc00', 'c00', '00', '0'].concat(
  Array.from(String.raw`{}[]:,"\0-.e alstrufndc`, (character) => {
    return `u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }),
);

/** One that closes the string that holds the object. */
function inString(text: string): string | null {
  const start = text.indexOf('"');
  for (const end of escapeEnds) {
    let content: unknown;
    try {
      content = JSON.parse(`${text.slice(start)}${end}"`);
    } catch {
      continue;
    }
    if (typeof content !== 'string') {
      continue;
    }
    const inner = continuationOf(content);
    if (inner !== null) {
      const more = `${end}${JSON.stringify(inner).slice(1, -1)}"`;
      if (judge(text + more) !== null) {
        return more;
      }
    }
  }
  return null;
}

/** Ends that have saved texts before: closers of every reading. */
export const closers: readonly string[] = [
  ...String.raw` } ]} "} "]} ":0} 0} :0} e-9999} n"} 00"} 0041"} }} \udc00"} dc00"} {}`.split(' '),
  ...String.raw`" \"}" }" ]}" \" 0}" e-9999}" \":0}" {}" rue} ull} e} }]} ,{} "{}" ,"a":0}`.split(
    ' ',
  ),
  '\n```',
  '}\n```',
  ' }',
];

/** Whether a text ends inside a `\u` escape of an outer string, where a verdict may wait. */
export function mayLag(text: string): boolean {
  return trim(text).startsWith('"') && /\\u[\dA-Fa-f]{0,3}$/.test(text);
}
