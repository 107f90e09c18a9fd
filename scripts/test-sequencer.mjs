// The order of the test files. Jest starts with the files that took longest; without the durations of an earlier run it starts
// with the largest ones.
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Tests that start programs mostly wait for them. */
const STARTS_PROGRAMS =
  /^test\/(?:browser|cli|example-app|examples|fault-journeys|faults|newcomer|operations|package)\/|\.(?:redis|postgres)\.test\.ts$/;

/** Sorts two other files behind each file that starts programs, so that the workers do not all wait at the same time. */
export default class SpreadPrograms extends TestSequencer {
  sort(tests) {
    const startsPrograms = ({ path, context }) =>
      STARTS_PROGRAMS.test(relative(context.config.rootDir, path).replaceAll('\\', '/'));
    const sorted = super.sort(tests);
    const programs = sorted.filter(startsPrograms);
    const others = sorted.filter((test) => !startsPrograms(test));
    const spread = programs.flatMap((test, i) => [test, ...others.slice(2 * i, 2 * i + 2)]);
    return [...spread, ...others.slice(2 * programs.length)];
  }
}
