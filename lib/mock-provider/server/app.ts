import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http/body.js';
import type { Address } from '../http/paths.js';
import type { PendingResponses } from '../http/pending-responses.js';
import { MockRequest } from '../http/request.js';
import { firstHalf, type ProviderResponse } from '../http/response.js';
import { handleRequest, type InstanceRegistry, isServed, type RouteTarget } from './instance-registry.js';

/**
 * Handles requests of node:http, supertest and Express: `app.use(provider.app)`. Unknown paths go to `next()`. Mounted at a
 * path, as in `app.use('/idp', provider.app)`, it needs a provider whose `publicURL` ends in that path.
 */
export type MockProviderApp = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

/**
 * @param address the address that the requests are sent to; undefined if the issuer and the API have one origin
 * @param isOwn selects the requests that it handles; others go to `next()`, or get 404. @default all
 */
export function createApp(
  registry: InstanceRegistry,
  address: Address | undefined,
  isOwn: (to: RouteTarget) => boolean = () => true,
): MockProviderApp {
  /** @param target the path in its provider, with the query */
  async function handle(req: IncomingMessage, res: ServerResponse, to: RouteTarget, target: string): Promise<void> {
    const body = await readBody(req);
    const { remoteAddress, localPort } = req.socket;
    const from = { remoteAddress, localPort, address };
    const http = new MockRequest(req.method ?? 'GET', target, req.headers, body, from);
    const { pendingResponses } = to === 'stopped' ? registry.main : to.instance;
    const response = pendingResponses.isStopped ? CONNECTION_CLOSED : await handleRequest(to, http);
    if (response.delay || response.connectionFault === 'hang' || response.connectionFault === 'stall') {
      writeLate(pendingResponses, res, http.method, response);
    } else write(res, http.method, response);
  }

  return function mockProvider(req, res, next) {
    const url = urlOf(req);
    const path = pathOf(url);
    const found = registry.find(path);
    const to = found ?? { instance: registry.main, path };
    if (next && !(isServed(found, address) && isOwn(to))) return next(mountError(registry, req, address));
    const isHandled = to !== 'stopped' && isOwn(to);
    const target = isHandled ? to.path + url.slice(path.length) : url;
    handle(req, res, isHandled ? to : 'stopped', target).catch((error: unknown) => {
      if (next) next(error);
      else if (res.headersSent || res.destroyed) res.destroy();
      else res.writeHead(500, { 'Content-Type': 'text/plain' }).end((error as Error).message);
    });
  };
}

/** Express removes the path that a handler is mounted at from `url`. */
type Mounted = IncomingMessage & { baseUrl?: string };

function urlOf({ baseUrl = '', url = '/' }: Mounted): string {
  return baseUrl + url;
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** @returns an error for a handler that is mounted at a path which its issuer does not have: its links and redirects would lack that path. */
function mountError(
  registry: InstanceRegistry,
  { baseUrl, url = '/' }: Mounted,
  address: Address | undefined,
): Error | undefined {
  if (!isServed(registry.find(pathOf(url)), address)) return undefined;
  return new Error(
    `provider.app is mounted at ${baseUrl}, but its issuer is ${registry.main.issuer}. Start it with a publicURL that ends in ${baseUrl}, or mount it at the root.`,
  );
}

const CONNECTION_CLOSED: ProviderResponse = { status: 503, headers: {}, body: '', connectionFault: 'reset' };

/** Writes a delayed response. Its timer ends with the connection and with the provider. */
function writeLate(
  pendingResponses: PendingResponses,
  res: ServerResponse,
  method: string,
  response: ProviderResponse,
): void {
  const isNever = response.connectionFault === 'hang';
  const timer = isNever ? undefined : setTimeout(write, response.delay ?? 0, res, method, response);
  const done = pendingResponses.add(() => res.destroy());
  res.once('close', () => {
    clearTimeout(timer);
    done();
  });
}

function write(
  res: ServerResponse,
  method: string,
  { status, headers, body, connectionFault }: ProviderResponse,
): void {
  if (res.destroyed) return;
  if (connectionFault === 'reset') {
    res.destroy();
    return;
  }
  const hasBody = status !== 204 && status !== 304;
  res.writeHead(status, hasBody ? { 'Content-Length': Buffer.byteLength(body), ...headers } : headers);
  if (connectionFault === 'stall') res.write(firstHalf(body));
  else if (connectionFault === 'cut') res.write(firstHalf(body), () => res.destroy());
  else res.end(method === 'HEAD' || !hasBody ? undefined : body);
}
