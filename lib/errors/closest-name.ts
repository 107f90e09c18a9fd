/** A longer name is not a misspelling, and the time of the comparison increases with its length. */
const MAX_LENGTH = 100;

/**
 * @returns the known name with the smallest edit distance to a misspelled one, or undefined when none is near enough. Of two names
 * at the same distance, the one that starts with more of the same letters.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wrong = name.toLowerCase();
  const limit = maxDistance(wrong.length);
  let closest: { name: string; distance: number; prefix: number } | undefined;
  for (const candidate of known) {
    const right = candidate.toLowerCase();
    // The distance is at least the difference of the lengths: most candidates need no more than that.
    if (Math.abs(right.length - wrong.length) > limit) continue;
    const distance = editDistance(wrong, right);
    if (distance > limit || distance >= right.length) continue;
    const prefix = commonPrefix(wrong, right);
    const isCloser =
      !closest || distance < closest.distance || (distance === closest.distance && prefix > closest.prefix);
    if (isCloser) closest = { name: candidate, distance, prefix };
  }
  return closest?.name;
}

/** Two letters of a short word make it another word. */
function maxDistance(length: number): number {
  if (length < 4) return 1;
  return length < 9 ? 2 : 3;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Computes how many characters to insert, delete, replace, or exchange with the next one (optimal string alignment distance). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isExchanged = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const exchanged = isExchanged ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, exchanged, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
