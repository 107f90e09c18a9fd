import { createHash } from 'node:crypto';
import type { MockProvider, RegisteredClient } from '../../lib/mock-provider/mock-provider.js';

export const redirectURI = 'http://127.0.0.1:5001/callback';
export const verifier = 'a-code-verifier-of-a-test-0123456789-0123456789';
export const challenge: string = createHash('sha256').update(verifier).digest('base64url');

export type Parameters = Record<string, string | undefined>;

/** @returns the query of an authorization request; a parameter that is undefined is left out. */
export function authorizeQuery(client: RegisteredClient, change: Parameters = {}): URLSearchParams {
  const pkce = client.flow === 'openid' ? { code_challenge: challenge, code_challenge_method: 'S256' } : {};
  const all: Parameters = {
    client_id: client.clientID,
    response_type: 'code',
    redirect_uri: redirectURI,
    state: 'the-state',
    ...pkce,
  };
  const entries = Object.entries({ ...all, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(entries);
}

export function authorizeURL(provider: MockProvider, client: RegisteredClient, change: Parameters = {}): string {
  return `${provider.issuer}/oauth/authorize?${authorizeQuery(client, change)}`;
}

/** Asks without following: what a browser without a session gets. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers: { accept: 'text/html' }, ...init });
}

/** @returns the parameters of an authorization response, and where it went. */
export function answerOf(response: Response): { at: string; parameters: Record<string, string> } {
  const url = new URL(response.headers.get('location') as string);
  const text = url.hash ? url.hash.slice(1) : url.search;
  return { at: url.origin + url.pathname, parameters: Object.fromEntries(new URLSearchParams(text)) };
}

/** Signs somebody in. @returns the parameters that came back. */
export async function signedIn(
  provider: MockProvider,
  client: RegisteredClient,
  change: Parameters = {},
  as = 'verified',
): Promise<Record<string, string>> {
  const url = new URL(await provider.signIn(authorizeURL(provider, client, change), { as }));
  return Object.fromEntries(new URLSearchParams(url.hash ? url.hash.slice(1) : url.search));
}

export function basic({ clientID, clientSecret }: Pick<RegisteredClient, 'clientID' | 'clientSecret'>): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(clientID)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
}

/** Posts a form with the client authentication that the flow asks for. */
export function post(
  provider: MockProvider,
  path: string,
  client: RegisteredClient,
  form: Parameters,
  headers: Record<string, string> = {},
): Promise<Response> {
  const secret = client.flow === 'profile' ? { client_id: client.clientID, client_secret: client.clientSecret } : {};
  const entries = Object.entries({ ...secret, ...form }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const authorization: Record<string, string> = client.flow === 'openid' ? { authorization: basic(client) } : {};
  return fetch(provider.issuer + path, {
    method: 'POST',
    body: new URLSearchParams(entries),
    headers: { ...authorization, ...headers },
  });
}

export function codeForm(client: RegisteredClient, code: string | undefined, change: Parameters = {}): Parameters {
  const pkce = client.flow === 'openid' ? { code_verifier: verifier } : {};
  return { grant_type: 'authorization_code', code, redirect_uri: redirectURI, ...pkce, ...change };
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  scope?: string;
  expires_in: number;
  token_type: string;
}

export async function tokensFor(
  provider: MockProvider,
  client: RegisteredClient,
  change: Parameters = {},
  as = 'verified',
): Promise<Tokens> {
  const { code } = await signedIn(provider, client, change, as);
  const response = await post(provider, '/oauth/token', client, codeForm(client, code));
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Tokens;
}

export function refresh(
  provider: MockProvider,
  client: RegisteredClient,
  refresh_token: string,
  change: Parameters = {},
): Promise<Response> {
  return post(provider, '/oauth/token', client, { grant_type: 'refresh_token', refresh_token, ...change });
}

export function profile(provider: MockProvider, access_token: string): Promise<Response> {
  return fetch(`${provider.apiURL}/api/v1/users/current`, { headers: { authorization: `Bearer ${access_token}` } });
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>;
}

/** Status and error code of an answer in JSON. */
export async function refusalOf(response: Response): Promise<[status: number, error: unknown]> {
  return [response.status, ((await response.json()) as { error?: unknown }).error];
}
