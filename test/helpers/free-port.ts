import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

// Below the range from which the system assigns ports to servers and connections. Each worker of jest has its own ports, so
// that no other test takes a port between the probe and its use.
const MIN_PORT = 12_000;
const BLOCKS = 20;
const PORTS_PER_WORKER = Math.min(1_000, Math.floor((firstAssignedPort() - MIN_PORT) / BLOCKS));
const first = MIN_PORT + ((Number(process.env.JEST_WORKER_ID) || 0) % BLOCKS) * PORTS_PER_WORKER;
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** @returns the first port of the system's range; the default of Linux where it cannot be read or leaves too few other ports. */
function firstAssignedPort(): number {
  const byDefault = 32_768;
  try {
    const port = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return port >= MIN_PORT + 100 * BLOCKS ? port : byDefault;
  } catch {
    return byDefault;
  }
}

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
