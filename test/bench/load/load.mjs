import { Client } from './client.mjs';

/**
 * The load generator. A script in this folder is a function of the target's `info` and the number of requests, which prepares the
 * load and returns `(client, index) => Promise`: it sends one request, or one sign-in, and throws for a wrong response.
 */
export default function start() {
  let job;

  async function prepare({ script, connections, count, seconds, ...options }) {
    const clients = Array.from({ length: connections }, () => new Client());
    const { [script.name]: create } = await import(script.file);
    job = { clients, count, seconds, send: await create(options.info, { ...options, count, connections }) };
  }

  /** Sends `count` requests, or as many as fit in `seconds`. @returns their number and the elapsed time */
  async function run() {
    const { clients, count = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY, send } = job;
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1000;
    let sent = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (sent < count && performance.now() < endsAt) {
          sent += 1;
          await send(client, sent - 1);
        }
      }),
    );
    const elapsedMs = performance.now() - startedAt;
    for (const client of clients) client.close();
    return { sent, elapsedMs };
  }

  return { info: {}, operations: { prepare, run } };
}
