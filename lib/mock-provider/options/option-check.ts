/** Throws one sentence, with the fix, when an option's name is not known. */
export function refuseUnknownNames(value: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const meant = closestName(name, known);
    const fix = meant === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`${where} has no option ${JSON.stringify(name)}. ${fix}`);
  }
}

/** @returns the known name that is meant by a misspelled one, or undefined when none is near. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(name.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter((pair) => pair.distance <= limit)
    .sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

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

/** Throws a sentence unless the value is a string with something in it. */
export function requireText(value: unknown, where: string): asserts value is string {
  if (typeof value !== 'string' || value === '') {
    throw new TypeError(`${where} must be a string that is not empty, not ${JSON.stringify(value)}.`);
  }
}
