// Loaded before each test file (jest.config.mjs). A test fails if the code under test has printed something that the test has not
// taken: a line on the console, a message of this package on stderr, or a process warning.
import { format } from 'node:util';
import { afterAll, afterEach } from '@jest/globals';

const printed: string[] = [];

for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
  console[level] = (...values: unknown[]) => void printed.push(`${level}: ${format(...values)}`);
}

const { stderr } = process;
Object.defineProperty(process, 'stderr', {
  configurable: true,
  value: Object.create(stderr, {
    write: {
      writable: true,
      value(line: string) {
        if (!line.startsWith('passport-clinician [')) return stderr.write(line);
        printed.push(line.trimEnd());
        return true;
      },
    },
  }),
});

process.emitWarning = (warning: string | Error, options?: unknown) => {
  const { code } = { ...(options as { code?: string }) };
  printed.push(`warning${code === undefined ? '' : ` ${code}`}: ${warning}`);
};

/** @returns what the code under test has printed since the last call: `error: ...`, `warning CODE: ...` or `passport-clinician [code]: ...` */
export function takePrinted(): string[] {
  return printed.splice(0);
}

function checkPrinted(): void {
  const lines = takePrinted();
  if (lines.length > 0) throw new Error(`The code under test has printed, see takePrinted():\n${lines.join('\n')}`);
}
afterEach(checkPrinted);
afterAll(checkPrinted);
