// A jest reporter: prints the counts as the last line of a run, in a format that programs can read.
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = results;
    // A file that does not load has no tests to count, but is a failure.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const line = `${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped`;
    // Printed at exit, because jest prints its own summary after the reporters.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
}
