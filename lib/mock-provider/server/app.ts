import type { IncomingMessage, ServerResponse } from 'node:http';
import { clearTimeout, setTimeout } from '../../async/timers.js';
import { readBody } from '../http/body.js';
import { withoutPathPrefix } from '../http/path-prefix.js';
import type { Address } from '../http/paths.js';
import type { PendingResponses } from '../http/pending-responses.js';
import { MockRequest } from '../http/request.js';
import { firstHalf, type ProviderResponse } from '../http/response.js';
import type { ServedInstance } from './served-instance.js';

/**
 * Handles requests of node:http, supertest and Express: `app.use(provider.app)`. Unknown paths go to `next()`. Mounted at a
 * path, as in `app.use('/idp', provider.app)`, it needs a provider whose `publicURL` ends in that path.
 */
export type MockProviderApp = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

/** @param address the address that the requests are sent to; undefined if the issuer and the API have one origin */
export function createApp(served: ServedInstance, address: Address | undefined): MockProviderApp {
  const { issuer, prefix, pendingResponses } = served.instance;
  const isServed = (path: string | undefined) => path !== undefined && served.serves(path, address);

  /** @param target the path in the provider, with the query */
  async function handle(req: IncomingMessage, res: ServerResponse, target: string): Promise<void> {
    const body = await readBody(req);
    const { remoteAddress, localPort } = req.socket;
    const from = { remoteAddress, localPort, address };
    const http = new MockRequest(req.method ?? 'GET', target, headersOf(req), body, from);
    const response = pendingResponses.isStopped ? CONNECTION_CLOSED : await served.handle(http);
    if (response.delay || response.connectionFault === 'hang' || response.connectionFault === 'stall') {
      writeLate(pendingResponses, res, http.method, response);
    } else write(res, http.method, response);
  }

  /** @returns an error for a handler that is mounted at a path which its issuer does not have: its links would lack that path. */
  function mountError({ baseUrl, url = '/' }: Mounted): Error | undefined {
    if (!isServed(withoutPathPrefix(prefix, pathOf(originForm(url))))) return undefined;
    return new Error(
      `provider.app is mounted at ${baseUrl}, but its issuer is ${issuer}. Start it with a publicURL that ends in ${baseUrl}, or mount it at the root.`,
    );
  }

  return function mockProvider(req, res, next) {
    const url = urlOf(req);
    const path = pathOf(url);
    const ownPath = withoutPathPrefix(prefix, path);
    if (next && !isServed(ownPath)) return next(mountError(req));
    handle(req, res, (ownPath ?? path) + url.slice(path.length)).catch((error: unknown) => {
      if (next) next(error);
      else if (res.headersSent || res.destroyed) res.destroy();
      else res.writeHead(500, { 'Content-Type': 'text/plain' }).end((error as Error).message);
    });
  };
}

/** Express removes the path that a handler is mounted at from `url`. */
type Mounted = IncomingMessage & { baseUrl?: string };

function urlOf({ baseUrl = '', url = '/' }: Mounted): string {
  return baseUrl + originForm(url);
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)\/?/i;

/** @returns a request target without scheme and host: a client that sends its requests to a proxy has both (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  return target.replace(ABSOLUTE_FORM, '/');
}

/** @returns the headers, with the host of an absolute target in place of the Host header (RFC 9112 section 3.2.2). */
function headersOf({ url = '/', headers }: IncomingMessage): IncomingMessage['headers'] {
  const [, host] = ABSOLUTE_FORM.exec(url) ?? [];
  return host === undefined ? headers : { ...headers, host };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
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
  // The site that mounts the provider may have set one.
  if (body === '') res.removeHeader('Content-Type');
  const hasBody = status !== 204 && status !== 304;
  res.writeHead(status, hasBody ? { 'Content-Length': Buffer.byteLength(body), ...headers } : headers);
  if (connectionFault === 'stall') res.write(firstHalf(body));
  else if (connectionFault === 'cut') res.write(firstHalf(body), () => res.destroy());
  else res.end(method === 'HEAD' || !hasBody ? undefined : body);
}
