import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { MockProvider, RegisteredClient } from '../../lib/mock-provider/mock-provider.js';

export const REDIRECT_URI = 'http://127.0.0.1:5001/callback';
export const POST_LOGOUT_URI = 'http://127.0.0.1:5001/goodbye';

/** The pair of RFC 7636 appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** Parameters by name; undefined omits one, an array repeats it. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WireResponse {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON of a response; undefined for other text
  json: any;
  /** The target of a redirect; `none:` without one. */
  location: URL;
}

export function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, one]])),
  );
  return new URLSearchParams(pairs as [string, string][]).toString();
}

function jsonOf({ headers }: Response, text: string): unknown {
  try {
    return /json/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends one request over a socket and follows no redirect. */
export async function send(provider: MockProvider, path: string, init: RequestInit = {}): Promise<WireResponse> {
  const response = await fetch(provider.issuer + path, { ...init, redirect: 'manual' });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: jsonOf(response, text),
    location: new URL(response.headers.get('location') ?? 'none:', provider.issuer),
  };
}

/** Sends a request that fetch would not send. @returns status 0 when the connection closed without a response */
export function sendRaw(
  provider: MockProvider,
  options: { method?: string; path: string; headers?: Record<string, string | string[]>; body?: string | Buffer },
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const { body, ...rest } = options;
  return new Promise((resolve) => {
    const { hostname, port } = new URL(provider.issuer);
    const request = httpRequest({ host: hostname, port, agent: false, ...rest }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on('error', () => resolve({ status: 0, headers: {}, text: '' }));
    request.end(body);
  });
}

/** Sends bytes. @returns every byte of the response until the connection closes */
export function sendBytes(provider: MockProvider, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(provider.issuer);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

/** @returns the parameters of a valid authorization request. */
export function authorization(client: RegisteredClient, more: Fields = {}): Fields {
  const isOpenID = client.flow === 'openid';
  return {
    client_id: client.clientID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    state: 'a state',
    ...(isOpenID && { code_challenge: CHALLENGE, code_challenge_method: 'S256' }),
    ...more,
  };
}

export function authorizeURL(provider: MockProvider, client: RegisteredClient, more: Fields = {}): string {
  return `${provider.issuer}/oauth/authorize?${encode(authorization(client, more))}`;
}

/** Sends an authorization request without cookies. */
export function authorize(provider: MockProvider, client: RegisteredClient, more: Fields = {}): Promise<WireResponse> {
  return send(provider, `/oauth/authorize?${encode(authorization(client, more))}`);
}

interface Login extends Fields {
  readonly as?: string;
}

/** Signs in and approves. @returns the URL of the redirect to the client */
export async function signIn(provider: MockProvider, client: RegisteredClient, login: Login = {}): Promise<URL> {
  const { as = 'verified', ...more } = login;
  return new URL(await provider.signIn(authorizeURL(provider, client, more), { as }));
}

export async function codeOf(provider: MockProvider, client: RegisteredClient, login: Login = {}): Promise<string> {
  const callback = await signIn(provider, client, login);
  const code = callback.searchParams.get('code') ?? new URLSearchParams(callback.hash.slice(1)).get('code');
  if (code === null) throw new Error(`no code in: ${callback.search}`);
  return code;
}

export function basic({ clientID, clientSecret }: Pick<RegisteredClient, 'clientID' | 'clientSecret'>): string {
  const encoded = [clientID, clientSecret].map((half) => encodeURIComponent(half)).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
}

/** Posts a form with the client authentication of the flow. */
export function post(
  provider: MockProvider,
  path: string,
  client: RegisteredClient | undefined,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<WireResponse> {
  const inBody = client?.flow === 'profile' && path === '/oauth/token';
  const body = encode({ ...(inBody && { client_id: client.clientID, client_secret: client.clientSecret }), ...fields });
  return send(provider, path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      ...(client && !inBody && { authorization: basic(client) }),
      ...headers,
    },
    body,
  });
}

export function token(
  provider: MockProvider,
  client: RegisteredClient | undefined,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<WireResponse> {
  return post(provider, '/oauth/token', client, fields, headers);
}

/** @returns the fields that redeem a code. */
export function codeFields(client: RegisteredClient, code: string, more: Fields = {}): Fields {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    ...(client.flow === 'openid' && { code_verifier: VERIFIER }),
    ...more,
  };
}

export function redeem(
  provider: MockProvider,
  client: RegisteredClient,
  code: string,
  more: Fields = {},
): Promise<WireResponse> {
  return token(provider, client, codeFields(client, code, more));
}

export function refresh(
  provider: MockProvider,
  client: RegisteredClient,
  refreshToken: string,
  more: Fields = {},
): Promise<WireResponse> {
  return token(provider, client, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  expires_in: number;
  scope?: string;
}

/** Signs in and redeems the code. @returns the token response */
export async function tokensOf(provider: MockProvider, client: RegisteredClient, login: Login = {}): Promise<Tokens> {
  const { status, json } = await redeem(provider, client, await codeOf(provider, client, login));
  if (status !== 200) throw new Error(`no tokens in: ${JSON.stringify(json)}`);
  return json as Tokens;
}

export function api(
  provider: MockProvider,
  path: string,
  accessToken?: string,
  headers: Record<string, string> = {},
): Promise<WireResponse> {
  return send(provider, path, {
    headers: { ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }), ...headers },
  });
}

export function profile(provider: MockProvider, accessToken?: string): Promise<WireResponse> {
  return api(provider, '/api/v1/users/current', accessToken);
}

export const revoke = (provider: MockProvider, client: RegisteredClient, revoked: string): Promise<WireResponse> =>
  post(provider, '/oauth/revoke', client, { token: revoked });

export function jwtPart(jwt: string, part: 'header' | 'claims'): Record<string, unknown> {
  const text = jwt.split('.')[part === 'header' ? 0 : 1] ?? '';
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
}

/** Registers a client with exact redirect URIs. */
export function registerStrict(
  provider: MockProvider,
  flow: 'openid' | 'profile',
  more: object = {},
): RegisteredClient {
  return provider.registerClient({
    flow,
    redirectURIs: [REDIRECT_URI],
    postLogoutRedirectURIs: [POST_LOGOUT_URI],
    developer: `developer ${Math.random()}`,
    ...more,
  });
}
