// Runs tests, and repeats each file that fails once, by itself. Its summary names these files as unsteady, and ends with the counts, in
// a format that programs can read.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** More failed files are no chance: none of them is repeated. */
const MAX_UNSTEADY = 3;

/** Runs jest with the reporter. @returns its exit status, and the results of each file */
function readResults(runJest, args) {
  const folder = mkdtempSync(join(tmpdir(), 'results-'));
  const file = join(folder, 'results.json');
  try {
    const status = runJest(args, { RESULTS_FILE: file });
    return { status, files: JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return { status: 1, files: [] }; // jest has stopped before the first test
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function total(files, count) {
  return files.reduce((sum, file) => sum + file[count], 0);
}

/**
 * @param runJest runs jest with arguments and environment variables, and returns its exit status
 * @param args those of jest; an option that is repeated has its value behind `=`
 * @param isRepeated whether a file that fails is repeated
 * @returns the exit status, and the lines of the summary
 */
export function runSteadily(runJest, args, isRepeated) {
  const { status, files } = readResults(runJest, args);
  const failed = files.filter((file) => file.failed > 0);
  if (!isRepeated || failed.length === 0 || failed.length > MAX_UNSTEADY) return { status, lines: [countsOf(files)] };
  const options = args.filter((arg) => arg.startsWith('-'));
  const repeated = failed.map(({ file }) => {
    const again = readResults(runJest, [...options, '--runTestsByPath', file]);
    return again.files[0] ?? { file, passed: 0, failed: 1, skipped: 0 };
  });
  const lines = repeated.map((again) => {
    const result = again.failed > 0 ? 'failed again' : 'passed';
    return `unsteady: ${relative(process.cwd(), again.file)} failed, and ${result} when it was repeated by itself`;
  });
  const isSteady = repeated.every((again) => again.failed === 0);
  const last = files.map((file) => repeated.find((again) => again.file === file.file) ?? file);
  return { status: isSteady ? 0 : 1, lines: [...lines, countsOf(last)] };
}

function countsOf(files) {
  return ['passed', 'failed', 'skipped'].map((count) => `${total(files, count)} ${count}`).join(', ');
}
