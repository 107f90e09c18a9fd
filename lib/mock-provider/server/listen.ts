import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ResolvedOptions } from '../options/resolve-provider-options.js';
import { violationAt } from '../options/validate.js';
import type { MockProviderApp } from './app.js';
import type { ServerIdentity } from './server-identity.js';

/** A listening server. It closes connections until an app serves them. */
export interface Listening {
  readonly port: number;
  /** The address of the server, without a trailing slash. */
  readonly origin: string;
  serve(app: MockProviderApp): void;
  close(): Promise<void>;
}

type PortOption = 'port' | 'apiPort';

/** @returns a server, without an identity one for plain http; rejects with a TypeError when its port is in use. */
export async function listen(
  options: ResolvedOptions,
  option: PortOption,
  identity: ServerIdentity | undefined,
): Promise<Listening> {
  const { host, [option]: port = 0 } = options;
  let app: MockProviderApp = (_req, res) => res.destroy();
  const handler: MockProviderApp = (req, res) => app(req, res);
  const server = identity ? await createTLSServer(identity, handler) : createServer(handler);
  // Longer than any client holds an idle connection: if the server closed it first, it could reset a request in progress.
  server.keepAliveTimeout = 600_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const address = await listening(server, { option, port, host });
  const name = host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host;
  return {
    port: address.port,
    origin: new URL(`${identity ? 'https' : 'http'}://${name}:${address.port}`).origin,
    serve(next) {
      app = next;
    },
    close: () => close(server, sockets),
  };
}

/** Imports node:https only when it is needed, because that import takes longer than the start of the server. */
async function createTLSServer(identity: ServerIdentity, app: MockProviderApp): Promise<Server> {
  const https = await import('node:https');
  return https.createServer(identity as { key: string; cert: string }, app);
}

function listening(
  server: Server,
  { option, port, host }: { option: PortOption; port: number; host: string },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? violationAt([option], `${port} is in use. Choose another one, or 0 for any that is free.`)
          : error,
      );
    });
    server.listen(port, host.replaceAll(/[[\]]/g, ''), () => resolve(server.address() as AddressInfo));
  });
}

/** Destroys every socket: the server does not track connections before their TLS handshake, and would wait two minutes. */
function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
