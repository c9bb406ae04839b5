// Texts for the properties: valid, nearly valid, wrapped, cut off, and made to be hard.

import * as fc from 'fast-check';

/** How often each property is tried; `FC_RUNS` for more, or for a quick look. */
export const runs = Number(process.env['FC_RUNS'] ?? 250);

const blank = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n  ');
const trimmed = fc.constantFrom('', '', ' ', '\n\n', '\u{b}', '\u{85}', '\u{a0}', '\u{2028}\t');

const stringPiece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(
    'plain text and some more',
    ...'a { } [ ] : , ``` \u{7f} \u{85} \u{2028} \u{feff} \u{fffd} \u{ffff} \u{10ffff} é 日本 🚀'.split(
      ' ',
    ),
    ...String.raw`\" \\ \/ \n \u0041 \u00e9 \uD83D\uDE00 \u0000`.split(' '),
  ),
);

const stringLiteral = fc
  .array(stringPiece, { maxLength: 5 })
  .map((pieces) => `"${pieces.join('')}"`);

const key = fc.oneof(
  { weight: 4, arbitrary: stringLiteral },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"__proto__"', '"constructor"', '"toJSON"', '"length"', '"10"'),
  },
);

const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    `1${'0'.repeat(308)}`,
    '1.7976931348623157e308',
    ...'0 -0 0.0 1e5 1E+5 -1.5e-10 1e-400 0e999999 9007199254740993 18446744073709551616'.split(
      ' ',
    ),
  ),
);

const json = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(number, stringLiteral, fc.constantFrom('true', 'false', 'null')),
    tie('object'),
    fc
      .array(fc.tuple(blank, tie('value'), blank), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item.join('')).join(',') || ' '}]`),
  ),
  object: fc
    .array(fc.tuple(blank, key, blank, blank, tie('value'), blank), { maxLength: 4 })
    .map(
      (members) =>
        `{${members.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`).join(',')}}`,
    ),
}));

/** A text that is one JSON object. */
export const objectText: fc.Arbitrary<string> = json.object;

const fence = fc.constantFrom('```', '```json', '```json ', '```JSON5 title', '``` \n');
const prose = fc.constantFrom(
  '',
  'Here: ',
  'The call is\n\n',
  '"',
  '[',
  'a "b" c: ',
  '\u{feff}',
  '`',
);

/** An object, and a text in which the rule finds it, whatever it has to undo for that. */
export interface Wrapped {
  readonly object: string;
  readonly text: string;
}

/** Puts an object's text into another. */
function wrap(before: fc.Arbitrary<string>, behind: fc.Arbitrary<string>): fc.Arbitrary<Wrapped> {
  return fc
    .tuple(before, objectText, behind)
    .map(([open, object, close]) => ({ object, text: open + object + close }));
}

const fenceBefore = fc
  .tuple(trimmed, fence, fc.constantFrom('', '\n', '\n\n  '))
  .map((parts) => parts.join(''));
const fenceBehind = fc.tuple(blank, trimmed).map(([gap, around]) => `${gap}\`\`\`${around}`);

export const wrapped: fc.Arbitrary<Wrapped> = fc.oneof(
  objectText.map((object) => ({ object, text: object })),
  wrap(trimmed, trimmed),
  wrap(fenceBefore, fenceBehind),
  wrap(prose, prose),
  fc.tuple(wrap(trimmed, trimmed), trimmed).map(([{ object, text }, around]) => ({
    object,
    text: around + JSON.stringify(text) + around,
  })),
);

const wrappedText = wrapped.map(({ text }) => text);

const token = fc.constantFrom(
  ...'{ } [ ] " \\ : , \\" {"a": }{ 1 - . e + 0 true nul 1e999 "a" // \' ` ``` é 🚀'.split(' '),
  ...String.raw`\u \ud83d \udc00 \uZ`.split(' '),
  ...['\n', '\u{0}', '\u{a0}', '\u{feff}', '\u{fffd}', ' '].values(),
);

const mutatedText = fc
  .tuple(
    wrappedText,
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.option(token, { nil: '' })), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([text, edits]) => {
    let edited = Array.from(text);
    for (const [place, removed, added] of edits) {
      edited = edited.toSpliced(place % (edited.length + 1), removed, added);
    }
    return edited.join('');
  });

const cutText = fc
  .tuple(fc.oneof(wrappedText, mutatedText), fc.nat())
  .map(([text, place]) => text.slice(0, place % (text.length + 1)));

const tokenText = fc.array(token, { maxLength: 14 }).map((tokens) => tokens.join(''));

const halvedText = fc
  .tuple(fc.oneof(wrappedText, mutatedText), fc.nat(), fc.constantFrom('\u{d800}', '\u{dc00}'))
  .map(([text, place, half]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + half + text.slice(at);
  });

/** Any text that a model might send, or an enemy. May hold unpaired surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: wrappedText },
  { weight: 4, arbitrary: mutatedText },
  { weight: 2, arbitrary: cutText },
  { weight: 2, arbitrary: tokenText },
  { weight: 1, arbitrary: halvedText },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
);

/** Any text, as bytes that need not be UTF-8. */
export const anyBytes: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    anyText,
    fc.array(
      fc.tuple(fc.nat(), fc.nat({ max: 1 }), fc.constantFrom(0xff, 0xc3, 0xe2, 0xed, 0xf0, 0x80)),
      {
        maxLength: 2,
      },
    ),
  )
  .map(([text, edits]) => {
    let bytes = [...Buffer.from(text)];
    for (const [place, removed, added] of edits) {
      bytes = bytes.toSpliced(place % (bytes.length + 1), removed, added);
    }
    return Uint8Array.from(bytes);
  });

/** Places at which a text is cut, for any length: scale them with {@link placesIn}. */
export const anyPlaces: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(), { maxLength: 6 });

export function placesIn(text: { readonly length: number }, places: readonly number[]): number[] {
  return places.map((place) => place % (text.length + 1));
}
