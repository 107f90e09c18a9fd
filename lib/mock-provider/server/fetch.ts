import { bodyText } from '../http/body.js';
import type { PendingResponses } from '../http/pending-responses.js';
import { LOCAL_PEER, MockRequest } from '../http/request.js';
import { half, type ProviderResponse } from '../http/response.js';
import type { InstanceRegistry } from './instance-registry.js';
import { handleRequest, type RouteTarget, routeTargetOf } from './request-handler.js';

/** A fetch that answers without a socket. It hands redirects on, and knows the provider's own addresses alone. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** @param isMine which destinations it answers for. @default all of the provider's address */
export function createFetch(
  registry: InstanceRegistry,
  issuer: string,
  isMine: (to: RouteTarget) => boolean = () => true,
): MockFetch {
  const home = new URL(issuer).origin;
  return async function mockFetch(input, init) {
    const request = new Request(input, { redirect: 'manual', ...init });
    const { origin, pathname, search } = new URL(request.url);
    const destination = routeTargetOf(registry, pathname);
    if (origin !== home || !isMine(destination)) {
      const asked = origin === home ? origin + pathname : origin;
      throw new TypeError(`This fetch answers for ${issuer} alone, not for ${asked}.`);
    }
    const body = bodyText(Buffer.from(await request.arrayBuffer()));
    const headers = Object.fromEntries(request.headers);
    const path = destination === 'gone' ? pathname : destination.path;
    const http = new MockRequest(request.method, path + search, headers, body, { remoteAddress: LOCAL_PEER });
    // The caller's own: the one of a Request that nobody holds any more may be forgotten, and never tell.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal);
    const { pendingResponses } = destination === 'gone' ? registry.main : destination.instance;
    if (pendingResponses.isOver) throw closed();
    return settle(await handleRequest(destination, http), {
      method: http.method,
      signal,
      pendingResponses: pendingResponses,
    });
  };
}

interface Caller {
  readonly method: string;
  readonly signal: AbortSignal;
  readonly pendingResponses: PendingResponses;
}

async function settle(answered: ProviderResponse, caller: Caller): Promise<Response> {
  caller.signal.throwIfAborted();
  const { status, headers, body, connectionFault: silence, delay = 0 } = answered;
  if (silence === 'reset') throw closed();
  if (silence === 'hang') await passed(undefined, caller);
  else if (delay > 0) await passed(delay, caller);
  const hasBody = caller.method !== 'HEAD' && status !== 204 && status !== 304 && body !== '';
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const sent = silence === 'cut' || silence === 'stall' ? halfOf(body, silence, caller) : body;
  return new Response(hasBody ? sent : null, { status, headers: lines });
}

function closed(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('The connection was closed') });
}

/** Waits so many milliseconds, or for ever; rejects when the caller has lost patience, or the provider ends. */
function passed(milliseconds: number | undefined, { signal, pendingResponses }: Caller): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const settled = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      done();
      settle();
    };
    const abort = () => settled(() => reject(signal.reason as Error));
    const timer = milliseconds === undefined ? undefined : setTimeout(() => settled(resolve), milliseconds);
    const done = pendingResponses.add(() => settled(() => reject(closed())));
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Half of a body, and then the end of the connection, or nothing till the caller has lost patience. */
function halfOf(body: string, silence: 'cut' | 'stall', caller: Caller): ReadableStream<Uint8Array> {
  let isHalfSent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!isHalfSent) controller.enqueue(new TextEncoder().encode(half(body)));
      else if (silence === 'cut') controller.error(new TypeError('terminated'));
      else await passed(undefined, caller).catch((reason: unknown) => controller.error(reason));
      isHalfSent = true;
    },
  });
}
