// A jest reporter: the last line of a run, in a form that any program can read.
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = results;
    // A file that could not even be loaded has no tests to count, and is a failure all the same.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const line = `${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped`;
    // At the exit, because jest's own summary is always the last of the reporters.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
}
