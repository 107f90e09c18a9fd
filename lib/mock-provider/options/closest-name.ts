/** @returns the known name with the smallest edit distance to a misspelled one, or undefined when none is near enough. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  let limit = Math.max(2, Math.floor(name.length / 3));
  let closest: string | undefined;
  for (const candidate of known) {
    // The distance is at least the difference of the lengths: most candidates need no more than that.
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const found = distance(name.toLowerCase(), candidate.toLowerCase());
    if (found > limit || (found === limit && closest !== undefined)) continue;
    limit = found;
    closest = candidate;
  }
  return closest;
}

/** Computes the Levenshtein distance: how many characters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replace = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
