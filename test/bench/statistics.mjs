/** @returns the middle value, or the mean of the two middle values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
}

/**
 * Summarizes the rounds of one row. A ratio is taken within each round, where both values have the same conditions; the median of
 * these ratios is compared, not the ratio of the medians.
 * @param rounds for each round `{ [target]: value }`; the first target is the one that is compared
 * @param discarded how many of the first rounds do not count
 * @returns for each target its median, and as ratio the first target's value divided by its value
 */
export function summarize(rounds, discarded) {
  const counted = rounds.slice(discarded);
  const names = Object.keys(rounds[0]);
  return names.map((name) => ({
    name,
    median: median(counted.map((round) => round[name])),
    ratio: median(counted.map((round) => round[names[0]] / round[name])),
  }));
}
