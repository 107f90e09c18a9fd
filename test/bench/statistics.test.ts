import { describe, expect, test } from '@jest/globals';
import { median, summarize } from './statistics.mjs';

describe('the statistics of npm run bench', () => {
  test('the median of an odd number of values is the middle one, of an even number the mean of the two in the middle', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([9, 1, 2, 4])).toBe(3);
    expect(median([7])).toBe(7);
  });

  test('the first rounds are discarded', () => {
    const rounds = [{ ours: 900 }, { ours: 800 }, { ours: 3 }, { ours: 5 }];
    expect(summarize(rounds, 2)).toEqual([{ name: 'ours', median: 4, ratio: 1 }]);
  });

  test('a ratio is the median of the ratios within each round, not the ratio of the medians', () => {
    const rounds = [
      { ours: 10, floor: 5 },
      { ours: 1000, floor: 500 },
      { ours: 30, floor: 3 },
    ];
    expect(summarize(rounds, 0)).toEqual([
      { name: 'ours', median: 30, ratio: 1 },
      { name: 'floor', median: 5, ratio: 2 },
    ]);
  });
});
