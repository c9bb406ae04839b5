// The Rust core beside other Rust readers of JSON: builds and runs native/bench.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Fixture, fixtures, isStringHeavy, required } from './fixtures.js';
import type { Row, Section, Target } from './results.js';

const crate = fileURLToPath(new URL('../native/bench', import.meta.url));

/** The flags that all readers are compiled with, and where cargo keeps what it makes of them. */
interface Flags {
  readonly id: string;
  readonly title: string;
  readonly rustflags: string;
  /** A cache of its own, or each build would throw away the other's. */
  readonly target: string;
}

export const baseline: Flags = {
  id: 'rust-baseline',
  title: 'compiled for the baseline',
  rustflags: '',
  target: 'baseline',
};

const native: Flags = {
  id: 'rust-native',
  title: 'compiled with `-C target-cpu=native`',
  rustflags: '-C target-cpu=native',
  target: 'native',
};

function section({ id, title }: Flags): Section {
  return {
    id,
    title: `The Rust core, ${title}: times faster than other readers`,
    note:
      'No reader builds a value (simd-json: the tape, without the copy that it needs). ' +
      'argspan and simd-json choose their vector instructions at run time, sonic-rs when it is compiled.',
  };
}

export const rustSections: readonly Section[] = [section(baseline), section(native)];

/** Why there is nothing to show, for a reader of the results. */
export class Unavailable extends Error {}

/** Builds the crate, and answers where its program is. */
export function build({ rustflags, target }: Flags): string {
  const directory = path.join(crate, 'target', target);
  const { error, status, stderr } = spawnSync('cargo', ['build', '--release', '--locked'], {
    cwd: crate,
    encoding: 'utf8',
    env: { ...process.env, CARGO_TARGET_DIR: directory, RUSTFLAGS: rustflags },
  });
  if (error !== undefined || status !== 0) {
    const why = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
    throw new Unavailable(`native/bench cannot be built: ${why}`);
  }
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return path.join(directory, 'release', `argspan-bench${suffix}`);
}

/** Those texts that are JSON as they stand; the other readers know nothing else. */
export const plainFixtures: readonly Fixture[] = fixtures.filter(({ plain }) => plain);

/** Writes the texts where the program finds them, while `use` runs. */
export function withTexts<T>(use: (directory: string) => T): T {
  const directory = mkdtempSync(path.join(tmpdir(), 'argspan-bench-'));
  try {
    for (const { name, texts } of plainFixtures) {
      mkdirSync(path.join(directory, name));
      for (const [index, text] of texts.entries()) {
        writeFileSync(path.join(directory, name, `${String(index).padStart(2, '0')}.json`), text);
      }
    }
    return use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Report {
  readonly target: string;
  readonly rows: ReadonlyArray<{
    readonly shape: string;
    readonly times: ReadonlyArray<{ reader: string; nanos: number; ratio: number }>;
  }>;
  readonly lenience: ReadonlyArray<{ reader: string; accepts: readonly string[] }>;
}

function run(program: string, args: readonly string[]): Report {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`native/bench ended with status ${status}:\n${stderr}`);
  }
  return JSON.parse(stdout) as Report;
}

/** Only the texts of the requirements have something to reach. */
function targetFor(reader: string, fixture: Fixture): Target | null {
  if (!(fixture.name in required)) {
    return null;
  }
  const [text] = fixture.texts;
  switch (reader) {
    case 'sonic-rs':
    case 'simd-json':
      return { must: 1, aim: 1 };
    case 'serde_json':
      return { must: isStringHeavy(text) ? 1 : 1 / 1.3, aim: 1 };
    default:
      return null;
  }
}

function toRows(id: string, report: Report): Row[] {
  return plainFixtures.flatMap((fixture) => {
    const row = report.rows.find(({ shape }) => shape === fixture.name);
    const [own, ...others] = row?.times ?? [];
    if (own === undefined) {
      throw new Error(`native/bench did not read the texts of ${fixture.name}`);
    }
    return others.map(({ nanos, ratio, reader }): Row => {
      return {
        section: id,
        what: fixture.title,
        rival: reader,
        reading: 'faster',
        value: ratio,
        spread: null,
        own: own.nanos,
        other: nanos,
        target: targetFor(reader, fixture),
      };
    });
  });
}

function toRemarks({ lenience }: Report): string[] {
  return lenience
    .filter(({ accepts }) => accepts.length > 0)
    .map(
      ({ accepts, reader }) => `${reader} accepts what the rule refuses: ${accepts.join(', ')}.`,
    );
}

/** Yields rows, and returns remarks on what the readers do not look at. */
export function* rust(quick: boolean): Generator<Row, string[]> {
  const effort = quick
    ? ['--rounds', '31', '--micros', '100']
    : ['--rounds', '201', '--micros', '200'];
  let remarks: string[] = [];
  for (const flags of [baseline, native]) {
    const program = build(flags);
    const report = withTexts((directory) =>
      run(program, ['--json', '--texts', directory, ...effort]),
    );
    yield* toRows(flags.id, report);
    remarks = toRemarks(report);
  }
  return remarks;
}
