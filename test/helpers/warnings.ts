import { format } from 'node:util';
import { jest } from '@jest/globals';

/** @returns what sites without onEvent print while a function runs: `passport-clinician [code]: message` */
export async function printedBy(run: () => unknown): Promise<string[]> {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    await run();
    return warn.mock.calls.map((args) => format(...args));
  } finally {
    warn.mockRestore();
  }
}

/** @returns the codes of {@link printedBy}. */
export async function codesPrintedBy(run: () => unknown): Promise<unknown[]> {
  return (await printedBy(run)).map((line) => /^passport-clinician \[(\w+)\]: /.exec(line)?.[1]);
}
