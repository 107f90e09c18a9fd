// The order of the test files. Jest starts with the files that took longest; without the durations of an earlier run it starts
// with the largest ones.
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Tests that start programs take longest, and many of their files are small: as the last ones they would run one at a time. */
const STARTS_PROGRAMS =
  /^test\/(?:browser|cli|example-app|examples|fault-journeys|faults|newcomer|operations|package)\/|\.redis\.test\.ts$/;

/** Sorts the files of tests that start programs before all others. */
export default class ProgramsFirst extends TestSequencer {
  sort(tests) {
    const startsPrograms = ({ path, context }) =>
      STARTS_PROGRAMS.test(relative(context.config.rootDir, path).replaceAll('\\', '/'));
    const sorted = super.sort(tests);
    return [...sorted.filter(startsPrograms), ...sorted.filter((test) => !startsPrograms(test))];
  }
}
