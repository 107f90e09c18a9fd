import type { FaultOptions, MockProvider, RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import { basic, codeFields, codeOf, encode, send, type Tokens, tokensOf, type WireResponse } from '../wire.js';

/** The two ends of an exchange. */
export interface Parties {
  provider: MockProvider;
  client: RegisteredClient;
}

/** The observable effect of a fault. */
export interface Effect {
  options?: FaultOptions;
  /** Runs one exchange. @returns true when it shows the effect, false when it succeeds; fails otherwise */
  isFaulty(parties: Parties): Promise<boolean>;
}

/** The scope of each client. */
export const SCOPE = 'openid basic colleagues email';

export function login({ provider, client }: Parties): Promise<Tokens> {
  return tokensOf(provider, client, { scope: SCOPE, nonce: 'a nonce' });
}

/** Redeems a new code. @returns the response; one with status 0 when there is none */
export async function redeemCode({ provider, client }: Parties): Promise<WireResponse> {
  const code = await codeOf(provider, client, { scope: SCOPE, nonce: 'a nonce' });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(client) };
  const body = encode(codeFields(client, code));
  return orStatusZero(readResponse(fetch(`${provider.issuer}/oauth/token`, { method: 'POST', headers, body })));
}

/** Reads a response that may not be JSON. */
async function readResponse(fetched: Promise<Response>): Promise<WireResponse> {
  const response = await fetched;
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, json: isJSON(text) ? JSON.parse(text) : undefined, location: new URL('none:') };
}

export function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @returns the response; one with status 0 when there is none. */
export function orStatusZero(response: Promise<WireResponse>): Promise<WireResponse> {
  return response.catch(() => ({
    status: 0,
    headers: new Headers(),
    text: '',
    json: undefined,
    location: new URL('none:'),
  }));
}

export async function fetchDocument({ provider }: Parties, path: string): Promise<WireResponse> {
  return orStatusZero(send(provider, path));
}

export interface JWKS {
  keys: { kid?: string; n: string; e: string; kty: string }[];
}

export async function fetchJWKS(parties: Parties): Promise<JWKS> {
  return (await fetchDocument(parties, '/.well-known/jwks.json')).json as JWKS;
}
