import { Client } from './client.mjs';

/**
 * The load generator. A script in this folder is a function of the target's `info` and the number of requests, which prepares the
 * load and returns `(client, index) => Promise`: it sends one request, or one sign-in, and throws for a wrong response.
 */
export default function start() {
  let job;

  async function prepare({ script, connections, count, ...options }) {
    const clients = Array.from({ length: connections }, () => new Client());
    const { [script.name]: create } = await import(script.file);
    job = { clients, count, send: await create(options.info, { ...options, count, connections }) };
  }

  /** Sends `count` requests. */
  async function run() {
    const { clients, count, send } = job;
    let sent = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (sent < count) {
          sent += 1;
          await send(client, sent - 1);
        }
      }),
    );
    for (const client of clients) client.close();
  }

  return { info: {}, operations: { prepare, run } };
}
