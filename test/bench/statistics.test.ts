import { describe, expect, test } from '@jest/globals';
import { median, summarize } from './statistics.mjs';

describe('the statistics of npm run bench', () => {
  test('the median of an odd number of values is the middle one, of an even number the mean of the two in the middle', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([9, 1, 2, 4])).toBe(3);
    expect(median([7])).toBe(7);
  });

  test('the first rounds are discarded', () => {
    const rounds = [{ ours: { ms: 900 } }, { ours: { ms: 800 } }, { ours: { ms: 3 } }, { ours: { ms: 5 } }];
    expect(summarize(rounds, 2)).toEqual({ ms: { ours: { median: 4, ratio: 1 } } });
    expect(() => summarize(rounds, 4)).toThrow('4 rounds with 4 discarded: run more rounds.');
  });

  test('a ratio is the median of the ratios within each round, not the ratio of the medians', () => {
    const rounds = [
      { ours: { ms: 10 }, floor: { ms: 5 } },
      { ours: { ms: 1000 }, floor: { ms: 500 } },
      { ours: { ms: 30 }, floor: { ms: 3 } },
    ];
    expect(summarize(rounds, 0).ms).toEqual({ ours: { median: 30, ratio: 1 }, floor: { median: 5, ratio: 2 } });
  });

  test('a target without a metric is not compared in it', () => {
    const rounds = [{ ours: { ms: 2, bytes: 7 }, floor: { ms: 1 } }];
    expect(summarize(rounds as never, 0)).toEqual({
      ms: { ours: { median: 2, ratio: 1 }, floor: { median: 1, ratio: 2 } },
      bytes: { ours: { median: 7, ratio: 1 } },
    });
  });
});
