/**
 * Which of the tools' names a model may have meant.
 */

/** Characters of a name that are compared. */
const COMPARED_MAX = 64;

/** Names in the order of their distance to another; those as near as each other keep theirs. */
export function nearestFirst(name: string, names: readonly string[]): string[] {
  const distances = new Map(names.map((other) => [other, distanceOf(plain(name), plain(other))]));
  return [...names].sort((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0));
}

/** Case and separators are what models mix up first. */
function plain(name: string): string {
  return name
    .slice(0, COMPARED_MAX)
    .toLowerCase()
    .replaceAll(/[-_.\s]/g, '');
}

/** How many characters have to be put in, left out or changed: Levenshtein's distance. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
