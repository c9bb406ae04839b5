// Memory: what an open scanner takes that keeps no text, and whether it is given back.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { feeds } from './feeds.js';
import type { Row, Section } from './results.js';

export const memorySections: readonly Section[] = [
  {
    id: 'memory',
    title: 'Memory of a scanner with `keepText: false, echoLimit: 0`, in bytes',
    note:
      "Heap, external and native memory beyond an empty object's, over many open scanners in a process of its own. " +
      'Abandoned ones are dropped inside one synchronous loop; what the process grew by, for each of them.',
  },
];

function child(...args: readonly string[]): { bytes: number } {
  const script = fileURLToPath(new URL('memory-child.ts', import.meta.url));
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', script, ...args],
    { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' },
  );
  if (status !== 0) {
    throw new Error(`the memory measurement ended with status ${status}:\n${stderr}`);
  }
  return JSON.parse(stdout) as { bytes: number };
}

function toRow(what: string, bytes: number, must: number, aim: number): Row {
  return {
    section: 'memory',
    what,
    rival: null,
    reading: 'bytes',
    value: bytes,
    spread: null,
    own: null,
    other: null,
    target: { must, aim },
  };
}

export function* memory(quick: boolean): Generator<Row> {
  const open = quick ? 40_000 : 100_000;
  for (const feed of Object.keys(feeds)) {
    const { bytes } = child('open', feed, String(open));
    yield toRow(`open, fed ${feed}`, bytes, 1024, 400);
  }
  const { bytes } = child('abandoned', String(quick ? 500_000 : 2_000_000));
  yield toRow('abandoned in a synchronous loop', bytes, 50, 10);
}
