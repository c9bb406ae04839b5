// Times contestants against each other: A, B, A, B and so on, so that whatever else the machine
// does, all of them feel. What counts is the median of the ratios of such pairs.
//
// tinybench runs a contestant for one sample at a time. A sample is a batch long enough for the
// clock, and its mean is what the task reports.

import { load } from './load.js';
import { median, quartiles } from './statistics.js';

/** Somebody to be timed. */
export interface Contestant {
  readonly name: string;
  /** One call; `index` counts calls, to choose between texts. A promise is awaited if `waits`. */
  readonly run: (index: number) => unknown;
  readonly waits?: boolean;
  /** How many things one call does, where a thing's time is wanted. */
  readonly things?: number;
}

/** How long to measure. */
export interface Effort {
  /** Samples of each contestant. */
  readonly rounds: number;
  /** How long a sample should take, in ms. One call is the least. */
  readonly sample: number;
  /** How long to warm each contestant up, in ms. */
  readonly warmUp: number;
}

/** What was measured of one contestant. */
export interface Timing {
  readonly name: string;
  /** Nanoseconds a thing: one sample a round. */
  readonly samples: readonly number[];
  readonly nanos: number;
}

/** How two timings compare: the median of the paired ratios, and their quartiles. */
export interface Ratio {
  readonly value: number;
  readonly spread: readonly [low: number, high: number];
}

/** As much of a tinybench task as is used here: types must not need what is only installed here. */
interface Task {
  readonly name: string;
  readonly result: { readonly state: string; readonly latency?: { readonly mean: number } };
  reset(): void;
  run(): Promise<unknown>;
}

interface Bench {
  readonly tasks: readonly Task[];
  add(name: string, run: () => Promise<object>, options: { async: true }): this;
}

type Tinybench = { Bench: new (options: Readonly<Record<string, unknown>>) => Bench };

const { Bench } = await load<Tinybench>('tinybench');

/** Keeps results alive, so that nothing is optimised away. */
export const kept: { result: unknown } = { result: undefined };

function runBatch(run: Contestant['run'], calls: number): void {
  for (let index = 0; index < calls; index++) {
    kept.result = run(index);
  }
}

async function awaitBatch(run: Contestant['run'], calls: number): Promise<void> {
  for (let index = 0; index < calls; index++) {
    kept.result = await run(index);
  }
}

/** Milliseconds a call. */
async function timeBatch({ run, waits }: Contestant, calls: number): Promise<number> {
  const start = performance.now();
  if (waits === true) {
    await awaitBatch(run, calls);
  } else {
    runBatch(run, calls);
  }
  return (performance.now() - start) / calls;
}

/** Warms a contestant up, and finds how many calls take as long as a sample should. */
async function calibrate(contestant: Contestant, effort: Effort): Promise<number> {
  let calls = 1;
  const end = performance.now() + effort.warmUp;
  for (;;) {
    const time = await timeBatch(contestant, calls);
    if (performance.now() >= end) {
      return Math.max(1, Math.round(effort.sample / time));
    }
    calls = Math.max(1, Math.min(calls * 2, Math.ceil(effort.sample / time)));
  }
}

/** What was left behind is cleared away before the clock starts, not while it runs. */
function clearAway(): void {
  globalThis.gc?.({ type: 'minor' });
}

/** Times all contestants in interleaved rounds. */
export async function race(
  contestants: readonly Contestant[],
  effort: Effort,
): Promise<readonly Timing[]> {
  const bench = new Bench({ iterations: 1, time: 0, warmup: false, throws: true });
  globalThis.gc?.();
  for (const contestant of contestants) {
    const calls = await calibrate(contestant, effort);
    bench.add(
      contestant.name,
      async () => ({ overriddenDuration: await timeBatch(contestant, calls) }),
      { async: true },
    );
  }
  const samples = contestants.map((): number[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    for (const [index, task] of bench.tasks.entries()) {
      clearAway();
      task.reset();
      await task.run();
      samples[index]?.push(nanosOf(task) / (contestants[index]?.things ?? 1));
    }
  }
  return contestants.map(({ name }, index) => {
    const own = samples[index] ?? [];
    return { name, samples: own, nanos: median(own) };
  });
}

function nanosOf({ name, result }: Task): number {
  if (result.latency === undefined) {
    throw new Error(`${name} was not measured: ${result.state}`);
  }
  return result.latency.mean * 1e6;
}

/** Times a against times b, pair by pair. */
export function ratioOf(a: Timing, b: Timing): Ratio {
  const pairs = a.samples.map((sample, round) => sample / (b.samples[round] ?? Number.NaN));
  return { value: median(pairs), spread: quartiles(pairs) };
}
