// Times contestants against each other, in rounds: whatever else the machine does, all of them
// feel. What counts is the median of the ratios of pairs from the same round.
//
// Samples are many and short. Where others want the processor as well, the system gives each of
// them some milliseconds by turns: samples of that length, in an order that never changes, can all
// be hit on the same side. Short ones mostly go through, the best of a few does almost always, and
// who is first is left to chance.
//
// tinybench runs a contestant for one sample at a time, which the task itself reports: batches are
// long enough for the clock, single calls are not.

import { load } from './load.js';
import { Random } from './random.js';
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

/** Milliseconds since some moment. */
type Clock = () => number;

/** How long to measure, and by which clock. */
export interface Effort {
  /** Samples of each contestant after each start. */
  readonly rounds: number;
  /**
   * How often all of it starts over. Where things come to lie in memory makes a difference of some
   * percent that lasts, and is another after each start.
   */
  readonly starts: number;
  /** How long a batch should take, in ms. One call is the least. */
  readonly batch: number;
  /** A sample is the best of so many batches. */
  readonly batches: number;
  readonly clock: Clock;
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
async function timeBatch({ run, waits }: Contestant, calls: number, clock: Clock): Promise<number> {
  const start = clock();
  if (waits === true) {
    await awaitBatch(run, calls);
  } else {
    runBatch(run, calls);
  }
  return (clock() - start) / calls;
}

/** Warms a contestant up, and finds how many calls take as long as a batch should. */
async function calibrate(contestant: Contestant, effort: Effort): Promise<number> {
  let calls = 1;
  const end = performance.now() + effort.warmUp;
  for (;;) {
    const time = await timeBatch(contestant, calls, effort.clock);
    if (performance.now() >= end) {
      return Math.max(1, Math.round(effort.batch / Math.max(time, 1e-6)));
    }
    calls = Math.max(1, Math.min(calls * 2, Math.ceil(effort.batch / Math.max(time, 1e-6))));
  }
}

/** So many times longer than it should be, a batch is a single call that takes its time. */
const LONG = 8;

/**
 * Milliseconds a call, in a batch that nobody interrupted. Of a call that is long by itself an
 * interruption is a small part: one will do.
 */
async function timeBest(contestant: Contestant, calls: number, effort: Effort): Promise<number> {
  let best = Infinity;
  for (let batch = 0; batch < effort.batches; batch++) {
    best = Math.min(best, await timeBatch(contestant, calls, effort.clock));
    if (best * calls > effort.batch * LONG) {
      break;
    }
  }
  return best;
}

/** One start: the heap is tidied, everybody warms up, and then they take turns. */
async function raceOnce(
  contestants: readonly Contestant[],
  effort: Effort,
  random: Random,
): Promise<number[][]> {
  // Before each sample it would do harm: a heap that was just cleared has to be faulted in again,
  // which costs more than what is measured.
  globalThis.gc?.();
  const bench = new Bench({ iterations: 1, time: 0, warmup: false, throws: true });
  for (const contestant of contestants) {
    const calls = await calibrate(contestant, effort);
    bench.add(
      contestant.name,
      async () => ({ overriddenDuration: await timeBest(contestant, calls, effort) }),
      { async: true },
    );
  }
  const samples = contestants.map((): number[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    for (const index of random.shuffled([...contestants.keys()])) {
      const task = bench.tasks[index] as Task;
      task.reset();
      await task.run();
      samples[index]?.push(nanosOf(task) / (contestants[index]?.things ?? 1));
    }
  }
  return samples;
}

/** Times all contestants in interleaved rounds, of some starts. */
export async function race(
  contestants: readonly Contestant[],
  effort: Effort,
): Promise<readonly Timing[]> {
  const random = new Random(1);
  const starts: number[][][] = [];
  for (let start = 0; start < effort.starts; start++) {
    starts.push(await raceOnce(contestants, effort, random));
  }
  return contestants.map(({ name }, index) => {
    const samples = starts.flatMap((start) => start[index] ?? []);
    return { name, samples, nanos: median(samples) };
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
