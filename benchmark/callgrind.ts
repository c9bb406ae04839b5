// Counts instructions a call of the Rust core and of the other readers, under valgrind, and the
// branches that a simple predictor gets wrong. Unlike times, counts are the same in every run, on a
// busy machine too.
//
//   npm --prefix benchmark run callgrind [-- READER …] [--shapes NAME,…]

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

import type { Fixture } from './fixtures.js';
import { baseline, build, plainFixtures, withTexts } from './rust.js';

interface Counts {
  readonly instructions: number;
  /** Branches that were predicted wrongly; each costs as much as some dozens of instructions. */
  readonly mispredicted: number;
}

/** The counts of a whole process. */
function countProcess(program: string, args: readonly string[]): Counts {
  const flags = ['--tool=callgrind', '--branch-sim=yes', '--callgrind-out-file=/dev/null'];
  const { error, status, stderr } = spawnSync('valgrind', [...flags, program, ...args], {
    encoding: 'utf8',
  });
  const instructions = /I\s+refs:\s+([\d,]+)/.exec(stderr)?.[1];
  const mispredicted = /Mispredicts:\s+([\d,]+)/.exec(stderr)?.[1];
  if (status !== 0 || instructions === undefined || mispredicted === undefined) {
    throw new Error(`valgrind does not run: ${error?.message ?? stderr}`);
  }
  return { instructions: toNumber(instructions), mispredicted: toNumber(mispredicted) };
}

function toNumber(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

/**
 * The counts of a call: two runs of different length, so that what a process does once is not
 * counted.
 */
function countCall(program: string, reader: string, fixture: Fixture, texts: string): Counts {
  const few = fixture.texts.length;
  const many = few * (fixture.bytes < 1024 ? 65 : 9);
  const count = (times: number): Counts =>
    countProcess(program, ['once', reader, fixture.name, String(times), '--texts', texts]);
  const [less, more] = [count(few), count(many)];
  const each = (part: keyof Counts): number => (more[part] - less[part]) / (many - few);
  return { instructions: each('instructions'), mispredicted: each('mispredicted') };
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
process.stdout.write('a call: instructions (a byte), mispredicted branches\n');
process.stdout.write(`${''.padEnd(24)}${readers.map((reader) => reader.padStart(26)).join('')}\n`);
withTexts((texts) => {
  for (const shape of shapes) {
    process.stdout.write(shape.title.padEnd(24));
    for (const reader of readers) {
      const { instructions, mispredicted } = countCall(program, reader, shape, texts);
      const aByte = (instructions / shape.bytes).toFixed(2);
      const wrong = mispredicted.toFixed(mispredicted < 100 ? 1 : 0);
      process.stdout.write(`${Math.round(instructions)} (${aByte}), ${wrong}`.padStart(26));
    }
    process.stdout.write('\n');
  }
});
