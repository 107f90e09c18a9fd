/** @returns the middle value, or the mean of the two middle values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
}

/**
 * Summarizes the rounds of one row. A ratio is taken within each round, where both values have the same conditions; the median of
 * these ratios is compared, not the ratio of the medians.
 * @param rounds for each round `{ [target]: { [metric]: number } }`; the first target is the one that is compared
 * @param discarded how many of the first rounds do not count
 * @returns `{ [metric]: { [target]: { median, ratio } } }`, with the first target's value divided by that of the target as ratio
 */
export function summarize(rounds, discarded) {
  const counted = rounds.slice(discarded);
  const [first] = counted;
  if (first === undefined) throw new Error(`${rounds.length} rounds with ${discarded} discarded: run more rounds.`);
  const [own] = Object.keys(first);
  const summary = {};
  for (const metric of Object.keys(first[own])) {
    summary[metric] = {};
    for (const target of Object.keys(first)) {
      const values = counted.map((round) => round[target][metric]);
      if (values.includes(undefined)) continue;
      const ratios = counted.map((round) => round[own][metric] / round[target][metric]);
      summary[metric][target] = { median: median(values), ratio: median(ratios) };
    }
  }
  return summary;
}
