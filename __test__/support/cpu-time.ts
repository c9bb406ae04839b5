/** Milliseconds of processor time that this process has taken: other processes do not count. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
