import { bodyText } from '../http/body.js';
import type { PendingResponses } from '../http/pending-responses.js';
import { LOCAL_PEER, MockRequest } from '../http/request.js';
import { firstHalf, type ProviderResponse } from '../http/response.js';
import { handleRequest, type InstanceRegistry, type RouteTarget } from './instance-registry.js';

/** Fetches from the provider's own addresses without a socket. It returns redirects and does not follow them. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** @param isOwn selects the requests that it handles; others are refused. @default all of the provider's origin */
export function createFetch(
  registry: InstanceRegistry,
  issuer: string,
  isOwn: (to: RouteTarget) => boolean = () => true,
): MockFetch {
  const ownOrigin = new URL(issuer).origin;
  return async function mockFetch(input, init) {
    const request = new Request(input, { redirect: 'manual', ...init });
    const { origin, pathname, search } = new URL(request.url);
    const to = registry.find(pathname) ?? { instance: registry.main, path: pathname };
    if (origin !== ownOrigin || !isOwn(to)) {
      const requested = origin === ownOrigin ? origin + pathname : origin;
      throw new TypeError(`This fetch handles only ${issuer}, not ${requested}.`);
    }
    const body = bodyText(Buffer.from(await request.arrayBuffer()));
    const headers = Object.fromEntries(request.headers);
    const path = to === 'stopped' ? pathname : to.path;
    const http = new MockRequest(request.method, path + search, headers, body, { remoteAddress: LOCAL_PEER });
    // The caller's own signal: the signal of the Request may be garbage collected, and then never fires.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal);
    const { pendingResponses } = to === 'stopped' ? registry.main : to.instance;
    if (pendingResponses.isStopped) throw closed();
    return settle(await handleRequest(to, http), { method: http.method, signal, pendingResponses });
  };
}

interface Caller {
  readonly method: string;
  readonly signal: AbortSignal;
  readonly pendingResponses: PendingResponses;
}

async function settle(response: ProviderResponse, caller: Caller): Promise<Response> {
  caller.signal.throwIfAborted();
  const { status, headers, body, connectionFault, delay = 0 } = response;
  if (connectionFault === 'reset') throw closed();
  if (connectionFault === 'hang') await wait(undefined, caller);
  else if (delay > 0) await wait(delay, caller);
  const hasBody = caller.method !== 'HEAD' && status !== 204 && status !== 304 && body !== '';
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const sent = connectionFault === 'cut' || connectionFault === 'stall' ? partOf(body, connectionFault, caller) : body;
  return new Response(hasBody ? sent : null, { status, headers: lines });
}

function closed(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('The connection was closed') });
}

/** Waits for a time, or without one forever. Rejects when the caller aborts or the provider stops. */
function wait(milliseconds: number | undefined, { signal, pendingResponses }: Caller): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      done();
      settle();
    };
    const abort = () => end(() => reject(signal.reason as Error));
    const timer = milliseconds === undefined ? undefined : setTimeout(() => end(resolve), milliseconds);
    const done = pendingResponses.add(() => end(() => reject(closed())));
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Sends a part of the body, and then fails, or waits until the caller aborts. */
function partOf(body: string, connectionFault: 'cut' | 'stall', caller: Caller): ReadableStream<Uint8Array> {
  let isPartSent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!isPartSent) controller.enqueue(new TextEncoder().encode(firstHalf(body)));
      else if (connectionFault === 'cut') controller.error(new TypeError('terminated'));
      else await wait(undefined, caller).catch((reason: unknown) => controller.error(reason));
      isPartSent = true;
    },
  });
}
