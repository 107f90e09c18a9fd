import { createHash, randomBytes } from 'node:crypto';
import type { MockProvider, RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import {
  api,
  authorization,
  authorize,
  codeOf,
  encode,
  type Fields,
  post,
  redeem,
  refresh,
  revoke,
  send,
  type Tokens,
  type WireResponse,
} from '../wire.js';

export const random = (): string => randomBytes(32).toString('base64url');

/** A correct client, one request at a time. Its callers change what a rule checks. */
export class TestClient {
  readonly provider: MockProvider;
  readonly client: RegisteredClient;
  #verifier = '';

  constructor(provider: MockProvider, flow: 'openid' | 'profile' = 'openid') {
    this.provider = provider;
    this.client = provider.clients[flow];
  }

  /** @returns the parameters of a new authorization request, with its own random values. */
  parameters(more: Fields = {}): Fields {
    this.#verifier = random();
    const code_challenge = createHash('sha256').update(this.#verifier).digest('base64url');
    const isOpenID = this.client.flow === 'openid';
    const scope = isOpenID ? 'openid basic colleagues' : 'basic colleagues';
    return { state: random(), scope, ...(isOpenID && { nonce: random(), code_challenge }), ...more };
  }

  authorize(more: Fields = {}): Promise<WireResponse> {
    return authorize(this.provider, this.client, this.parameters(more));
  }

  authorizeByPOST(more: Fields = {}): Promise<WireResponse> {
    return post(this.provider, '/oauth/authorize', undefined, authorization(this.client, this.parameters(more)));
  }

  async code(more: Fields = {}): Promise<string> {
    return codeOf(this.provider, this.client, this.parameters(more));
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
    const hint = { id_token_hint: tokens.id_token, post_logout_redirect_uri: 'http://127.0.0.1:5001/bye' };
    return send(this.provider, `/oauth/logout?${encode({ ...hint, state: random(), ...more })}`);
  }
}
