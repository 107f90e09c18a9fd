// A jest reporter: writes the results of each test file to RESULTS_FILE, for steady.mjs.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  onRunComplete(_contexts, { testResults }) {
    const files = testResults.map((result) => ({
      file: result.testFilePath,
      passed: result.numPassingTests,
      // A file that does not load has no tests to count, but is a failure.
      failed: result.numFailingTests + (result.testExecError ? 1 : 0),
      skipped: result.numPendingTests + result.numTodoTests,
    }));
    if (process.env.RESULTS_FILE) writeFileSync(process.env.RESULTS_FILE, JSON.stringify(files));
  }
}
