import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { theirEnvironment } from './packed.js';

/** @returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a program that prints a line once it is ready, and ends it when the function is done. */
export async function whileRunning(cwd: string, args: string | string[], use: () => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [args].flat(), {
    cwd,
    env: theirEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const exit = once(child, 'exit');
  try {
    const ready = once(createInterface({ input: child.stdout }), 'line');
    const ended = exit.then(() => {
      throw new Error(`it ended before it was ready: ${said}`);
    });
    await Promise.race([ready, ended]);
    await use();
  } finally {
    child.kill();
    await exit.catch(() => undefined);
  }
}
