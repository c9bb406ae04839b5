// The raw addon: its numbers are what `src/native.ts` takes them for, and no call of it, however
// wrong, does more than throw one plain error.

import { describe, expect, it } from 'vitest';

import loadAddon from '../native/load.cjs';
import { createScanner } from '../src/index.js';
import { oddValues } from './support/odd.js';

type Exports = Record<string, unknown>;
const addon = loadAddon() as Exports;
const functions = Object.entries(addon).filter(
  (entry): entry is [string, (...values: unknown[]) => unknown] => typeof entry[1] === 'function',
);

/** The codes of DESIGN's table, in the order of their numbers. */
const codes = [
  'eof-list',
  'eof-object',
  'eof-string',
  'eof-value',
  'expected-colon',
  'expected-comma-or-bracket',
  'expected-comma-or-brace',
  'expected-ident',
  'expected-value',
  'invalid-escape',
  'invalid-number',
  'number-out-of-range',
  'control-character',
  'key-not-string',
  'lone-surrogate',
  'trailing-comma',
  'trailing-characters',
  'unexpected-end-of-hex-escape',
  'recursion-limit',
  'not-object',
  'string-without-object',
  'eof-utf8',
  'invalid-utf8',
  'too-large',
];

describe('the addon', () => {
  it('names every error code, once', () => {
    const lines = String(addon['errorCodes']).split('\n');
    expect(lines.map((line) => line.split('\t')[0])).toEqual(codes);
    expect(new Set(lines.map((line) => line.split('\t')[1])).size).toBe(codes.length);
  });

  it('is loaded once, whoever asks', () => {
    expect(loadAddon()).toBe(addon);
  });

  it('has functions to call', () => {
    expect(functions.length).toBeGreaterThan(4);
  });

  it.each(functions)(
    '%s, called with nothing and with every odd value, throws at most',
    (name, call) => {
      const said = new Set<string>();
      const attempt = (...values: unknown[]): void => {
        try {
          call(...values);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          said.add((error as Error).message);
        }
      };
      attempt();
      for (const { value } of oddValues()) {
        attempt(value);
        attempt(value, value);
        attempt(value, value, value);
        attempt(value, value, value, value);
        attempt(value, value, value, value, value);
        for (const number of [-1, 0, 1.5, 1e300, Number.NaN, Infinity]) {
          attempt(value, number, value, number);
          attempt(new ArrayBuffer(8), number, value, number);
          attempt(new ArrayBuffer(4096), number, value, number);
        }
      }
      expect(said.size, name).toBeLessThanOrEqual(1);
      // And it still works.
      const scanner = createScanner();
      scanner.feed('{"a":1}');
      expect(scanner.finish('tool')).toMatchObject({ value: { a: 1 } });
    },
  );

  it.each(functions)('%s, called on memory of any content, answers or throws', (name, call) => {
    let answered = 0;
    let seed = 1;
    const random = (): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed >>> 8;
    };
    for (let round = 0; round < 300; round++) {
      const memory = new ArrayBuffer(8192);
      const bytes = new Uint8Array(memory);
      for (let index = 0; index < bytes.length; index++) {
        bytes[index] = round % 3 === 0 ? 0xff : random();
      }
      const facts = new ArrayBuffer(4096);
      for (const third of [
        '{"a":"\u{d83d}',
        '🚀}'.repeat(200),
        bytes.slice(0, 100),
        facts,
        random(),
      ]) {
        for (const values of [[memory, third], [memory, facts], [third, facts], [third]]) {
          try {
            call(...values);
            answered++;
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
        }
      }
    }
    // The others want the number of a stream, which no memory is.
    const takesMemory = /^(?:open|describe|decide|feed(?:Text|Latin1|Bytes))$/.test(name);
    expect(answered).toBeGreaterThanOrEqual(takesMemory ? 300 : 0);
  });

  it('refuses memory that two arguments share, in part or in whole', () => {
    const memory = new ArrayBuffer(8192);
    const half = new Uint8Array(memory, 64);
    const shared: readonly [name: string, ...values: unknown[]][] = [
      ['open', memory, memory],
      ['describe', memory, memory],
      ['decide', memory, memory],
      ['feedBytes', memory, half],
      ['repair', half, memory],
    ];
    for (const [name, ...values] of shared) {
      const call = addon[name] as (...values: unknown[]) => unknown;
      expect(() => call(...values), name).toThrow('argspan: the addon was called wrongly');
      const apart = values.map((value) => structuredClone(value));
      expect(() => call(...apart), name).not.toThrow();
    }
  });
});
