// The cases and recordings that ship with the project, against what serde_json decided about them.

import { describe, expect, it } from 'vitest';

import { ArgumentsError, check, createScanner, parse, parseToolArguments } from '../src/index.js';
import type { Outcome } from '../src/index.js';
import { feedAll, units } from './support/drive.js';
import type { Fragment } from './support/drive.js';
import { decisionRows, fieldReports, recordingRows, verdictRows } from './support/fixtures.js';
import type { DecisionRow } from './support/fixtures.js';

type Decision = Omit<DecisionRow, 'case' | 'name' | 'raw'>;

/** Holds an outcome against a row, which has either a message or a value. */
function expectDecision(outcome: Outcome, row: Decision, about: string): void {
  if (row.message !== undefined) {
    expect(outcome, about).toMatchObject({
      status: 'reported',
      message: row.message,
      reason: row.first_err,
    });
    return;
  }
  expect(outcome, about).toMatchObject({ status: 'accepted' });
  const { repair, value } = outcome as Outcome & { status: 'accepted' };
  expect(value, about).toEqual(row.value);
  expect(repairs[row.repair ?? 'none'], about).toContain(repair);
}

/** What the files call `span` is a fence or prose; no text at all they do not tell apart. */
const repairs: Readonly<Record<string, readonly string[]>> = {
  none: ['none', 'empty'],
  span: ['fence', 'prose'],
  'double-encoding': ['double-encoding'],
};

describe('cases/decisions.jsonl: decision and message are serde_json’s', () => {
  const ways: readonly (readonly [string, (row: DecisionRow) => Outcome])[] = [
    ['a string', ({ name, raw }) => parseToolArguments(name, raw)],
    ['bytes', ({ name, raw }) => parseToolArguments(name, Buffer.from(raw))],
    ['one unit after the other', ({ name, raw }) => feedAll(units(raw)).finish(name)],
    [
      'one byte after the other, looked at',
      ({ name, raw }) => feedAll(units(Buffer.from(raw)), {}, true).finish(name),
    ],
  ];

  it('there are over a thousand', () => {
    expect(decisionRows.length).toBeGreaterThan(1000);
    expect(decisionRows.filter(({ message }) => message === undefined).length).toBeGreaterThan(100);
  });

  it.each(ways)('as %s', (_, decide) => {
    for (const row of decisionRows) {
      expectDecision(decide(row), row, `${row.case}: ${row.raw.slice(0, 200)}`);
    }
  });

  it('thrown by parse, without the name', () => {
    for (const row of decisionRows) {
      if (row.message === undefined) {
        expect(parse(row.raw), row.case).toEqual(row.value);
        continue;
      }
      const expected = row.message.split('\nCall `')[0]!.replace(` for \`${row.name}\``, '');
      let error: unknown;
      try {
        // What JSON.parse alone accepts is the one exception.
        expect(parse(row.raw), row.case).toEqual(JSON.parse(row.raw));
      } catch (caught) {
        error = caught;
      }
      if (error !== undefined) {
        expect(error, row.raw).toBeInstanceOf(ArgumentsError);
        expect((error as ArgumentsError).message, row.raw).toBe(expected);
      }
    }
  });
});

describe('cases/verdicts.jsonl: the verdict after every character', () => {
  const letters = { empty: 'c', complete: 'c', incomplete: 'o', malformed: 'd' } as const;
  const ways: readonly (readonly [string, (character: string) => Fragment])[] = [
    ['strings', (character) => character],
    ['bytes', (character) => Buffer.from(character)],
  ];

  it.each(ways)('fed as %s', (_, fragment) => {
    expect(verdictRows.length).toBeGreaterThan(400);
    for (const { raw, states } of verdictRows) {
      const scanner = createScanner({ keepText: false, echoLimit: 0 });
      let seen: string = letters[scanner.verdict];
      for (const character of raw) {
        scanner.feed(fragment(character));
        seen += letters[scanner.verdict];
      }
      expect(seen, raw).toBe(states);
    }
  });

  it('of every prefix as a whole', () => {
    for (const { raw, states } of verdictRows) {
      const characters = Array.from(raw);
      let seen = '';
      for (let end = 0; end <= characters.length; end++) {
        seen += letters[check(characters.slice(0, end).join('')).verdict];
      }
      expect(seen, raw).toBe(states);
    }
  });
});

describe('cases/reports.jsonl: failures seen in the field', () => {
  const rows = fieldReports.filter(({ input_form: form }) => form !== 'events');

  it('most of them are about text', () => {
    expect(rows.length).toBeGreaterThan(40);
  });

  it.each(rows.map((row) => [row.id, row.title, row] as const))('%s: %s', (_, __, row) => {
    const input = row.input_form === 'null' ? null : row.input;
    const outcomes =
      row.input_form === 'fragments'
        ? [
            feedAll(input as string[]).finish('tool'),
            feedAll(input as string[], {}, true).finish('tool'),
            parseToolArguments('tool', (input as string[]).join('')),
          ]
        : [parseToolArguments('tool', input)];
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject(row.default);
      if (outcome.status === 'accepted') {
        expect(outcome.value).toEqual(row.default['value']);
      }
    }
  });
});

describe('recordings: calls of small models, fragment by fragment as they were streamed', () => {
  it('decision and message are those recorded, which were made without the stop signal', () => {
    expect(recordingRows.length).toBeGreaterThan(400);
    for (const row of recordingRows) {
      expectDecision(feedAll(row.fragments).finish(row.tool), row, row.id);
      const bytes = row.fragments.map((fragment) => Buffer.from(fragment));
      expectDecision(feedAll(bytes, {}, true).finish(row.tool), row, row.id);
      expectDecision(parseToolArguments(row.tool, row.fragments.join('')), row, row.id);
    }
  });

  it('with the signal, none that the token limit cut is run', () => {
    let kept = 0;
    for (const { id, tool, stop, fragments, value } of recordingRows) {
      const scanner = feedAll(fragments);
      if (stop === 'length') {
        const outcome = scanner.finish(tool, 'length');
        expect(outcome.status, id).toBe('reported');
        if (value !== undefined) {
          // The text looked whole: only the signal says that it may not be.
          kept++;
          expect(outcome, id).toMatchObject({
            kind: 'truncated',
            reason: 'the output was cut off by the token limit',
            replay: (scanner.finish(tool) as { text?: string }).text,
          });
        }
      }
    }
    expect(kept).toBeGreaterThan(10);
  });

  it('a verdict once malformed stays so, and its error is the report’s', () => {
    let hopeless = 0;
    for (const { id, tool, fragments } of recordingRows) {
      const scanner = createScanner({ keepText: false });
      let seen = false;
      for (const fragment of fragments) {
        scanner.feed(fragment);
        expect(seen && scanner.verdict !== 'malformed', id).toBe(false);
        seen = scanner.verdict === 'malformed';
      }
      if (seen && scanner.error !== null) {
        hopeless++;
        const report = scanner.report(tool);
        if (report?.kind === 'malformed') {
          expect(report.error, id).toEqual(scanner.error);
        }
      }
    }
    expect(hopeless).toBeGreaterThan(50);
  });
});
