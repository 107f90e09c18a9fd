import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @returns a function that closes the server. It accepts no more connections, closes idle ones, and waits for the requests in
 * progress. After the time limit, or after the last response, it closes every connection.
 */
export function gracefulClose(server: Server): (timeoutMs: number) => Promise<void> {
  const responses = new Set<ServerResponse>();
  server.on('request', (_req, res) => {
    responses.add(res);
    res.once('close', () => responses.delete(res));
  });

  return async function close(timeoutMs) {
    const latest = Date.now() + timeoutMs;
    server.close();
    for (const res of responses) if (!res.headersSent) res.setHeader('Connection', 'close');
    while (responses.size > 0 && Date.now() < latest) await sleep(20);
    // Browsers also open connections in advance, which are not idle for Node.
    server.closeAllConnections();
  };
}

/** Exits after `close` at the first SIGTERM or SIGINT, and at once at a second one. */
export function exitOnSignal(close: () => Promise<void>): void {
  let isStopping = false;

  async function stop(): Promise<void> {
    if (isStopping) process.exit(1);
    isStopping = true;
    await close();
    process.exit(0);
  }

  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      stop().catch((error: unknown) => {
        console.error(error);
        process.exit(1);
      });
    });
  }
}
