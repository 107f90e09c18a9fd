import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, sign } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { testKeys } from './test-keys.js';

type Members = Record<string, unknown>;

/** Without it, a server whose process was stopped for five seconds resets the connection of the next request. */
export const KEEP_IDLE_CONNECTIONS = { keepAliveTimeout: 600_000 } as const;

/** A request as it was received. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  form: URLSearchParams;
}

interface Grant {
  scope: string;
  nonce: string | null;
  challenge: string | null;
  redirectURI: string;
}

/** Creates each response. A test replaces the parts that must be wrong. */
export interface Behaviour {
  metadata: (document: Members) => unknown;
  jwks: (keys: JsonWebKey[]) => unknown;
  /** The members of the token response, ID Token included. */
  token: (members: Members) => unknown;
  header: (header: Members) => Members;
  claims: (claims: Members) => Members;
  /** Changes the signed ID Token. */
  idToken: (token: string) => string;
  /** Replaces an endpoint. */
  endpoints: Record<string, (request: ReceivedRequest, response: http.ServerResponse) => void>;
  /** The key that signs ID Tokens. */
  signingKey: JsonWebKey;
  publishedKeys: JsonWebKey[];
}

/**
 * An authorization server that checks requests as the service does, and sends the responses that a test defines. They are
 * valid by default, and can be invalid in ways that the mock provider does not support.
 */
