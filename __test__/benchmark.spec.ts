// The texts that the benchmark measures with, which must never change unnoticed: figures from
// different texts cannot be compared. Needs nothing that is installed for the benchmark alone.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import {
  fixtures,
  fragmentsOf,
  isStringHeavy,
  longText,
  others,
  required,
  sizeOf,
} from '../benchmark/fixtures.js';
import { replaceResults } from '../benchmark/markdown.js';
import { plot } from '../benchmark/plot.js';
import { Random } from '../benchmark/random.js';
import { type Results, type Row, loses, markOf, reachesAim } from '../benchmark/results.js';
import { median, quartiles } from '../benchmark/statistics.js';
import { check, parse } from '../src/index.js';

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);
}

const hashes: Readonly<Record<string, string>> = {
  tiny: '048853ed7c615a1f',
  small: 'e1898651d377033d',
  code: '220dc8444b07183f',
  ascii: 'fb19d4d9af976683',
  prose: '2ef94e5359b23c5f',
  dense: 'e2a9c3a3686373b7',
  escaped: 'f237ea5bcc875f3e',
  pretty: '8d6aa5315754f3de',
  cjk: 'ed0eaff1388b7571',
  numbers: 'e028fc47a64439a7',
  fenced: 'f2f7bd6a03dfd223',
  double: '59c7cfb9598a34ae',
};

const sizes: Readonly<Record<string, number>> = {
  tiny: 32,
  small: 200,
  code: 20_480,
  ascii: 20_480,
  prose: 20_480,
  dense: 141_312,
};

describe('the texts of the benchmark', () => {
  it.each(fixtures)('$name has the size that its title says, in every text', (fixture) => {
    const { bytes, name, texts } = fixture;
    expect(bytes).toBe(sizes[name] ?? bytes);
    if (name !== 'double') {
      expect(new Set(texts.map(sizeOf))).toEqual(new Set([bytes]));
    }
    const [, number, unit] = /^(\d+) (K?)B/.exec(fixture.title)!;
    expect(Math.round(unit === '' ? bytes : bytes / 1024)).toBe(Number(number));
  });

  it.each(fixtures)('$name is what it was when the figures were taken', ({ name, texts }) => {
    expect(hashOf(texts)).toBe(hashes[name]);
  });

  it.each(fixtures)('$name is accepted, and is an object by itself or in a wrapping', (fixture) => {
    for (const text of fixture.texts) {
      expect(check(text)).toMatchObject({ verdict: 'complete', kind: null });
      if (fixture.plain) {
        expect(check(text).repair).toBe('none');
        expect(parse(text)).toEqual(JSON.parse(text));
      }
    }
    expect(fixture.texts.length & (fixture.texts.length - 1)).toBe(0);
    expect(new Set(fixture.texts).size).toBe(fixture.texts.length);
  });

  it('are in the wrappings that their titles name', () => {
    expect(check(others.fenced.texts[0]).repair).toBe('fence');
    expect(check(others.double.texts[0]).repair).toBe('double-encoding');
  });

  it('are ASCII where their titles say so, and beyond Latin-1 where code has comments', () => {
    for (const { name, texts } of fixtures) {
      // oxlint-disable-next-line no-control-regex -- all of ASCII is meant.
      expect(/^[\u0000-\u007f]*$/.test(texts[0]), name).toBe(!['code', 'cjk'].includes(name));
    }
    const beyond = Array.from(required.code.texts[0]).filter(
      (character) => character > '\u{ff}',
    ).length;
    expect(beyond / required.code.texts[0].length).toBeGreaterThan(0.001);
    expect(beyond / required.code.texts[0].length).toBeLessThan(0.05);
  });

  it('hold as many escapes as code does, and the same value with more of them', () => {
    const escapes = required.ascii.texts[0].match(/\\/g)!.length;
    expect(escapes).toBeGreaterThan(required.ascii.bytes / 50);
    expect(others.escaped.texts[0]).toContain('\\u');
    expect(JSON.parse(others.escaped.texts[0])).toEqual(JSON.parse(required.code.texts[0]));
  });

  it('are known to be mostly long strings or not', () => {
    const heavy = fixtures.filter(({ plain, texts }) => plain && isStringHeavy(texts[0]));
    expect(heavy.map(({ name }) => name)).toEqual(['code', 'ascii', 'prose', 'escaped', 'cjk']);
  });
});

describe('the results', () => {
  function read(file: string): string {
    return readFileSync(new URL(`../benchmark/${file}`, import.meta.url), 'utf8');
  }

  const results = JSON.parse(read('results.json')) as Results;

  it('stand in README.md and in the plot as they were measured', () => {
    expect(replaceResults(read('README.md'), results)).toBe(read('README.md'));
    expect(plot(results)).toBe(read('plot.svg'));
  });

  it('hold every section, and say where they were taken', () => {
    expect(new Set(results.rows.map(({ section }) => section))).toEqual(
      new Set(results.sections.map(({ id }) => id)),
    );
    expect(results.machine.node).toMatch(/^\d+\.\d+\.\d+$/);
    expect(results.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('are marked by what they must reach and aim for, whichever way is good', () => {
    const [row] = results.rows;
    const target = { must: 2, aim: 4 };
    const faster: Row = { ...row!, reading: 'faster', own: 1, other: 3, value: 3, target };
    expect([markOf(faster), reachesAim(faster), loses(faster)]).toEqual(['PASS', false, false]);
    expect(markOf({ ...faster, value: 1.9 })).toBe('MISS');
    const share: Row = { ...faster, reading: 'share', value: 1.2, target: { must: 1.5, aim: 1 } };
    expect([markOf(share), reachesAim(share), loses(share)]).toEqual(['PASS', false, true]);
    expect(reachesAim({ ...share, value: 1 })).toBe(true);
    expect(markOf({ ...share, value: 1.6 })).toBe('MISS');
    expect(markOf({ ...share, target: null })).toBe('');
  });
});

describe('what the benchmark is made with', () => {
  it('cuts a text into fragments that make the text', () => {
    const [text] = required.code.texts;
    const fragments = fragmentsOf(text, 4);
    expect(fragments.join('')).toBe(text);
    expect(new Set(fragments.slice(0, -1).map(({ length }) => length))).toEqual(new Set([4]));
  });

  it('makes long objects of an exact size', () => {
    const text = longText(1 << 18);
    expect(sizeOf(text)).toBe(1 << 18);
    expect(check(text).repair).toBe('none');
  });

  it('draws the same numbers everywhere', () => {
    const random = new Random(1);
    expect([1, 2, 3].map(() => random.between(0, 999_999))).toEqual([627_073, 2735, 527_447]);
  });

  it('takes medians and quartiles between two numbers', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quartiles([5, 1, 2, 3, 4])).toEqual([2, 4]);
  });
});
