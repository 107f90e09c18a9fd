import { type Answer, half } from './answer.js';
import { bodyText } from './body.js';
import type { House } from './house.js';
import { LOCAL_PEER, MockRequest } from './request.js';
import { answer } from './router.js';

/** A fetch that answers without a socket. It hands redirects on, and knows the provider's own addresses alone. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export function createFetch(house: House): MockFetch {
  return async function mockFetch(input, init) {
    const request = new Request(input, { redirect: 'manual', ...init });
    const { origin, pathname, search } = new URL(request.url);
    if (origin !== house.issuer) {
      throw new TypeError(`provider.fetch answers for ${house.issuer} alone, not for ${origin}.`);
    }
    const body = bodyText(Buffer.from(await request.arrayBuffer()));
    const headers = Object.fromEntries(request.headers);
    const http = new MockRequest(request.method, pathname + search, headers, body, { remoteAddress: LOCAL_PEER });
    // The caller's own: the one of a Request that nobody holds any more may be forgotten, and never tell.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal);
    return settle(await answer(house, http), http.method, signal);
  };
}

async function settle(answered: Answer, method: string, signal: AbortSignal): Promise<Response> {
  signal.throwIfAborted();
  const { status, headers, body, silence, delay = 0 } = answered;
  if (silence === 'reset') throw new TypeError('fetch failed', { cause: new Error('The connection was closed') });
  if (silence === 'hang') await aborted(signal);
  else if (delay > 0) await late(delay, signal);
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304 && body !== '';
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const sent = silence === 'cut' || silence === 'stall' ? halfOf(body, silence, signal) : body;
  return new Response(hasBody ? sent : null, { status, headers: lines });
}

async function late(delay: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise((resolve) => {
    timer = setTimeout(resolve, delay);
  });
  await Promise.race([passed, aborted(signal)]).finally(() => clearTimeout(timer));
}

/** Half of a body, and then the end of the connection, or nothing till the caller has lost patience. */
function halfOf(body: string, silence: 'cut' | 'stall', signal: AbortSignal): ReadableStream<Uint8Array> {
  let isHalfSent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!isHalfSent) controller.enqueue(new TextEncoder().encode(half(body)));
      else if (silence === 'cut') controller.error(new TypeError('terminated'));
      else await aborted(signal).catch((reason: unknown) => controller.error(reason));
      isHalfSent = true;
    },
  });
}

/** Rejects when the caller has lost patience. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
