// Public data, where there is any: in `../shared/corpora`, or in the folder that `ARGSPAN_CORPORA`
// names. None of it belongs to the project, so without it these tests skip.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { ArgumentsError, check, parse, parseToolArguments } from '../src/index.js';
import { cut, feedAll, told, units } from './support/drive.js';
import { readRows, root } from './support/fixtures.js';
import { judge, messageFor } from './support/rule.js';

const corpora = process.env['ARGSPAN_CORPORA'] ?? path.join(root, '..', 'shared', 'corpora');

/** Tests over one folder, which skip and say so where it is absent. */
function describeFolder(folder: string, tests: (directory: string) => void): void {
  const directory = path.join(corpora, folder);
  const there = existsSync(directory);
  const absent = there ? '' : ' (skipped: the folder is absent; ARGSPAN_CORPORA names another)';
  describe.skipIf(!there)(`${folder}${absent}`, () => {
    if (there) {
      tests(directory);
    } else {
      it('is absent', () => {});
    }
  });
}

interface Row {
  readonly name?: string;
  readonly raw: string;
  readonly deltas?: readonly string[];
  readonly kind?: string;
}

/** Holds one text against the rule in other words, and every way to hand it over. */
function expectAgreement(text: string, about: string): void {
  const whole = told([text]);
  const { outcome } = whole;
  expect(parseToolArguments('tool', text), about).toEqual(outcome);
  expect(check(text), about).toEqual(whole.check);
  const expected = judge(text);
  expect(outcome.status, about).toBe(expected === null ? 'reported' : 'accepted');
  if (outcome.status === 'accepted') {
    const { repair, text: object, value } = outcome;
    expect({ repair, text: object, value }, about).toEqual(expected);
  } else {
    expect(outcome.message, about).toBe(messageFor(outcome, text));
  }
  expect(told(units(text)), about).toEqual(whole);
  const places = [1, 2, 3].map((part) => Math.floor((text.length * part) / 4));
  expect(told(cut(text, places), { look: true }), about).toEqual(whole);
  const bytes = Buffer.from(text);
  const ofBytes = told([bytes]);
  expect(told(units(bytes), { look: true }), about).toEqual(ofBytes);
  expect(ofBytes.outcome, about).toMatchObject({ status: outcome.status, name: 'tool' });
}

describeFolder('JSONTestSuite', (directory) => {
  for (const folder of ['test_parsing', 'test_transform']) {
    const files = readdirSync(path.join(directory, folder)).filter((file) =>
      file.endsWith('.json'),
    );

    it(`${folder}: bytes are decided as their text is, and as JSON.parse decides`, () => {
      expect(files.length).toBeGreaterThan(20);
      for (const file of files) {
        const bytes = readFileSync(path.join(directory, folder, file));
        const text = bytes.toString();
        const outcome = parseToolArguments('tool', bytes);
        expect(told(units(bytes), { look: true }).outcome, file).toEqual(outcome);
        if (!Buffer.from(text).equals(bytes)) {
          expect(['invalid-utf8', 'truncated', 'malformed'], file).toContain(
            outcome.status === 'reported' && outcome.kind,
          );
          continue;
        }
        if (text.length < 5000) {
          expectAgreement(text, file);
        }
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(file).not.toMatch(/^y_/);
          const repair = outcome.status === 'accepted' ? outcome.repair : 'reported';
          expect(repair === 'none' && text.trim() === text, file).toBe(false);
          continue;
        }
        expect(file).not.toMatch(/^n_/);
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          expect(parse(bytes), file).toEqual(value);
          // Those that JSON.parse alone accepts are marked as free to choose.
          expect(outcome.status === 'accepted' || file.startsWith('i_'), file).toBe(true);
        } else if (file.startsWith('y_') && outcome.status === 'reported') {
          expect(outcome.kind, file).toBe('not-object');
        }
      }
    });
  }
});

describe.each(['bfcl', 'tau-bench', 'toolbench'])('calls of models', (folder) => {
  describeFolder(folder, (directory) => {
    const rows = readRows<Row>(path.join(directory, 'args.jsonl'));

    it('an accepted value is what JSON.parse gives, and fragments give what the whole gives', () => {
      expect(rows.length).toBeGreaterThan(500);
      const seen = new Set<string>();
      for (const { raw } of rows) {
        const outcome = parseToolArguments('tool', raw);
        expect(outcome.status, raw).toBe('accepted');
        expect(outcome, raw).toMatchObject({ repair: 'none' });
        const { value } = outcome as { value?: unknown };
        expect(value, raw).toEqual(JSON.parse(raw));
        if (seen.has(raw)) {
          continue;
        }
        seen.add(raw);
        const places = Array.from({ length: 1 + (raw.length >> 2) }, (_, index) => index * 4);
        expect(feedAll(cut(raw, places)).finish('tool'), raw).toEqual(outcome);
        expect(feedAll(cut(Buffer.from(raw), places), {}, true).finish('tool'), raw).toMatchObject({
          status: 'accepted',
          value,
          text: outcome.status === 'accepted' ? outcome.text : '',
        });
      }
    });

    it('cut short, none of them is accepted, and all keep hope', () => {
      for (const { raw } of rows.slice(0, 300)) {
        const text = raw.trim();
        for (const end of [1, text.length >> 1, text.length - 1]) {
          expect(check(text.slice(0, end)), raw).toMatchObject({
            verdict: 'incomplete',
            kind: 'truncated',
          });
        }
      }
    });
  });
});

