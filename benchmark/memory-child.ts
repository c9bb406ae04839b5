// Runs in a process of its own, so that nothing else is on the heap: prints one figure as JSON.
//
//   node --expose-gc --import tsx memory-child.ts open FEED COUNT | abandoned COUNT

import { createScanner } from './argspan.js';
import { feeds } from './feeds.js';

function collect(): void {
  // Twice: what the first one finalizes, the second one frees.
  globalThis.gc?.();
  globalThis.gc?.();
}

interface Usage {
  /** What lies on the heap, and what the heap knows of outside. */
  readonly known: number;
  /** All that the process holds: native memory shows here alone. */
  readonly resident: number;
}

function usage(): Usage {
  collect();
  const { external, heapUsed, rss } = process.memoryUsage();
  return { known: heapUsed + external, resident: rss };
}

const held: object[] = [];

/**
 * Bytes that each of `count` more takes. The first ones are not counted: with them comes what is
 * loaded, compiled and reserved once, and what the process had left over.
 */
function measure(count: number, make: () => object): Usage {
  const add = (): void => {
    for (let index = 0; index < count; index++) {
      held.push(make());
    }
  };
  add();
  const before = usage();
  add();
  const after = usage();
  return {
    known: (after.known - before.known) / count,
    resident: (after.resident - before.resident) / count,
  };
}

function open(feed: (typeof feeds)[string], count: number): unknown {
  const empty = measure(count, () => ({}));
  const own = measure(count, () => {
    const scanner = createScanner({ keepText: false, echoLimit: 0 });
    for (const fragment of feed) {
      scanner.feed(fragment);
    }
    return scanner;
  });
  const bytes = Math.max(own.known, own.resident) - empty.known;
  return { bytes, known: own.known, resident: own.resident, empty: empty.known };
}

/** Opens and drops scanners without ever returning to the event loop. */
function abandoned(count: number): unknown {
  const drop = (times: number): void => {
    for (let index = 0; index < times; index++) {
      const scanner = createScanner({ keepText: false, echoLimit: 0 });
      scanner.feed('{"path": "src/main.ts", "content": "');
      if (scanner.verdict !== 'incomplete') {
        throw new Error('the verdict is wrong');
      }
    }
  };
  drop(count / 10);
  const before = process.memoryUsage.rss();
  let most = before;
  for (let tenth = 0; tenth < 10; tenth++) {
    drop(count / 10);
    most = Math.max(most, process.memoryUsage.rss());
  }
  return { bytes: (most - before) / count };
}

const [what, ...rest] = process.argv.slice(2);
const result =
  what === 'open' ? open(feeds[rest[0] ?? ''] ?? [], Number(rest[1])) : abandoned(Number(rest[0]));
process.stdout.write(JSON.stringify(result));
