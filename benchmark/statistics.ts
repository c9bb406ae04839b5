// The few figures that a list of samples is boiled down to.

/** The value below which a share of the numbers lies, between two of them by their distance. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** What the middle half of the numbers lies between. */
export function quartiles(numbers: readonly number[]): readonly [low: number, high: number] {
  return [quantile(numbers, 0.25), quantile(numbers, 0.75)];
}
