// Reports: every kind, word for word, with every stop signal and every limit of the echo.

import { describe, expect, it } from 'vitest';

import { createScanner, parseToolArguments } from '../src/index.js';
import type { Outcome, Reported, StopSignal } from '../src/index.js';
import { feedAll, units } from './support/drive.js';

const again = 'Call `t` again with a single JSON object that matches its parameters.';
const smaller = 'Nothing was run. Make a smaller call that fits the limit.';
const repeat = 'Nothing was run. Make the call again.';

function reported(outcome: Outcome): Reported {
  expect(outcome.status).toBe('reported');
  return outcome as Reported;
}

describe('the message of each kind', () => {
  const rows: readonly (readonly [string | Uint8Array, string, string])[] = [
    [
      '{"a":',
      'truncated',
      'were not valid JSON (EOF while parsing a value at line 1 column 5). Received: {"a":',
    ],
    [
      Buffer.from('{"a":"é').subarray(0, 7),
      'truncated',
      'were not valid UTF-8 (the text ended inside a character). Received: {"a":"\u{fffd}',
    ],
    ['[]', 'not-object', 'were not valid JSON (expected a JSON object). Received: []'],
    [
      '"x"',
      'not-object',
      'were not valid JSON (expected a JSON object, got a string). Received: "x"',
    ],
    [
      '{"a":x}',
      'malformed',
      'were not valid JSON (expected value at line 1 column 6). Received: {"a":x}',
    ],
    [
      Buffer.of(0x20, 0x7b, 0xc3, 0x28),
      'invalid-utf8',
      'were not valid UTF-8 (invalid sequence at byte 2). Received: {\u{fffd}(',
    ],
  ];

  it.each(rows)('%j', (raw, kind, line) => {
    const outcome = reported(parseToolArguments('t', raw));
    expect(outcome.kind).toBe(kind);
    expect(outcome.message).toBe(`The arguments for \`t\` ${line}\n${again}`);
    expect(outcome.reason).toBe(/\((.*?)\)\. Received/.exec(line)![1]);
    expect(outcome.echo).toBe(/Received: (.*)$/.exec(line)![1]);
    expect(outcome.replay).toBe(JSON.stringify({ INVALID_JSON: outcome.echo }));
  });

  it('of what is no text, without an echo', () => {
    const outcome = reported(parseToolArguments('t', 12));
    expect(outcome.message).toBe(
      `The arguments for \`t\` were not text or an object (got a number).\n${again}`,
    );
    expect(outcome).toMatchObject({ echo: '', replay: '{"INVALID_JSON":""}', error: null });
  });

  it('of what is too large', () => {
    const outcome = reported(parseToolArguments('t', '{"a":"bcd"}', { maxBytes: 8 }));
    expect(outcome.message).toBe(
      `The arguments for \`t\` were too large (more than 8 bytes). Received: {"a":"bcd"}\n${again}`,
    );
    expect(outcome.error).toEqual({
      code: 'too-large',
      reason: 'more than 8 bytes',
      offset: 8,
      line: 0,
      column: 0,
    });
  });

  it('keeps the text as it is, line breaks and all, in the middle of the first line', () => {
    const text = ' \n{\n  "a": 1,\n}\n';
    expect(reported(parseToolArguments('t', text)).message).toBe(
      'The arguments for `t` were not valid JSON (trailing comma at line 3 column 1). ' +
        `Received: {\n  "a": 1,\n}\n${again}`,
    );
  });
});

describe('invalid UTF-8, then size, win over everything else', () => {
  const invalid = Buffer.from([0x7b, 0x7d, 0x7d, 0x7d, 0xff]);

  it.each(['finished', 'length', 'interrupted'] as const)('with the stop signal %s', (stop) => {
    for (const maxBytes of [0, 3, 100]) {
      expect(parseToolArguments('t', invalid, { maxBytes, stop })).toMatchObject({
        kind: 'invalid-utf8',
        reason: 'invalid sequence at byte 4',
      });
      expect(parseToolArguments('t', invalid.subarray(0, 4), { maxBytes, stop })).toMatchObject({
        kind: maxBytes < 4 ? 'too-large' : 'malformed',
      });
    }
    expect(parseToolArguments('t', '{}', { maxBytes: 1, stop }).status).toBe('reported');
  });

  it('the verdict is malformed, and says so as soon as they come', () => {
    const scanner = feedAll(['{"a":1}'], { maxBytes: 8 });
    expect(scanner.verdict).toBe('complete');
    scanner.feed(Buffer.of(0xc3));
    expect(scanner.verdict).toBe('incomplete');
    scanner.feed(Buffer.of(0xc3));
    expect(scanner.verdict).toBe('malformed');
    expect(scanner.error).toMatchObject({ code: 'invalid-utf8', offset: 7 });
    const large = feedAll(['{"a":1}'], { maxBytes: 7 });
    expect(large.verdict).toBe('complete');
    large.feed(' ');
    expect(large.verdict).toBe('malformed');
    expect(large.span).toBeNull();
    expect(large.error).toMatchObject({
      code: 'too-large',
      reason: 'more than 7 bytes',
      offset: 7,
    });
  });

  it('a sequence cut at the end counts against the size, and is truncated below it', () => {
    const cut = Buffer.from('{"é').subarray(0, 3);
    expect(parseToolArguments('t', cut, { maxBytes: 3 })).toMatchObject({ kind: 'truncated' });
    expect(parseToolArguments('t', cut, { maxBytes: 2 })).toMatchObject({ kind: 'too-large' });
  });

  it('a sequence cut at the end of what is malformed already changes nothing', () => {
    expect(parseToolArguments('t', Buffer.of(0x7b, 0x78, 0xc3))).toMatchObject({
      kind: 'malformed',
      reason: 'key must be a string at line 1 column 2',
      echo: '{x\u{fffd}',
    });
  });
});

