import { createHash, randomBytes } from 'node:crypto';
import type { MockProvider, RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import {
  api,
  authorization,
  authorizeURL,
  type Fields,
  post,
  redeem,
  refresh,
  revoke,
  send,
  signIn,
  type Tokens,
  type WireResponse,
} from '../wire.js';

export const random = (): string => randomBytes(32).toString('base64url');

/** A correct client, one request at a time. Its callers change what a rule checks. */
export class TestClient {
  readonly provider: MockProvider;
  readonly client: RegisteredClient;
  #verifier = '';

  constructor(
    provider: MockProvider,
    flow: 'openid' | 'profile' = 'openid',
    client: RegisteredClient = provider.clients[flow],
  ) {
    this.provider = provider;
    this.client = client;
  }

  /** @returns the parameters of a new authorization request, with its own random values. */
  parameters(more: Fields = {}): Fields {
    this.#verifier = random();
    const code_challenge = createHash('sha256').update(this.#verifier).digest('base64url');
    const isOpenID = this.client.flow === 'openid';
    const scope = isOpenID ? 'openid basic colleagues' : 'basic colleagues';
    return { state: random(), scope, ...(isOpenID && { nonce: random(), code_challenge }), ...more };
  }

  async authorize(more: Fields = {}, headers: Record<string, string> = {}): Promise<WireResponse> {
    const url = authorizeURL(this.provider, this.client, this.parameters(more));
    return send(this.provider, url.slice(this.provider.issuer.length), { headers });
  }

  authorizeByPOST(more: Fields = {}): Promise<WireResponse> {
    return post(this.provider, '/oauth/authorize', undefined, authorization(this.client, this.parameters(more)));
  }

  async code(more: Fields = {}): Promise<string> {
    const callback = await signIn(this.provider, this.client, this.parameters(more));
    return callback.searchParams.get('code') ?? new URLSearchParams(callback.hash.slice(1)).get('code') ?? '';
  }

  redeem(code: string, more: Fields = {}): Promise<WireResponse> {
    const verifier = this.client.flow === 'openid' ? { code_verifier: this.#verifier } : {};
    return redeem(this.provider, this.client, code, { ...verifier, ...more });
  }

  async login(more: Fields = {}): Promise<Tokens> {
    return (await this.redeem(await this.code(more))).json as Tokens;
  }

  async refresh({ refresh_token }: Tokens): Promise<Tokens> {
    return (await refresh(this.provider, this.client, refresh_token)).json as Tokens;
  }

  profile({ access_token }: Tokens, headers: Record<string, string> = {}): Promise<WireResponse> {
    return api(this.provider, '/api/v1/users/current', access_token, headers);
  }

  revoke(token: string): Promise<WireResponse> {
    return revoke(this.provider, this.client, token);
  }

  logout(tokens: Tokens, more: Fields = {}): Promise<WireResponse> {
    const fields = {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: 'http://127.0.0.1:5001/bye',
      state: random(),
      ...more,
    };
    const pairs = Object.entries(fields).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return send(this.provider, `/oauth/logout?${new URLSearchParams(pairs)}`);
  }
}
