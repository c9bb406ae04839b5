// Measures every row of the requirements, prints it, and asserts on the way that results are right.
//
//   npm run bench -- [--quick] [--only SECTION,…] [--json FILE] [--assert]

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { processorTime, wallTime } from './clock.js';
import { gateCalls, gateSections } from './gate.js';
import { linear, linearSections } from './linear.js';
import { readMachine } from './machine.js';
import { memory, memorySections } from './memory.js';
import { printHead, printRow, printSummary } from './print.js';
import type { Effort } from './race.js';
import { type Results, type Row, type Section, markOf } from './results.js';
import { repairSections, repairs } from './repairs.js';
import { type RivalEffort, rivalSections, rivals } from './rivals.js';
import { Unavailable, rust, rustSections } from './rust.js';
import { streamSections, streams } from './streams.js';
import { otherTexts, wholeSections, wholeTexts } from './whole.js';
import { proxy, proxySections } from './wire-proxy.js';
import { wire, wireSections } from './wire.js';

/** A part of the benchmark, which can be asked for by the name of one of its sections. */
interface Part {
  readonly sections: readonly Section[];
  readonly run: () => AsyncIterable<Row, string[] | void> | Iterable<Row, string[] | void>;
}

function partsOf(quick: boolean): readonly Part[] {
  const short: Effort = quick
    ? { clock: wallTime, starts: 3, rounds: 15, batch: 0.2, batches: 3, warmUp: 15 }
    : { clock: wallTime, starts: 8, rounds: 31, batch: 0.3, batches: 4, warmUp: 60 };
  const long: Effort = quick
    ? { clock: processorTime, starts: 1, rounds: 5, batch: 1, batches: 1, warmUp: 10 }
    : { clock: processorTime, starts: 3, rounds: 5, batch: 1, batches: 2, warmUp: 100 };
  const rival: RivalEffort = quick
    ? { ...long, batch: 1.5, batches: 4, warmUp: 80, stride: 50 }
    : { ...long, rounds: 7, batch: 2, batches: 5, warmUp: 150, stride: 25 };
  // So long that the largest size is no single batch: what interrupts it would look like its cost.
  const lines: Effort = { ...long, batch: 4, batches: quick ? 2 : 5 };
  const whole = wholeSections.filter(({ id }) => id !== 'other');
  const other = wholeSections.filter(({ id }) => id === 'other');
  return [
    { sections: whole, run: () => wholeTexts(short) },
    { sections: gateSections, run: () => gateCalls(short) },
    { sections: repairSections, run: () => repairs(short) },
    { sections: streamSections, run: () => streams(short) },
    { sections: rivalSections, run: () => rivals(rival) },
    { sections: wireSections, run: () => wire(long, quick) },
    { sections: proxySections, run: () => proxy(quick) },
    { sections: linearSections, run: () => linear(lines, quick) },
    { sections: memorySections, run: () => memory(quick) },
    { sections: rustSections, run: () => rust(quick) },
    { sections: other, run: () => otherTexts(short) },
  ];
}

/** Four digits are more than a figure is good for. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/** Runs a part and prints what it finds. Returns its remarks. */
async function runPart({ sections, run }: Part, rows: Row[]): Promise<readonly string[]> {
  const found = run();
  const iterator =
    Symbol.asyncIterator in found ? found[Symbol.asyncIterator]() : found[Symbol.iterator]();
  let current: string | null = null;
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) {
        return next.value ?? [];
      }
      const row = next.value;
      const section = sections.find(({ id }) => id === row.section);
      if (section !== undefined && row.section !== current) {
        printHead(section);
        current = row.section;
      }
      printRow(row);
      rows.push(row);
    }
  } catch (error) {
    if (error instanceof Unavailable) {
      process.stdout.write(`\nNot measured: ${error.message}\n`);
      return [`Not measured: ${error.message}`];
    }
    throw error;
  }
}

const { values } = parseArgs({
  options: {
    assert: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});

const only = values.only?.split(',');
const parts = partsOf(values.quick).filter(
  ({ sections }) => only === undefined || sections.some(({ id }) => only.includes(id)),
);
// Before anything is measured, which is a load as well.
const machine = readMachine();
const rows: Row[] = [];
const remarks: string[] = [];
for (const part of parts) {
  remarks.push(...(await runPart(part, rows)));
}
for (const remark of remarks) {
  process.stdout.write(`\n${remark}`);
}
printSummary(rows);

if (values.json !== undefined) {
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    effort: values.quick ? 'quick' : 'full',
    machine,
    sections: parts.flatMap(({ sections }) => sections),
    rows,
    remarks,
  };
  writeFileSync(values.json, `${JSON.stringify(results, rounded, 2)}\n`);
}
if (values.assert && rows.some((row) => markOf(row) === 'MISS')) {
  process.exitCode = 1;
}
