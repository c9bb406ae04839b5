// What time is measured with.

/** Milliseconds that go on whatever happens. For batches so short that nothing does. */
export function wallTime(): number {
  return performance.now();
}

/**
 * Milliseconds that this process has had a processor for, all threads together. For what takes so
 * long that others always come between, and that is compared with what does not. Windows counts
 * in steps that are too long for that.
 */
export function processorTime(): number {
  if (process.platform === 'win32') {
    return performance.now();
  }
  const { system, user } = process.cpuUsage();
  return (system + user) / 1000;
}
