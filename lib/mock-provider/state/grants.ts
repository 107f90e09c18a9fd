import type { GrantSelector } from '../options/grant-selector.js';
import type { GrantLifetimes } from '../options/resolve-provider-options.js';
import type { Account } from './account.js';
import type { Client } from './clients.js';
import type { MockClock } from './clock.js';
import { type Expiring, ExpiringMap } from './expiring-map.js';
import { type TokenKind, TokenMint } from './token-mint.js';

/** What a clinician approved for a client. Grants may share it. */
export interface Authorization {
  readonly client: Client;
  readonly account: Account;
  /** The approved scope. */
  readonly scope: readonly string[];
  /** When the clinician signed in, in milliseconds since the epoch. */
  readonly authTime: number;
}

/** The parameters of the authorization request that a code is bound to. */
export interface CodeBinding {
  readonly redirectURI: string;
  readonly codeChallenge?: string | undefined;
  /** The nonce for the ID Token of the code. */
  readonly nonce?: string | undefined;
}

/**
 * An authorization with its code and its current pair of tokens. There may be a million: the times of their ends are
 * calculated, and the authorization is a reference.
 */
export class Grant implements Expiring {
  readonly key: string;
  storedAt = 0;
  readonly authorization: Authorization;
  /** When expire() ended the access token of the current pair, in milliseconds since the epoch. */
  accessEndedAt: number | undefined;
  /** Undefined once the code is redeemed. */
  binding: CodeBinding | undefined;
  /** The number of the current pair; 0 until the code is redeemed. */
  serial = 0;
  /** The scope of the access token, which may be narrower than that of the grant. */
  accessScope: readonly string[];
  readonly #lifetimes: GrantLifetimes;

  constructor(key: string, grant: Pick<Grant, 'authorization' | 'binding'>, lifetimes: GrantLifetimes) {
    this.key = key;
    this.authorization = grant.authorization;
    this.accessEndedAt = undefined;
    this.binding = grant.binding;
    this.accessScope = grant.authorization.scope;
    this.#lifetimes = lifetimes;
  }

  get client(): Client {
    return this.authorization.client;
  }

  get account(): Account {
    return this.authorization.account;
  }

  get scope(): readonly string[] {
    return this.authorization.scope;
  }

  /** Milliseconds since the epoch, by the provider's clock: the grant is stored again with each pair. */
  get accessEndsAt(): number {
    const endsAt = this.storedAt + this.#lifetimes.accessToken[this.client.flow];
    return Math.min(endsAt, this.accessEndedAt ?? endsAt);
  }

  get refreshEndsAt(): number {
    return this.storedAt + this.#lifetimes.refreshToken;
  }
}

/** The grant of a code or token. `reused`: a second use. */
interface TokenLookup {
  readonly grant: Grant;
  readonly state: 'valid' | 'reused';
}

export interface IssuedTokens {
  readonly grant: Grant;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Stores the codes and token pairs. An expired or revoked grant is deleted. */
export class GrantStore {
  readonly #clock: MockClock;
  readonly #lifetimes: GrantLifetimes;
  readonly #mint = new TokenMint();
  /** Grants whose code has not been redeemed. */
  readonly #pending: ExpiringMap<Grant>;
  /** Grants with a token pair; each refresh starts a new lifetime. */
  readonly #active: ExpiringMap<Grant>;

  constructor(clock: MockClock, lifetimes: GrantLifetimes) {
    this.#clock = clock;
    this.#lifetimes = lifetimes;
    this.#pending = new ExpiringMap(clock, lifetimes.code);
    const { accessToken, refreshToken } = lifetimes;
    this.#active = new ExpiringMap(clock, Math.max(refreshToken, accessToken.profile, accessToken.openid));
  }

  issueCode(authorization: Authorization, binding: CodeBinding): string {
    const key = this.#mint.newKey();
    const grant = new Grant(key, { authorization, binding }, this.#lifetimes);
    this.#pending.set(key, grant);
    return this.#mint.mint('code', key, 0);
  }

  findCode(code: string): TokenLookup | undefined {
    const read = this.#mint.read('code', code);
    if (read === undefined) return undefined;
    const pending = this.#pending.get(read.key);
    if (pending) return { grant: pending, state: 'valid' };
    const grant = this.#active.get(read.key);
    return grant && { grant, state: 'reused' };
  }

  findRefreshToken(token: string): TokenLookup | undefined {
    const read = this.#mint.read('refresh', token);
    const grant = read && this.#active.get(read.key);
    if (read === undefined || grant === undefined) return undefined;
    if (read.serial !== grant.serial) return { grant, state: 'reused' };
    return this.#clock.now() < grant.refreshEndsAt ? { grant, state: 'valid' } : undefined;
  }

  /** @returns the grant of a valid access token. */
  byAccessToken(token: string): Grant | undefined {
    const grant = this.#ofActivePair('access', token);
    return grant !== undefined && this.#clock.now() < grant.accessEndsAt ? grant : undefined;
  }

  /** @returns the grant of an access or refresh token of the current pair, also of an expired access token. */
  byEitherToken(token: string): Grant | undefined {
    return this.#ofActivePair('refresh', token) ?? this.#ofActivePair('access', token);
  }

  /** Replaces the code with the first pair. */
  redeem(grant: Grant): IssuedTokens {
    this.#pending.delete(grant.key);
    grant.binding = undefined;
    return this.rotate(grant, grant.scope);
  }

  /** Replaces the current pair with a new one. */
  rotate(grant: Grant, scope: readonly string[]): IssuedTokens {
    grant.serial += 1;
    grant.accessScope = scope;
    grant.accessEndedAt = undefined;
    this.#active.set(grant.key, grant);
    const { key, serial } = grant;
    const mint = this.#mint;
    return { grant, accessToken: mint.mint('access', key, serial), refreshToken: mint.mint('refresh', key, serial) };
  }

  /** Ends a grant with its code and its tokens. */
  revoke(grant: Grant): void {
    this.#pending.delete(grant.key);
    this.#active.delete(grant.key);
  }

  /** Ends the access token of a grant, or all that it has as if it had been issued earlier. */
  expire(grant: Grant, tokens: 'access' | 'all' = 'all'): void {
    const now = this.#clock.now();
    if (tokens === 'access') {
      if (grant.serial > 0) grant.accessEndedAt = Math.min(now, grant.accessEndsAt);
      return;
    }
    const { code, accessToken, refreshToken } = this.#lifetimes;
    const lifetime = Math.max(accessToken[grant.client.flow], refreshToken, code);
    grant.storedAt = Math.min(grant.storedAt, now - lifetime);
  }

  /** @returns the grants with a valid code or token that match. Throws for a selector without members. */
  select({ username, clientID }: GrantSelector): readonly Grant[] {
    if (username === undefined && clientID === undefined) throw new Error('Select the grants by username or clientID.');
    return [...this.#pending.values(), ...this.#active.values()].filter(
      (grant) =>
        (username === undefined || grant.account.username === username) &&
        (clientID === undefined || grant.client.id === clientID),
    );
  }

  accessTokenLifetime(client: Client): number {
    return this.#lifetimes.accessToken[client.flow];
  }

  sweep(): void {
    this.#pending.sweep();
    this.#active.sweep();
  }

  clear(): void {
    this.#pending.clear();
    this.#active.clear();
  }

  #ofActivePair(kind: Exclude<TokenKind, 'code'>, token: string): Grant | undefined {
    const read = this.#mint.read(kind, token);
    const grant = read && this.#active.get(read.key);
    return grant?.serial === read?.serial ? grant : undefined;
  }
}
