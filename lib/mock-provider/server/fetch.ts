import { bodyText } from '../http/body.js';
import type { LocalExchange, LocalResponse } from '../http/local-exchange.js';
import { firstHalf } from '../http/response.js';

/** Fetches from the provider's own addresses without a socket. It returns redirects and does not follow them. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export function createFetch(exchange: LocalExchange): MockFetch {
  return async function mockFetch(input, init) {
    const request = new Request(input, { redirect: 'manual', ...init });
    const { status, headers, body, rest } = await exchange({
      method: request.method,
      url: new URL(request.url),
      headers: Object.fromEntries(request.headers),
      body: bodyText(Buffer.from(await request.arrayBuffer())),
      // The caller's own signal: the signal of the Request may be garbage collected, and then never fires.
      signal: init?.signal ?? (input instanceof Request ? input.signal : request.signal),
    });
    const lines = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const sent = rest === undefined ? body : partOf(body, rest);
    return new Response(body === '' ? null : sent, { status, headers: lines });
  };
}

/** Sends a part of the body, and then waits for the rest, which does not arrive. */
function partOf(body: string, rest: NonNullable<LocalResponse['rest']>): ReadableStream<Uint8Array> {
  let isPartSent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!isPartSent) controller.enqueue(new TextEncoder().encode(firstHalf(body)));
      else await rest().catch((reason: unknown) => controller.error(reason));
      isPartSent = true;
    },
  });
}