export class HostileAuthorizationServer {
  readonly requests: ReceivedRequest[] = [];
  readonly clientID = 'client one';
  readonly clientSecret = "s3cret-with+odd%characters:=and more'";
  readonly redirectURI = 'https://app.example/auth/callback';
  readonly subject = '8f0c1f7e-5a3e-4c55-9d0e-0f6a43b7b9a1';
  issuer = '';
  /** The clock of this server, in seconds since the Unix epoch. */
  now = 1_800_000_000;
  behaviour: Behaviour = validBehaviour();
  private readonly codes = new Map<string, Grant>();
  private readonly server = http.createServer(KEEP_IDLE_CONNECTIONS, (request, response) => {
    this.handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  private count = 0;

  static async start(): Promise<HostileAuthorizationServer> {
    const hostile = new HostileAuthorizationServer();
    await hostile.listen(0);
    return hostile;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  reset(): void {
    this.behaviour = validBehaviour();
    this.requests.length = 0;
    this.now = 1_800_000_000;
  }

  requestsTo(path: string): ReceivedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Approves an authorization request. @returns the query of the authorization response */
  authorize(url: string): URLSearchParams {
    const query = new URL(url).searchParams;
    this.count += 1;
    const code = `planted-code-${this.count}`;
    this.codes.set(code, {
      scope: query.get('scope') ?? '',
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge'),
      redirectURI: query.get('redirect_uri') ?? '',
    });
    return new URLSearchParams({ code, state: query.get('state') ?? '', session_state: 'abc+/=.salt' });
  }

  signJWT(claims: Members, header: Members = { alg: 'RS256', kid: this.behaviour.signingKey.kid }): string {
    const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = createPrivateKey({ key: this.behaviour.signingKey, format: 'jwk' });
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  private async handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', headers } = request;
    const path = new URL(request.url ?? '', this.issuer).pathname;
    const received = { method, path, headers, form: new URLSearchParams(body) };
    this.requests.push(received);
    const endpoint = this.behaviour.endpoints[path] ?? this.endpoints[path];
    if (endpoint === undefined) json(response, 404, {});
    else endpoint(received, response);
  }

  private readonly endpoints: Behaviour['endpoints'] = {
    '/.well-known/openid-configuration': (_, response) => json(response, 200, this.behaviour.metadata(this.metadata())),
    '/.well-known/jwks.json': (_, response) =>
      json(response, 200, this.behaviour.jwks(this.behaviour.publishedKeys.map(publicPart))),
    '/oauth/token': (request, response) => this.token(request, response),
    '/oauth/revoke': (request, response) => {
      if (this.authenticate(request) === 'basic') response.writeHead(200, { 'content-type': 'application/json' }).end();
      else json(response, 401, { error: 'invalid_client' });
    },
  };

  metadata(): Members {
    const at = (path: string) => `${this.issuer}${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at('/oauth/authorize'),
      token_endpoint: at('/oauth/token'),
      revocation_endpoint: at('/oauth/revoke'),
      end_session_endpoint: at('/oauth/logout'),
      jwks_uri: at('/.well-known/jwks.json'),
      check_session_iframe: at('/oauth/session_state'),
      code_challenge_methods_supported: ['S256'],
    };
  }

  private token(request: ReceivedRequest, response: http.ServerResponse): void {
    const { form } = request;
    const isAuthenticated = this.authenticate(request) !== undefined;
    const grant = form.get('grant_type') === 'refresh_token' ? this.redeemRefreshToken(form) : this.redeemCode(form);
    if (!isAuthenticated) json(response, 401, { error: 'invalid_client' });
    else if (grant === undefined) json(response, 400, { error: 'invalid_grant', error_description: 'no such grant' });
    else json(response, 200, this.behaviour.token(this.tokenMembers(grant)));
  }

  private redeemCode(form: URLSearchParams): Grant | undefined {
    const code = form.get('code') ?? '';
    const grant = this.codes.get(code);
    this.codes.delete(code);
    const verifier = form.get('code_verifier');
    const challenge = verifier === null ? null : createHash('sha256').update(verifier).digest('base64url');
    const matches =
      grant !== undefined && challenge === grant.challenge && form.get('redirect_uri') === grant.redirectURI;
    return matches ? grant : undefined;
  }

  private redeemRefreshToken(form: URLSearchParams): Grant | undefined {
    if (!form.get('refresh_token')?.startsWith('planted-refresh-')) return undefined;
    return { scope: form.get('scope') ?? 'openid', nonce: null, challenge: null, redirectURI: '' };
  }

  private tokenMembers({ scope, nonce }: Grant): Members {
    this.count += 1;
    const members: Members = {
      access_token: `planted-access-${this.count}`,
      token_type: 'bearer',
      expires_in: 1800,
      refresh_token: `planted-refresh-${this.count}`,
      scope,
    };
    if (!scope.split(' ').includes('openid')) return members;
    const { behaviour } = this;
    const header = behaviour.header({ alg: 'RS256', kid: behaviour.signingKey.kid });
    const claims = behaviour.claims({
      iss: this.issuer,
      sub: this.subject,
      aud: [this.issuer, this.clientID],
      azp: this.clientID,
      iat: this.now,
      exp: this.now + 1800,
      auth_time: this.now - 5,
      at_hash: createHash('sha256').update(String(members.access_token)).digest().subarray(0, 16).toString('base64url'),
      ...(nonce !== null && { nonce }),
    });
    return { ...members, id_token: behaviour.idToken(this.signJWT(claims, header)) };
  }

  private authenticate({ headers, form }: ReceivedRequest): 'basic' | 'post' | undefined {
    const [, basic] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (basic !== undefined) {
      const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
      const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
      return decode(id) === this.clientID && decode(secret) === this.clientSecret ? 'basic' : undefined;
    }
    return form.get('client_id') === this.clientID && form.get('client_secret') === this.clientSecret
      ? 'post'
      : undefined;
  }
}

function validBehaviour(): Behaviour {
  return {
    metadata: (document) => document,
    jwks: (keys) => ({ keys }),
    token: (members) => members,
    header: (header) => header,
    claims: (claims) => claims,
    idToken: (token) => token,
    endpoints: {},
    signingKey: testKeys.first,
    publishedKeys: [testKeys.first],
  };
}

function publicPart(key: JsonWebKey): JsonWebKey {
  const { kid } = key;
  const { kty, n, e } = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' });
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' } as JsonWebKey;
}

export function json(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
