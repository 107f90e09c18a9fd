import { jest } from '@jest/globals';

/** @returns what sites without onEvent print while a function runs: `passport-clinician [code]: message` */
export async function printedBy(run: () => unknown): Promise<string[]> {
  const lines: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((line) => Boolean(lines.push(String(line))));
  try {
    await run();
    return lines.filter((line) => line.startsWith('passport-clinician [')).map((line) => line.trimEnd());
  } finally {
    write.mockRestore();
  }
}

/** @returns the codes of {@link printedBy}. */
export async function codesPrintedBy(run: () => unknown): Promise<unknown[]> {
  return (await printedBy(run)).map((line) => /^passport-clinician \[(\w+)\]: /.exec(line)?.[1]);
}
