import type { FaultOptions, MockProvider, RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import { basic, codeFields, codeOf, encode, send, type Tokens, tokensOf, type Wired } from '../wire.js';

/** Who talks to whom. */
export interface Scene {
  provider: MockProvider;
  client: RegisteredClient;
}

/** How a fault is seen on the wire. */
export interface Effect {
  options?: FaultOptions;
  /** One exchange. @returns true when it went wrong in the way of the fault, false when it went well; anything else fails */
  seen(scene: Scene): Promise<boolean>;
}

/** The scope that each client here may ask for. */
export const SCOPE = 'openid basic colleagues email';

export function login({ provider, client }: Scene): Promise<Tokens> {
  return tokensOf(provider, client, { scope: SCOPE, nonce: 'a nonce' });
}

/** A code that is ready before the exchange that is looked at. @returns the answer to its redemption, status 0 when none came */
export async function redeemed({ provider, client }: Scene): Promise<Wired> {
  const code = await codeOf(provider, client, { scope: SCOPE, nonce: 'a nonce' });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(client) };
  const body = encode(codeFields(client, code));
  return gone(read(fetch(`${provider.issuer}/oauth/token`, { method: 'POST', headers, body })));
}

/** Reads an answer that may be anything. */
async function read(given: Promise<Response>): Promise<Wired> {
  const response = await given;
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, json: parses(text) ? JSON.parse(text) : undefined, location: new URL('none:') };
}

export function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @returns an answer; one with status 0 in place of none. */
export function gone(answer: Promise<Wired>): Promise<Wired> {
  return answer.catch(() => ({
    status: 0,
    headers: new Headers(),
    text: '',
    json: undefined,
    location: new URL('none:'),
  }));
}

export async function document({ provider }: Scene, path: string): Promise<Wired> {
  return gone(send(provider, path));
}

export interface JWKS {
  keys: { kid?: string; n: string; e: string; kty: string }[];
}

export async function jwks(scene: Scene): Promise<JWKS> {
  return (await document(scene, '/.well-known/jwks.json')).json as JWKS;
}
