import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http/body.js';
import type { PendingResponses } from '../http/pending-responses.js';
import { MockRequest } from '../http/request.js';
import { half, type ProviderResponse } from '../http/response.js';
import type { InstanceRegistry } from './instance-registry.js';
import { handleRequest, isKnown, type RouteTarget, routeTargetOf } from './request-handler.js';

/**
 * A handler for node:http, for supertest, and for Express: `app.use(provider.app)`. What it does not know goes to `next()`.
 * Below a path, `app.use('/idp', provider.app)`, it wants a provider whose `publicURL` ends in that path.
 */
export type MockProviderApp = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

/** @param isMine which destinations it answers for; all others are handed on, or are not there. @default all */
export function createApp(
  registry: InstanceRegistry,
  isMine: (to: RouteTarget) => boolean = () => true,
): MockProviderApp {
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const target = targetOf(req);
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const found = routeTargetOf(registry, path);
    const destination = isMine(found) ? found : 'gone';
    const body = await readBody(req);
    const below = destination === 'gone' ? path : destination.path;
    const asked = mark < 0 ? below : below + target.slice(mark);
    const http = new MockRequest(req.method ?? 'GET', asked, req.headers, body, req.socket);
    const { pendingResponses } = destination === 'gone' ? registry.main : destination.instance;
    const answered = pendingResponses.isOver ? CUT_OFF : await handleRequest(destination, http);
    if (answered.delay || answered.connectionFault === 'hang' || answered.connectionFault === 'stall')
      writeLate(pendingResponses, res, http.method, answered);
    else write(res, http.method, answered);
  }

  return function mockProvider(req, res, next) {
    const path = targetOf(req).split('?', 1)[0] as string;
    if (next && !(isKnown(registry, path) && isMine(routeTargetOf(registry, path)))) {
      return next(
        isKnown(registry, (req.url ?? '/').split('?', 1)[0] as string) ? misplaced(registry, req) : undefined,
      );
    }
    handle(req, res).catch((error: unknown) => {
      if (next) next(error);
      else if (res.headersSent || res.destroyed) res.destroy();
      else res.writeHead(500, { 'Content-Type': 'text/plain' }).end((error as Error).message);
    });
  };
}

/** What Express takes off a path that a handler is mounted at. */
type Mounted = IncomingMessage & { baseUrl?: string };

function targetOf({ baseUrl = '', url = '/' }: Mounted): string {
  return baseUrl + url;
}

/** Links and redirects would lead past it. */
function misplaced({ main }: InstanceRegistry, { baseUrl }: Mounted): Error {
  return new Error(
    `provider.app is mounted at ${baseUrl}, and its issuer is ${main.issuer}: start it with a publicURL that ends in ${baseUrl}, or mount it at the root.`,
  );
}

const CUT_OFF: ProviderResponse = { status: 503, headers: {}, body: '', connectionFault: 'reset' };

/** Late, never, or not to the end. Who waits no longer leaves no timer behind, nor does a provider that ends. */
function writeLate(
  pendingResponses: PendingResponses,
  res: ServerResponse,
  method: string,
  answered: ProviderResponse,
): void {
  const isNever = answered.connectionFault === 'hang';
  const timer = isNever ? undefined : setTimeout(write, answered.delay ?? 0, res, method, answered);
  const done = pendingResponses.add(() => res.destroy());
  res.once('close', () => {
    clearTimeout(timer);
    done();
  });
}

function write(
  res: ServerResponse,
  method: string,
  { status, headers, body, connectionFault: silence }: ProviderResponse,
): void {
  if (res.destroyed) return;
  if (silence === 'reset') {
    res.destroy();
    return;
  }
  const hasBody = status !== 204 && status !== 304;
  res.writeHead(status, hasBody ? { ...headers, 'Content-Length': Buffer.byteLength(body) } : headers);
  if (silence === 'stall') res.write(half(body));
  else if (silence === 'cut') res.write(half(body), () => res.destroy());
  else res.end(method === 'HEAD' || !hasBody ? undefined : body);
}
