import { createServer, type Server } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { MockProviderApp } from './app.js';

/** A server that listens, and answers as soon as it is told how. */
export interface Listening {
  readonly port: number;
  /** The address that it is reached at, without a slash at its end. */
  readonly origin: string;
  answerWith(app: MockProviderApp): void;
  close(): Promise<void>;
}

export async function listen({ https, host, port }: ResolvedOptions): Promise<Listening> {
  let app: MockProviderApp = (_req, res) => res.destroy();
  const handler: MockProviderApp = (req, res) => app(req, res);
  const server = https ? createTLSServer(https as { key: string; cert: string }, handler) : createServer(handler);
  // Longer than any client keeps a connection: a server that closes it first resets a request that is on its way.
  server.keepAliveTimeout = 600_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const address = await listening(server, port, host);
  const name = host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host;
  return {
    port: address.port,
    origin: new URL(`${https ? 'https' : 'http'}://${name}:${address.port}`).origin,
    answerWith(next) {
      app = next;
    },
    close: () => close(server, sockets),
  };
}

function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} is in use. Choose another one, or 0 for any that is free.`)
          : error,
      );
    });
    server.listen(port, host.replaceAll(/[[\]]/g, ''), () => resolve(server.address() as AddressInfo));
  });
}

/** The server itself knows of no connection that has not yet spoken TLS, and would wait two minutes for it. */
function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
