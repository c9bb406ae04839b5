/**
 * Which of the tools' names a model may have meant.
 */

/** Characters of a name that are compared. */
const COMPARED_MAX = 64;

/** Names in the order of their distance to another; those as near as each other keep theirs. */
export function nearestFirst(name: string, names: readonly string[]): string[] {
  const wanted = plain(name);
  const distances = new Map(names.map((other) => [other, distanceOf(wanted, plain(other))]));
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
  for (let i = 0; i < from.length; i++) {
    const unit = from.charCodeAt(i);
    let before = i;
    let left = i + 1;
    const next = [left];
    for (let j = 1; j <= to.length; j++) {
      const above = row[j] ?? 0;
      const changed = unit === to.charCodeAt(j - 1) ? before : before + 1;
      left = Math.min(changed, above + 1, left + 1);
      next.push(left);
      before = above;
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
