import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range from which the system assigns ports to servers and connections. Each worker of jest has its own ports, so
// that no other test takes a port between the probe and its use.
const PORTS_PER_WORKER = 1_000;
const BLOCKS = 20;
const first = 12_000 + ((Number(process.env.JEST_WORKER_ID) || 0) % BLOCKS) * PORTS_PER_WORKER;
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** @returns a port without a server. No two calls of a test file return the same one. */
export async function freePort(): Promise<number> {
  const port = first + (next++ % PORTS_PER_WORKER);
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