describe.each(['jsonrepair', 'partial-json'])('texts that others repair or complete', (folder) => {
  describeFolder(folder, (directory) => {
    it('are accepted where the rule finds the one object, and reported else', () => {
      const rows = readRows<Row>(path.join(directory, 'inputs.jsonl'));
      expect(rows.length).toBeGreaterThan(50);
      for (const { raw } of rows) {
        expectAgreement(raw, raw);
      }
    });
  });
});

describeFolder('jsonriver-jsonhead', (directory) => {
  it('every short JSON text is an object, or a whole value that is none', () => {
    const lines = readFileSync(path.join(directory, 'jsonhead.txt'), 'utf8').split('\n');
    const texts = lines.filter((line) => line !== '');
    expect(texts.length).toBeGreaterThan(60_000);
    let objects = 0;
    for (const text of texts) {
      const value: unknown = JSON.parse(text);
      const checked = check(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        objects++;
        if (checked.repair !== 'none' || checked.span?.end !== text.length) {
          expect(checked, text).toMatchObject({
            repair: 'none',
            span: { start: 0, end: text.length },
          });
        }
        continue;
      }
      const expected = judge(text);
      if ((checked.repair ?? 'not') !== (expected?.repair ?? 'not')) {
        expect(checked, text).toMatchObject({ repair: expected?.repair ?? null });
      }
      if (expected === null && checked.kind !== 'not-object') {
        // A brace in a string keeps hope for an object around it.
        expect(checked, text).toMatchObject({ kind: 'truncated', verdict: 'incomplete' });
      }
    }
    expect(objects).toBeGreaterThan(1000);
  });
});

describe.each([
  ['pydantic-ai-sse', 'stream-args.jsonl'],
  ['vercel-ai-chunks', 'args.jsonl'],
])('streams as they were recorded', (folder, file) => {
  describeFolder(folder, (directory) => {
    it('fragment by fragment they give what their whole text gives', () => {
      const rows = readRows<Row>(path.join(directory, file));
      expect(rows.length).toBeGreaterThan(30);
      for (const { name = 'tool', raw, deltas = [] } of rows) {
        expect(deltas.join(''), raw).toBe(raw);
        const outcome = parseToolArguments(name, raw);
        expect(feedAll(deltas, {}, true).finish(name), raw).toEqual(outcome);
        const bytes = deltas.map((delta) => Buffer.from(delta));
        expect(feedAll(bytes).finish(name).status, raw).toBe(outcome.status);
        const expected = judge(raw);
        expect(outcome.status, raw).toBe(expected === null ? 'reported' : 'accepted');
        expect((outcome as { value?: unknown }).value, raw).toEqual(expected?.value);
      }
    });
  });
});

describeFolder('simdjson', (directory) => {
  it.each(['twitter.json', 'example_config.json'])('%s, whole and in network chunks', (file) => {
    const bytes = readFileSync(path.join(directory, file));
    const value: unknown = JSON.parse(bytes.toString());
    expect(parse(bytes)).toEqual(value);
    const outcome = parseToolArguments('tool', bytes);
    expect(outcome).toMatchObject({ status: 'accepted', repair: 'none' });
    const chunks: Uint8Array[] = [];
    for (let start = 0; start < bytes.length; start += 1460) {
      chunks.push(bytes.subarray(start, start + 1460));
    }
    const scanner = feedAll(chunks, {}, true);
    expect(scanner.finish('tool')).toEqual(outcome);
    expect(scanner.finishCheck()).toEqual(check(bytes));
  });
});

describeFolder('jiter-benches', (directory) => {
  it('objects are accepted, everything else is no object', () => {
    for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
      const bytes = readFileSync(path.join(directory, file));
      const value: unknown = JSON.parse(bytes.toString());
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        expect(parse(bytes), file).toEqual(value);
        expect(parseToolArguments('tool', bytes), file).toMatchObject({ repair: 'none' });
      } else if (judge(bytes.toString()) === null) {
        expect(
          thrownBy(() => parse(bytes)),
          file,
        ).toBeInstanceOf(ArgumentsError);
        expect(parseToolArguments('tool', bytes).status, file).toBe('reported');
      }
    }
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
