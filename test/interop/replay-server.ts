import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { testKeys } from '../authorization-server/test-keys.js';
import type { RecordedResponse, RecordedServer } from './recorded-servers.js';

/** A request as the server received it. */
export interface ReplayedRequest {
  path: string;
  form: URLSearchParams;
}

interface Code {
  scope: string;
  nonce: string;
  challenge: string;
  redirectURI: string;
}

/** An authorization server that checks requests strictly, and responds as a recorded server does. */
export class ReplayServer {
  readonly requests: ReplayedRequest[] = [];
  readonly clientID = 'clinic-site_1.example';
  readonly clientSecret: string;
  readonly redirectURI = 'http://127.0.0.1:3000/auth/callback';
  readonly subject = 'f3b1e7c0-7a1d-4f0e-8a57-2b3c4d5e6f70';
  /** Whether the user has a session, which a revocation may end. */
  hasSession = false;
  /** Whether the session was there at each logout request. */
  readonly logouts: boolean[] = [];
  issuer = '';
  private readonly recorded: RecordedServer;
  private readonly codes = new Map<string, Code>();
  private readonly refreshTokens = new Map<string, Code>();
  private count = 0;
  private readonly server = http.createServer((request, response) => {
    this.handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  /** @param clientSecret by default one that Basic credentials contain unchanged */
  constructor(recorded: RecordedServer, clientSecret = 'dQw4w9-WgXcQ_s3cr.et*0123456789') {
    this.recorded = recorded;
    this.clientSecret = clientSecret;
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.recorded.path}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get now(): number {
    return Math.floor(Date.now() / 1000);
  }

  requestsTo(endpoint: string): ReplayedRequest[] {
    return this.requests.filter(({ path }) => path === this.pathOf(endpoint));
  }

  /** Approves an authorization request of a browser. @returns the URL of the authorization response */
  authorize(url: string): URL {
    const { origin, pathname, searchParams: query } = new URL(url);
    if (origin + pathname !== this.endpoint('authorization_endpoint')) throw new Error(`another address: ${url}`);
    const [scope, nonce, challenge, redirectURI] = ['scope', 'nonce', 'code_challenge', 'redirect_uri'].map(
      (name) => query.get(name) ?? '',
    ) as [string, string, string, string];
    if (redirectURI !== this.redirectURI || query.get('client_id') !== this.clientID) throw new Error('not registered');
    this.hasSession = true;
    const code = randomUUID();
    this.codes.set(code, { scope, nonce, challenge, redirectURI });
    const callback = new URL(redirectURI);
    const parameters = { state: query.get('state') ?? '', ...this.recorded.authorizationResponse(this.issuer), code };
    for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value);
    return callback;
  }

  /** Makes every refresh token unknown. */
  expireRefreshTokens(): void {
    this.refreshTokens.clear();
  }

  private endpoint(name: string): string | undefined {
    return this.recorded.metadata.members(this.issuer)[name] as string | undefined;
  }

  private pathOf(name: string): string | undefined {
    const address = this.endpoint(name);
    return address && new URL(address).pathname;
  }

  private async handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url ?? '', this.issuer);
    const received = { path: url.pathname, form: new URLSearchParams(body || url.search) };
    this.requests.push(received);
    send(response, this.respond(received, request.headers.authorization));
  }

  private respond({ path, form }: ReplayedRequest, authorization = ''): RecordedResponse & { location?: string } {
    const { metadata, otherMetadata, jwks, errors, revocation, path: issuerPath } = this.recorded;
    const base = issuerPath.replace(/\/$/, '');
    const document = { status: 200, type: metadata.type, members: metadata.members(this.issuer) };
    switch (path) {
      case `${base}/.well-known/openid-configuration`:
        return document;
      case `/.well-known/oauth-authorization-server${base}`:
        return otherMetadata === 'metadata' ? document : otherMetadata;
      case this.pathOf('jwks_uri'):
        return { status: 200, type: jwks.type, members: jwks.members(testKeys.first) };
      case this.pathOf('token_endpoint'):
        return this.isClient(authorization, form) ? this.token(form) : errors.client;
      case this.pathOf('revocation_endpoint'):
        return this.isClient(authorization, form) ? this.revoke(form) : errors.client;
      case this.pathOf('end_session_endpoint'):
        return this.logOut(form);
      default:
        return revocation === undefined ? { status: 404 } : { status: 404, type: 'text/html' };
    }
  }

  private isClient(authorization: string, form: URLSearchParams): boolean {
    const [, base64 = ''] = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(authorization) ?? [];
    const text = Buffer.from(base64, 'base64').toString();
    const parts = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
    const decode = (part: string) => (this.recorded.decodesBasic ? new URLSearchParams(`x=${part}`).get('x') : part);
    const [id, secret] = parts.map(decode);
    return id === this.clientID && secret === this.clientSecret && !form.has('client_secret');
  }

  private token(form: URLSearchParams): RecordedResponse {
    const { errors, token, refresh = token } = this.recorded;
    if (form.get('grant_type') === 'refresh_token') {
      const text = form.get('refresh_token') ?? '';
      const grant = this.refreshTokens.get(text);
      if (grant === undefined) return errors.refreshToken;
      // A server whose refresh returns no refresh token continues to accept the old one.
      if (refresh === token) this.refreshTokens.delete(text);
      return this.issue(grant, refresh, this.recorded.refreshedNonce);
    }
    const code = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid = code?.challenge === challenge && code.redirectURI === form.get('redirect_uri');
    return isValid ? this.issue(code, token, true) : errors.code;
  }

  private issue(grant: Code, members: RecordedServer['token'], hasNonce: boolean): RecordedResponse {
    this.count += 1;
    const accessToken = `access-${this.count}`;
    const refreshToken = `refresh-${this.count}`;
    this.refreshTokens.set(refreshToken, grant);
    const idToken = this.signJWT({
      iss: this.issuer,
      sub: this.subject,
      exp: this.now + 300,
      iat: this.now,
      ...(hasNonce && { nonce: grant.nonce }),
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      ...this.recorded.claims({ clientID: this.clientID, now: this.now }),
    });
    const issued = { accessToken, refreshToken, idToken, requestedScope: grant.scope, now: this.now };
    return { status: 200, type: this.recorded.errors.code.type ?? 'application/json', members: members(issued) };
  }

  private revoke(form: URLSearchParams): RecordedResponse {
    const { revocation } = this.recorded;
    if (revocation === undefined) return { status: 404 };
    const isKnown = this.refreshTokens.delete(form.get('token') ?? '');
    if (revocation.endsSession) this.hasSession = false;
    return isKnown ? revocation.response : revocation.afterwards;
  }

  private logOut(form: URLSearchParams): RecordedResponse & { location?: string } {
    this.logouts.push(this.hasSession);
    if (!form.get('id_token_hint')) return { status: 400, type: 'text/html' };
    if (this.hasSession && this.recorded.revocation?.endsSession) this.refreshTokens.clear();
    this.hasSession = false;
    const location = new URL(form.get('post_logout_redirect_uri') ?? '');
    location.searchParams.set('state', form.get('state') ?? '');
    return { status: 302, location: location.href };
  }

  private signJWT(claims: object): string {
    const header = { alg: 'RS256', typ: 'JWT', kid: testKeys.first.kid };
    const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = createPrivateKey({ key: testKeys.first, format: 'jwk' });
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }
}

function send(
  response: http.ServerResponse,
  { status, type, members, location }: RecordedResponse & { location?: string },
) {
  response.writeHead(status, { ...(type && { 'content-type': type }), ...(location && { location }) });
  response.end(members && JSON.stringify(members));
}
