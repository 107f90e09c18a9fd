export function median(values: readonly number[]): number;
export function summarize(
  rounds: readonly Record<string, number>[],
  discarded: number,
): { name: string; median: number; ratio: number }[];
