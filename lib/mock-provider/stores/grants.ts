import type { MockClock } from '../clock.js';
import { digest } from '../digest.js';
import { randomToken } from '../random.js';
import type { Account } from './account.js';
import type { Client } from './clients.js';
import { ExpiringMap } from './expiring-map.js';

/** What a clinician approved at one login: the code and every token pair that comes of it belong to it. */
export interface Grant {
  readonly client: Client;
  readonly account: Account;
  /** What was approved. */
  readonly scope: readonly string[];
  /** What was asked for. */
  readonly askedScope: readonly string[];
  /** When the clinician signed in, in milliseconds. */
  readonly authTime: number;
  readonly nonce: string | undefined;
  isRevoked: boolean;
}

/** What a code is bound to (decision 38). */
export interface Code {
  readonly grant: Grant;
  readonly redirectURI: string;
  readonly codeChallenge: string | undefined;
}

/** An access token and the refresh token that came with it: one record, reached from both. */
export interface TokenPair {
  readonly grant: Grant;
  /** The access token's own scope: it may be narrower than the grant's. */
  readonly scope: readonly string[];
  readonly accessKey: string;
  readonly refreshKey: string;
  isSpent: boolean;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly pair: TokenPair;
}

export interface GrantLifetimes {
  readonly code: number;
  readonly accessToken: Readonly<Record<Client['flow'], number>>;
  readonly refreshToken: number;
}

export class GrantStore {
  readonly #clock: MockClock;
  readonly #lifetimes: GrantLifetimes;
  readonly #codes: ExpiringMap<Code>;
  /** Codes that were redeemed: a second use tells of a thief (decision 50). */
  readonly #spentCodes: ExpiringMap<Grant>;
  readonly #access: ExpiringMap<TokenPair>;
  /** Spent pairs stay, so that reuse of an old refresh token is noticed (decision 55). */
  readonly #refresh: ExpiringMap<TokenPair>;

  constructor(clock: MockClock, lifetimes: GrantLifetimes) {
    this.#clock = clock;
    this.#lifetimes = lifetimes;
    this.#codes = new ExpiringMap(clock);
    this.#spentCodes = new ExpiringMap(clock);
    this.#access = new ExpiringMap(clock);
    this.#refresh = new ExpiringMap(clock);
  }

  issueCode(code: Code): string {
    const value = randomToken();
    this.#codes.set(digest(value), code, this.#clock.now() + this.#lifetimes.code);
    return value;
  }

  code(value: string): Code | undefined {
    return this.#codes.get(digest(value));
  }

  /** @returns the grant of a code that was redeemed before, also after its time. */
  spentCode(value: string): Grant | undefined {
    return this.#spentCodes.get(digest(value));
  }

  redeem(value: string, { grant }: Code): IssuedTokens {
    const key = digest(value);
    this.#codes.delete(key);
    this.#spentCodes.set(key, grant, this.#clock.now() + this.#lifetimes.refreshToken);
    return this.#issue(grant, grant.scope);
  }

  /** @returns the pair of a refresh token, spent ones and those of a revoked grant included. */
  byRefreshToken(token: string): TokenPair | undefined {
    return this.#refresh.get(digest(token));
  }

  /** Old access and old refresh token end at once; a new pair takes their place (decision 53). */
  rotate(pair: TokenPair, scope: readonly string[]): IssuedTokens {
    this.end(pair);
    return this.#issue(pair.grant, scope);
  }

  /** @returns the pair of an access token that is good now. */
  byAccessToken(token: string): TokenPair | undefined {
    const pair = this.#access.get(digest(token));
    return pair === undefined || pair.isSpent || pair.grant.isRevoked ? undefined : pair;
  }

  /** Ends both tokens of a pair. */
  end(pair: TokenPair): void {
    pair.isSpent = true;
    this.#access.delete(pair.accessKey);
  }

  accessTokenLifetime(client: Client): number {
    return this.#lifetimes.accessToken[client.flow];
  }

  sweep(): void {
    for (const map of this.#maps()) map.sweep();
  }

  clear(): void {
    for (const map of this.#maps()) map.clear();
  }

  #issue(grant: Grant, scope: readonly string[]): IssuedTokens {
    const accessToken = randomToken();
    const refreshToken = randomToken();
    const pair: TokenPair = {
      grant,
      scope,
      accessKey: digest(accessToken),
      refreshKey: digest(refreshToken),
      isSpent: false,
    };
    const now = this.#clock.now();
    this.#access.set(pair.accessKey, pair, now + this.accessTokenLifetime(grant.client));
    this.#refresh.set(pair.refreshKey, pair, now + this.#lifetimes.refreshToken);
    return { accessToken, refreshToken, pair };
  }

  #maps(): ExpiringMap<unknown>[] {
    return [this.#codes, this.#spentCodes, this.#access, this.#refresh];
  }
}
