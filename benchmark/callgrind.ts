// Counts instructions a call of the Rust core and of the other readers, under valgrind. Unlike
// times, counts are the same in every run, on a busy machine too.
//
//   npm --prefix benchmark run callgrind [-- READER …] [--shapes NAME,…]

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

import type { Fixture } from './fixtures.js';
import { baseline, build, plainFixtures, withTexts } from './rust.js';

/** Instructions of a whole process that reads a shape's texts so many times. */
function countProcess(program: string, args: readonly string[]): number {
  const { error, status, stderr } = spawnSync(
    'valgrind',
    ['--tool=callgrind', '--callgrind-out-file=/dev/null', program, ...args],
    { encoding: 'utf8' },
  );
  const collected = /Collected : (\d+)/.exec(stderr);
  if (error !== undefined || status !== 0 || collected === null) {
    throw new Error(`valgrind does not run: ${error?.message ?? stderr}`);
  }
  return Number(collected[1]);
}

/**
 * Instructions a call: two runs of different length, so that what a process does once is not
 * counted.
 */
function countCall(program: string, reader: string, fixture: Fixture, texts: string): number {
  const few = fixture.texts.length;
  const many = few * (fixture.bytes < 1024 ? 65 : 9);
  const [less, more] = [few, many].map((times) =>
    countProcess(program, ['once', reader, fixture.name, String(times), '--texts', texts]),
  );
  return ((more ?? 0) - (less ?? 0)) / (many - few);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { shapes: { type: 'string' } },
});
const asked = values.shapes?.split(',');
const shapes = plainFixtures.filter(({ name }) => asked?.includes(name) ?? true);
const readers =
  positionals.length > 0 ? positionals : ['argspan', 'sonic-rs', 'simd-json', 'serde_json'];

const program = build(baseline);
process.stdout.write(`instructions a call (a byte)${' '.repeat(12)}`);
process.stdout.write(`${readers.map((reader) => reader.padStart(20)).join('')}\n`);
withTexts((texts) => {
  for (const shape of shapes) {
    process.stdout.write(shape.title.padEnd(40));
    for (const reader of readers) {
      const count = countCall(program, reader, shape, texts);
      const cell = `${Math.round(count)} (${(count / shape.bytes).toFixed(2)})`;
      process.stdout.write(cell.padStart(20));
    }
    process.stdout.write('\n');
  }
});