describe('the stop signal', () => {
  const cutOff = {
    length: 'were not complete (the output was cut off by the token limit)',
    interrupted: 'were not complete (the stream ended before the call was complete)',
  } as const;
  const hint = { length: smaller, interrupted: repeat } as const;

  it.each([
    ['', '{}'],
    ['  ', '{}'],
    ['{"a":1}', '{"a":1}'],
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['so {"a":1}', '{"a":1}'],
    ['"{\\"a\\":1} "', '{"a":1}'],
    ['[1]', null],
    ['12', null],
    ['"x"', null],
    ['"{"', null],
    ['[{},{}]', null],
  ])('%j was acceptable or of the wrong shape: the line is about the cut', (text, object) => {
    for (const stop of ['length', 'interrupted'] as const) {
      const outcome = reported(parseToolArguments('t', text, { stop }));
      const echo = text.trim();
      expect(outcome).toEqual({
        status: 'reported',
        name: 't',
        kind: 'truncated',
        reason: /\((.*)\)/.exec(cutOff[stop])![1],
        message: `The arguments for \`t\` ${cutOff[stop]}. Received: ${echo}\n${again}\n${hint[stop]}`,
        error: null,
        echo,
        replay: object ?? JSON.stringify({ INVALID_JSON: echo }),
      });
      expect(feedAll(units(text)).finish('t', stop)).toEqual(outcome);
    }
  });

  it.each([
    ['{"a":', 'EOF while parsing a value at line 1 column 5'],
    ['{"a":1', 'EOF while parsing an object at line 1 column 6'],
    ['hello', 'expected value at line 1 column 1'],
    ['[1,', 'EOF while parsing a value at line 1 column 3'],
    ['see {"a"', 'expected value at line 1 column 1'],
  ])('%j could have become something: truncated, for the reason that it has', (text, reason) => {
    for (const stop of ['length', 'interrupted'] as const) {
      const outcome = reported(parseToolArguments('t', text, { stop }));
      expect(outcome).toMatchObject({ kind: 'truncated', reason });
      expect(outcome.message).toBe(
        `The arguments for \`t\` were not valid JSON (${reason}). Received: ${text}\n${again}\n${hint[stop]}`,
      );
    }
  });

  it.each(['{"a":x}', '{"a":1}}', '{}{}', "{'a"])('%j stays malformed', (text) => {
    const outcome = reported(parseToolArguments('t', text));
    expect(outcome.kind).toBe('malformed');
    for (const stop of ['length', 'interrupted'] as const) {
      expect(parseToolArguments('t', text, { stop })).toEqual(outcome);
    }
  });

  it('the advice can be left out', () => {
    for (const text of ['', '{}', '{"a":', 'x']) {
      for (const stop of ['length', 'interrupted'] as const) {
        const full = reported(parseToolArguments('t', text, { stop }));
        const short = reported(parseToolArguments('t', text, { stop, stopHint: false }));
        expect(full.message).toBe(`${short.message}\n${hint[stop]}`);
        expect(short.message.endsWith(again)).toBe(true);
        expect({ ...short, message: '' }).toEqual({ ...full, message: '' });
      }
    }
  });

  it('finished is what is meant where nothing is said', () => {
    for (const text of ['', '{}', '{"a":', 'x', '[1]']) {
      const outcome = parseToolArguments('t', text, { stop: 'finished' });
      expect(outcome).toEqual(parseToolArguments('t', text));
      expect(outcome).toEqual(parseToolArguments('t', text, { stop: undefined }));
      expect(feedAll([text]).finish('t', undefined as unknown as StopSignal)).toEqual(outcome);
    }
  });
});

