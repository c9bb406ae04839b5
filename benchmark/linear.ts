// Whether the cost stays the same however long the text: of a byte, and of a fragment.

import assert from 'node:assert/strict';

import { createScanner } from './argspan.js';
import { longText, required } from './fixtures.js';
import { type Contestant, type Effort, type Timing, race } from './race.js';
import type { Row, Section, Target } from './results.js';

export const linearSections: readonly Section[] = [
  {
    id: 'linear',
    title: 'Cost from small to large: the dearest size, as a multiple of the cheapest',
    note: 'A byte from 64 KiB to 16 MiB, a fragment from 64 K to 1 M of one character. 1 is a straight line.',
  },
];

const KIB = 1024;
const MIB = 1024 * KIB;

/** A size, and how much of it there is to do. */
interface Size {
  readonly name: string;
  /** Bytes or fragments. */
  readonly count: number;
  readonly run: () => unknown;
}

function sizeName(count: number): string {
  return count >= MIB ? `${count / MIB} M` : `${count / KIB} K`;
}

/** A row from one timing a size. The sizes take turns, so that all feel the same machine. */
function toRow(what: string, timings: readonly Timing[], target: Target): Row {
  const costs = timings.map(({ nanos }) => nanos);
  return {
    section: 'linear',
    what,
    detail: timings.map(({ name, nanos }) => `${name}: ${nanos.toPrecision(3)} ns`).join(', '),
    rival: null,
    reading: 'spread',
    value: Math.max(...costs) / Math.min(...costs),
    spread: null,
    own: null,
    other: null,
    target,
  };
}

async function measure(
  what: string,
  sizes: readonly Size[],
  target: Target,
  effort: Effort,
): Promise<Row> {
  // Every sample does as much as the largest size: a short one would end before the processor
  // is up to speed, or before the garbage collector has to be paid.
  const most = Math.max(...sizes.map(({ count }) => count));
  const contestants = sizes.map(({ name, count, run }): Contestant => {
    const times = Math.round(most / count);
    const repeat = (): unknown => {
      let result: unknown;
      for (let time = 0; time < times; time++) {
        result = run();
      }
      return result;
    };
    return { name, run: repeat, things: count * times };
  });
  return toRow(what, await race(contestants, effort), target);
}

function feedBytes(keepText: boolean, chunks: readonly Uint8Array[]): unknown {
  const scanner = createScanner({ keepText });
  for (const chunk of chunks) {
    scanner.feed(chunk);
  }
  return scanner.finishCheck();
}

function feedString(keepText: boolean, text: string): unknown {
  const scanner = createScanner({ keepText });
  scanner.feed(text);
  return scanner.finishCheck();
}

function feedCharacters(keepText: boolean, characters: readonly string[]): unknown {
  const scanner = createScanner({ keepText });
  for (const character of characters) {
    scanner.feed(character);
  }
  return scanner.finishCheck();
}

function accepts(check: unknown): void {
  assert.equal((check as { verdict: string }).verdict, 'complete');
}

const CHUNK = 16 * KIB;

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) =>
    bytes.subarray(index * CHUNK, (index + 1) * CHUNK),
  );
}

export async function* linear(effort: Effort, quick: boolean): AsyncGenerator<Row> {
  const byteTarget: Target = { must: 2, aim: 1.3 };
  const byteCounts = quick
    ? [64 * KIB, MIB, 16 * MIB]
    : [64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB];
  const texts = byteCounts.map((count) => {
    // Flat, as text that comes from outside is.
    const bytes = Buffer.from(longText(count));
    return { count, name: sizeName(count), bytes, string: bytes.toString() };
  });
  for (const keepText of [false, true]) {
    const how = keepText ? 'text kept' : '`keepText: false`';
    const ofBytes = texts.map(({ bytes, count, name }): Size => {
      const chunks = chunksOf(bytes);
      return { name, count, run: () => feedBytes(keepText, chunks) };
    });
    const ofStrings = texts.map(({ count, name, string }): Size => ({
      name,
      count,
      run: () => feedString(keepText, string),
    }));
    for (const { run } of [...ofBytes, ...ofStrings]) {
      accepts(run());
    }
    yield await measure(`a byte, in chunks of 16 KiB, ${how}`, ofBytes, byteTarget, effort);
    yield await measure(`a byte, in one string, ${how}`, ofStrings, byteTarget, effort);
  }

  const fragmentTarget: Target = { must: 1.5, aim: 1.2 };
  const fragmentCounts = quick ? [64 * KIB, MIB] : [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB];
  const head = Array.from('{"content":"');
  const body = Array.from(required.code.texts[0].replaceAll(/["\\{}]/g, ' '));
  for (const keepText of [false, true]) {
    const how = keepText ? 'text kept' : '`keepText: false`';
    const sizes = fragmentCounts.map((count): Size => {
      const characters = Array.from(
        { length: count },
        (_, index) => head[index] ?? (body[index % body.length] as string),
      );
      characters.splice(-2, 2, '"', '}');
      const run = (): unknown => feedCharacters(keepText, characters);
      return { name: sizeName(count), count, run };
    });
    for (const { run } of sizes) {
      accepts(run());
    }
    yield await measure(`a fragment of one character, ${how}`, sizes, fragmentTarget, effort);
  }
}
