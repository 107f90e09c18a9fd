/** @returns the name with the smallest edit distance, at most 2, from a misspelled one. */
export function closestName(misspelled: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({ name, value: distance(name.toLowerCase(), misspelled.toLowerCase()) }));
  return distances.filter(({ value }) => value <= 2).sort((a, b) => a.value - b.value)[0]?.name;
}

/** Computes the Levenshtein distance: how many characters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, substitution);
    }
    row = next;
  }
  return row[b.length] as number;
}