describe('the echo', () => {
  it('is the first 500 characters of the trimmed text, and … only where there are more', () => {
    for (const character of ['x', 'é', '日', '🚀']) {
      for (const count of [499, 500, 501, 2000]) {
        const text = ` \n${character.repeat(count)}\u{a0} `;
        const echo = character.repeat(Math.min(count, 500));
        for (const raw of [text, Buffer.from(text)]) {
          const outcome = reported(parseToolArguments('t', raw));
          expect(outcome.echo).toBe(echo);
          expect(outcome.message).toContain(`Received: ${echo}${count > 500 ? '…' : ''}\n`);
          const light = feedAll(units<string | Uint8Array>(raw), { keepText: false });
          expect(light.report('t')).toEqual(outcome);
        }
      }
    }
  });

  it('counts scalar values, not what a reader sees as one', () => {
    const text = '👨‍👩‍👧é'.repeat(300);
    const { echo } = reported(parseToolArguments('t', text));
    expect(Array.from(echo)).toHaveLength(500);
    expect(text.startsWith(echo)).toBe(true);
  });

  it.each([0, 1, 2, 7, Infinity])('is as long as echoLimit %s says', (echoLimit) => {
    const text = '{"a":"日🚀"';
    for (const raw of [text, Buffer.from(text)]) {
      const outcome = reported(parseToolArguments('t', raw, { echoLimit }));
      const characters = Array.from(text);
      const echo = characters.slice(0, echoLimit).join('');
      expect(outcome.echo).toBe(echo);
      const more = characters.length > echoLimit ? '…' : '';
      expect(outcome.message).toBe(
        'The arguments for `t` were not valid JSON (EOF while parsing an object at line 1 column 14).' +
          `${echoLimit === 0 ? '' : ` Received: ${echo}${more}`}\n${again}`,
      );
      expect(outcome.replay).toBe(JSON.stringify({ INVALID_JSON: echo }));
      for (const keepText of [true, false]) {
        const scanner = feedAll(units<string | Uint8Array>(raw), { keepText, echoLimit }, true);
        expect(scanner.report('t')).toEqual(outcome);
      }
    }
  });

  it('of a text beyond its limit is still its beginning', () => {
    const text = `  {"a":"${'é'.repeat(3000)}"}`;
    const expected = reported(parseToolArguments('t', text, { maxBytes: 100 }));
    expect(expected.echo).toBe(text.slice(2, 502));
    for (const keepText of [true, false]) {
      for (const fragments of [[text], units(text), units(Buffer.from(text))]) {
        const scanner = feedAll(fragments, { keepText, maxBytes: 100 });
        const { error, ...report } = scanner.report('t')!;
        const { error: known, ...rest } = expected;
        expect(report).toEqual(rest);
        expect({ ...error, offset: 0 }).toEqual({ ...known, offset: 0 });
      }
    }
  });

  it('never ends in half a character, whatever the text is made of', () => {
    for (const text of ['🚀', 'a\u{d83d}', '\u{de80}\u{d83d}', '\u{d83d}\u{d83d}\u{de80}']) {
      for (const echoLimit of [1, 2, 3]) {
        const outcome = reported(parseToolArguments('t', text.repeat(3), { echoLimit }));
        expect(outcome.echo.isWellFormed()).toBe(true);
        expect(Array.from(outcome.echo)).toHaveLength(echoLimit);
        expect(outcome.message.isWellFormed()).toBe(true);
      }
    }
  });

  it('is nothing where nothing is kept', () => {
    const scanner = createScanner({ keepText: false, echoLimit: 0 });
    scanner.feed('{"a":');
    expect(scanner.report('t')).toMatchObject({
      echo: '',
      replay: '{"INVALID_JSON":""}',
      message: `The arguments for \`t\` were not valid JSON (EOF while parsing a value at line 1 column 5).\n${again}`,
    });
  });
});

describe('the replay', () => {
  it('of a scanner is the object only where the text is kept', () => {
    for (const text of ['{"a":1}', 'so {"a":1}', '"{\\"a\\":1}"']) {
      const kept = feedAll(units(text));
      expect(kept.report('t', 'length')).toEqual(kept.finish('t', 'length'));
      expect(kept.report('t', 'length')).toMatchObject({ replay: '{"a":1}' });
      const light = feedAll(units(text), { keepText: false });
      expect(light.report('t', 'length')).toEqual({
        ...kept.report('t', 'length'),
        replay: JSON.stringify({ INVALID_JSON: text }),
      });
    }
  });

  it('is the object where the rule finds one, and the call was only cut off', () => {
    const outcome = reported(
      parseToolArguments('t', 'so: {"a": 1, "b":\t2} …', { stop: 'length' }),
    );
    expect(outcome.replay).toBe('{"a": 1, "b":\t2}');
  });

  it('is always a JSON object that providers accept, whatever the text', () => {
    for (const text of [
      '"',
      '\\',
      '\u{0}',
      '{"a":"\n',
      '\u{d800}',
      '{"__proto__":',
      'x\u{2028}x',
    ]) {
      const { replay, echo } = reported(parseToolArguments('t', text));
      expect(JSON.parse(replay)).toEqual({ INVALID_JSON: echo });
      expect(replay.isWellFormed()).toBe(true);
      expect(parseToolArguments('t', replay)).toMatchObject({ status: 'accepted', repair: 'none' });
    }
  });
});
