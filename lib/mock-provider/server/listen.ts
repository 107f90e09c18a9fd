import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { explainFakeTimers } from '../../async/timers.js';
import type { ResolvedOptions } from '../options/resolve-provider-options.js';
import { violationAt } from '../options/validate.js';
import type { MockProviderApp } from './app.js';
import type { ServerIdentity } from './server-identity.js';

/** The listening servers of a host. It closes connections until an app serves them. */
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
  const sockets = new Set<Socket>();
  async function create(): Promise<Server> {
    const server = identity ? await createTLSServer(identity, handler) : createServer(handler);
    // Longer than any client holds an idle connection: if the server closed it first, it could reset a request in progress.
    server.keepAliveTimeout = 600_000;
    server.on('clientError', refuseUnreadable);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    return server;
  }
  const servers = await listenAt(host, port, create).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw violationAt([option], `${port} is in use. Choose another one, or 0 for any free port.`);
  });
  const name = host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host;
  const actualPort = portOf(servers[0] as Server);
  return {
    port: actualPort,
    origin: new URL(`${identity ? 'https' : 'http'}://${name}:${actualPort}`).origin,
    serve(next) {
      app = next;
    },
    close: () => explainFakeTimers(close(servers, sockets)),
  };
}

/** Imports node:https only when it is needed, because that import takes longer than the start of the server. */
async function createTLSServer(identity: ServerIdentity, app: MockProviderApp): Promise<Server> {
  const https = await import('node:https');
  return https.createServer(identity as { key: string; cert: string }, app);
}

const RESPONSES: Readonly<Record<string, readonly [status: string, text: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than 16 kB. A browser sends the cookies of every site on this host name, whatever its port: delete them in the browser, or open the site at another name, such as localhost in place of 127.0.0.1.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', ''],
};

type UnreadableRequest = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Responds as Node does to a request that it cannot read, with a text for the one that developers get. */
function refuseUnreadable({ code = '', rawPacket }: UnreadableRequest, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const [status, text] = RESPONSES[code] ?? ['400 Bad Request', ''];
  const isHead = rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  const headers = `Connection: close\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${isHead ? '' : text}`);
}

const MISSING_ADDRESS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const MAX_ATTEMPTS = 10;

/** @returns a server for each address of a host. `localhost` has two, and clients choose either; a machine may have only one. */
async function listenAt(host: string, port: number, create: () => Promise<Server>, attempt = 1): Promise<Server[]> {
  const servers: Server[] = [];
  let missing: unknown;
  for (const address of host === 'localhost' ? ['127.0.0.1', '::1'] : [host.replaceAll(/[[\]]/g, '')]) {
    const [first] = servers;
    const server = await create();
    try {
      await explainFakeTimers(listening(server, first === undefined ? port : portOf(first), address));
      servers.push(server);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      missing = error;
      if (host === 'localhost' && MISSING_ADDRESS.includes(code)) continue;
      await close(servers, new Set());
      // The port is free at the first address, and not at the second.
      if (first === undefined || port !== 0 || code !== 'EADDRINUSE' || attempt === MAX_ATTEMPTS) throw error;
      return await listenAt(host, port, create, attempt + 1);
    }
  }
  if (servers.length === 0) throw missing;
  return servers;
}

function listening(server: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Destroys every socket: a server does not track connections before their TLS handshake, and would wait two minutes. */
async function close(servers: readonly Server[], sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
}
