import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectEnvironment } from './packed.js';

/** Starts a program that prints a line when it is ready, and stops it after the function, which receives that line. */
export async function whileRunning(
  cwd: string,
  args: string | string[],
  use: (line: string) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [args].flat(), {
    cwd,
    env: projectEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // After 'exit' there may be more output.
  const closed = once(child, 'close');
  try {
    const ready = once(createInterface({ input: child.stdout }), 'line');
    const ended = closed.then(() => {
      throw new Error(`the program ended before it was ready: ${errors}`);
    });
    const [line] = await Promise.race([ready, ended]);
    await use(line);
  } finally {
    child.kill();
    await closed.catch(() => undefined);
  }
}
