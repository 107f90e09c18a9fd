import { startProgram } from '../cli/program.js';
import { projectEnvironment } from './packed.js';

/** Starts a program that prints a line when it is ready, and stops it after the function, which receives that line. */
export async function whileRunning(
  cwd: string,
  args: string | string[],
  use: (line: string) => Promise<void>,
): Promise<void> {
  const { child, ended, line } = startProgram([args].flat(), projectEnvironment(), cwd);
  try {
    await use(await line());
  } finally {
    child.kill();
    await ended;
  }
}
