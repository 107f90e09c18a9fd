import { clearTimeout, setTimeout } from '../../async/timers.js';
import type { LocalExchange, LocalResponse } from '../http/local-exchange.js';
import { withoutPathPrefix } from '../http/path-prefix.js';
import type { Address } from '../http/paths.js';
import type { PendingResponses } from '../http/pending-responses.js';
import { LOCAL_PEER, MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { ServedInstance } from './served-instance.js';

export function createLocalExchange(served: ServedInstance): LocalExchange {
  const { issuer, apiURL, prefix, pendingResponses } = served.instance;
  const addresses = new Map<string, Address | undefined>([
    [new URL(issuer).origin, issuer === apiURL ? undefined : 'issuer'],
    ...(issuer === apiURL ? [] : [[new URL(apiURL).origin, 'api'] as const]),
  ]);
  const own = [...new Set([issuer, apiURL])].join(' and ');
  return async function exchange({ method, url: { origin, pathname, search }, headers, body, signal }) {
    if (!addresses.has(origin)) throw new TypeError(`This fetch handles only ${own}, not ${origin}.`);
    const path = withoutPathPrefix(prefix, pathname) ?? pathname;
    const from = { remoteAddress: LOCAL_PEER, address: addresses.get(origin) };
    const http = new MockRequest(method, path + search, headers, body, from);
    if (pendingResponses.isStopped) throw closed();
    return settle(await served.handle(http), { method, signal, pendingResponses });
  };
}

interface Caller {
  readonly method: string;
  readonly signal: AbortSignal | undefined;
  readonly pendingResponses: PendingResponses;
}

async function settle(response: ProviderResponse, caller: Caller): Promise<LocalResponse> {
  caller.signal?.throwIfAborted();
  const { status, headers, body, connectionFault, fault, delay = 0 } = response;
  if (connectionFault === 'reset') throw closed(fault);
  if (connectionFault === 'hang') await wait(undefined, caller);
  else if (delay > 0) await wait(delay, caller);
  const hasBody = caller.method !== 'HEAD' && status !== 204 && status !== 304 && body !== '';
  if (!hasBody) return { status, headers, body: '', rest: undefined };
  return { status, headers, body, rest: restOf(connectionFault, caller) };
}

function restOf(fault: ProviderResponse['connectionFault'], caller: Caller): LocalResponse['rest'] {
  if (fault === 'cut') return () => Promise.reject(new TypeError('terminated'));
  return fault === 'stall' ? () => wait(undefined, caller) : undefined;
}

function closed(fault?: string): TypeError {
  const reason = fault === undefined ? '' : ` by the fault ${fault}`;
  return new TypeError('fetch failed', { cause: new Error(`The connection was closed${reason}`) });
}

/** Waits for a time, or without one forever. Rejects when the caller aborts or the provider stops. */
function wait(milliseconds: number | undefined, { signal, pendingResponses }: Caller): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      done();
      settle();
    };
    const abort = () => end(() => reject(signal?.reason as Error));
    const timer = milliseconds === undefined ? undefined : setTimeout(() => end(resolve), milliseconds);
    const done = pendingResponses.add(() => end(() => reject(closed())));
    signal?.addEventListener('abort', abort, { once: true });
  });
}
