// Loaded before each test file (jest.config.mjs). A test fails if the code under test has printed something that the test has not
// taken: a line on the console, or a process warning.
import { format } from 'node:util';
import { afterAll, afterEach } from '@jest/globals';

const printed: string[] = [];

for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
  console[level] = (...values: unknown[]) => void printed.push(`${level}: ${format(...values)}`);
}

process.emitWarning = (warning: string | Error, options?: unknown) => {
  const { code } = { ...(options as { code?: string }) };
  printed.push(`warning${code === undefined ? '' : ` ${code}`}: ${warning}`);
};

/** @returns what the code under test has printed since the last call: `error: ...`, or `warning CODE: ...` */
export function takePrinted(): string[] {
  return printed.splice(0);
}

function checkPrinted(): void {
  const lines = takePrinted();
  if (lines.length > 0) throw new Error(`The code under test has printed, see takePrinted():\n${lines.join('\n')}`);
}
afterEach(checkPrinted);
afterAll(checkPrinted);
