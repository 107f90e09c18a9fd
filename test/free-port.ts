import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** @returns a port without a server, below the range from which the system assigns ports to other servers and connections. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    return freePort();
  }
  await probe[Symbol.asyncDispose]();
  return port;
}
