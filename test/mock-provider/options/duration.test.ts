import { describe, expect, test } from '@jest/globals';
import { duration, parseDuration } from '../../../lib/mock-provider/options/duration.js';
import { validate } from '../../../lib/mock-provider/options/validate.js';

describe('a duration', () => {
  test.each([
    [1500, 1500],
    ['30 minutes', 1_800_000],
    ['1h 30m', 5_400_000],
    ['1.5 h', 5_400_000],
    ['1 day, 2 hours, 3 minutes, 250ms', 93_780_250],
    ['2 weeks', 1_209_600_000],
    ['-3 days', -259_200_000],
    ['5', undefined],
    ['soon', undefined],
    ['5 parsecs', undefined],
    [`1 h${' '.repeat(97)}`, 3_600_000],
    [`1 h${' '.repeat(98)}`, undefined],
    [Number.NaN, undefined],
    [null, undefined],
  ])('%j is %s milliseconds', (value, milliseconds) => {
    expect(parseDuration(value)).toBe(milliseconds);
  });

  test('text that is not a duration is refused with examples', () => {
    expect(() => validate(duration, 'soon', 'wait')).toThrow(
      `wait must be a duration such as '30 minutes', '1h 30m' or a number of milliseconds, not "soon".`,
    );
  });
});
