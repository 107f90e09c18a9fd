type Rounds = readonly Record<string, Record<string, number>>[];
type Summary = Record<string, Record<string, { median: number; ratio: number }>>;

export function median(values: readonly number[]): number;
export function summarize(rounds: Rounds, discarded: number): Summary;
