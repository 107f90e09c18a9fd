import { BoundedMap, SingleFlight } from '../async/work.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { WARNING_CODES } from '../errors/error-codes.js';
import { type ClinicianError, ConfigurationError, isClinicianError } from '../errors/errors.js';
import { printWarning } from '../errors/print-warning.js';
import { codeOf, type Events } from '../events/events.js';
import type { Fetch } from '../http/http.js';
import { optionError } from '../options/option-table.js';
import type { Site } from '../options/site.js';
import { isProduction } from '../production.js';
import { type APIUser, AuthorizedFetch } from '../resource-api/authorized-fetch.js';
import { type CachedResponse, type CacheSlot, ConditionalCache } from '../resource-api/profile.js';
import type { RequestLimits } from '../resource-api/request-limits.js';
import { createResourceAPI, type ResourceAPI } from '../resource-api/resource-api.js';
import { randomText, type Secret } from '../sealing/sealer.js';
import type { GrantRecords, NewGrant, VaultGrant } from '../token-vault/grant-records.js';
import type { TokenStore } from '../token-vault/token-store.js';
import { endReasonOf, type TokenVault } from '../token-vault/token-vault.js';
import type { ClinicianGrant } from './clinician-grant.js';
import type { Revocations } from './revocations.js';

/** What this process knows of a login, in memory only: profile data, such as `isVerified`, is not stored. */
export interface KnownLogin {
  /** Present if its tokens are not used any more. No other member is present then: the user may have been forgotten. */
  hasEnded?: true;
  /** The site's own id of the user. */
  userID?: string;
  /** When the tokens were last found in the store. */
  foundAt?: number;
  /** The version of the tokens that have this scope: it increases with each refresh. */
  version?: number;
  scope?: readonly string[];
  account?: APIUser;
  isVerified?: boolean;
  /** When the profile was read that shows `isVerified`. */
  profileReadAt?: number;
  state?: object;
}

export interface TokensOptions {
  site: Pick<Site, 'apiURL' | 'clock'>;
  records: GrantRecords;
  vault: TokenVault;
  inMemory: boolean | undefined;
  revocations: Revocations;
  fetch: Fetch;
  limits: RequestLimits;
  events: Events;
}

const MAX_LOGINS = 100_000;

/** Stores, uses, refreshes, revokes and erases the tokens of every login. @internal */
export class Tokens {
  /** By grant id. */
  readonly known: Map<string, KnownLogin> = new BoundedMap(MAX_LOGINS);
  readonly records: GrantRecords;
  readonly #vault: TokenVault;
  readonly #site;
  readonly #inMemory: boolean;
  readonly #revocations: Revocations;
  readonly #fetch: Fetch;
  readonly #limits: RequestLimits;
  readonly #events: Events;
  readonly #profiles: ConditionalCache;
  readonly #lookups = new SingleFlight<boolean>();
  readonly #profileReads = new SingleFlight<string>();

  constructor({ site, records, vault, inMemory = false, revocations, fetch, limits, events }: TokensOptions) {
    this.#site = site;
    this.records = records;
    this.#vault = vault;
    this.#inMemory = inMemory;
    this.#revocations = revocations;
    this.#fetch = fetch;
    this.#limits = limits;
    this.#events = events;
    this.#profiles = new ConditionalCache({ clock: site.clock });
    vault.onEnd(({ id, userKey }, error) => this.#endFor(id, error, userKey));
  }

  /** @returns the grant id of a new login. Reads the token store once: throws when it is unavailable. */
  async newGrantID(): Promise<string> {
    const grantID = randomText(24);
    await this.records.find(grantID);
    return grantID;
  }

  async add(login: NewGrant, tokens: TokenSet): Promise<VaultGrant> {
    const grant = await this.records.add(login, tokens);
    this.#observe(grant);
    return grant;
  }

  /** Revokes the tokens of a login that has failed, and erases them. Never throws. */
  async discard({ grantID, userKey }: NewGrant, tokens: TokenSet): Promise<void> {
    this.end(grantID);
    // The tokens are revoked in any case. A record that cannot be erased expires.
    await this.#vault.forget(grantID).catch(() => undefined);
    await this.revoke(tokens, { userID: userKey, grantID });
  }

  /** @returns the ID Token of a login, as last refreshed; undefined if there is none. */
  async idToken(grantID: string): Promise<Secret | undefined> {
    return (await this.records.find(grantID))?.tokens.idToken;
  }

  /** Does not read anything before a method of the grant is called. */
  grant(grantID: string): ClinicianGrant {
    const api = () => this.#api(grantID);
    return {
      get api() {
        return api();
      },
      state: async () => {
        const tokens = (await this.records.find(grantID))?.tokens;
        if (!tokens) return undefined;
        return { expiresAt: tokens.expiresAt, scope: tokens.scope, refreshable: tokens.refreshToken !== undefined };
      },
      refresh: async () => void (await this.#use(grantID, this.#vault.refresh(grantID))),
      revoke: async () => void (await this.erase(grantID)),
    };
  }

  /** Caches a profile that was read at the sign-in, so that the next request for it sends If-None-Match. */
  cacheProfile(grantID: string, response: CachedResponse): void {
    // The user may have been forgotten since the tokens were stored.
    if (this.known.get(grantID)?.account) this.#profiles.write(grantID, response);
  }

  /**
   * Returns true for a login whose tokens are stored. If they are not, the login has ended, and the event `login_ended` reports
   * the reason. Throws if the store is unavailable, or the tokens were sealed with a secret that this process does not have.
   */
  isStored(grantID: string, userID: string): Promise<boolean> {
    return this.#lookups.run(grantID, async () => {
      try {
        await this.#use(grantID, this.records.require(grantID), userID);
      } catch (error) {
        if (!endsLogin(error)) throw error;
      }
      // It may have ended while the store was read.
      return !this.known.get(grantID)?.hasEnded;
    });
  }

  revoke(tokens: TokenSet, login?: { userID: string; grantID: string }): Promise<void> {
    return this.#revocations.revoke(tokens, login);
  }

  /** Ends a login in this process: none of its requests succeeds any more. */
  end(grantID: string): void {
    this.known.set(grantID, { hasEnded: true });
    this.#profiles.write(grantID);
  }

  /** Ends every login of one user that this process knows. No id of the user remains in it. */
  endUser(userID: string): void {
    for (const [grantID, login] of this.known) if (login.userID === userID) this.end(grantID);
    this.#limits.remove(userID);
  }

  /** Ends a login, erases it, and revokes its tokens. @returns what was stored */
  async erase(grantID: string, userID?: string): Promise<VaultGrant | undefined> {
    // The erasure may wait for a refresh, and a request of this login must not succeed meanwhile.
    this.end(grantID);
    const grant = await this.#vault.forget(grantID).catch((error: unknown) => {
      const code = codeOf(error);
      if (code !== 'grant_unreadable' && code !== 'grant_secret_unknown') throw error;
      this.#revocations.reportFailure({ userID, grantID }, error);
      return undefined;
    });
    if (!grant) return undefined;
    const { subject, profileID } = grant.tokens;
    for (const id of [subject, profileID]) if (id !== undefined) this.#limits.remove(id);
    await this.#revocations.revoke(grant.tokens, { userID, grantID });
    return grant;
  }

  #api(grantID: string): ResourceAPI {
    const { apiURL, clock } = this.#site;
    if (!apiURL) {
      throw optionError('apiURL', "option 'apiURL' is missing. Pass the URL of the resource API.");
    }
    const tokens = {
      accessToken: async (refused?: string) => {
        const { tokens } = await this.#use(grantID, this.#vault.fresh(grantID, refused));
        return tokens.accessToken.reveal();
      },
      user: () => this.#accountOf(grantID),
    };
    const service = new AuthorizedFetch({ apiURL, clock, tokens, fetch: this.#fetch, limits: this.#limits });
    const cache: CacheSlot = {
      read: () => this.#profiles.read(grantID),
      // A response that arrives after the end of its login is not cached: the user may have been forgotten.
      write: (response) => this.known.get(grantID)?.account && this.#profiles.write(grantID, response),
    };
    return createResourceAPI(service, cache, (request) => this.#profileReads.run(grantID, request));
  }

  /** Reads the user of a login once: the sign-in has stored it with the tokens. */
  async #accountOf(grantID: string): Promise<APIUser> {
    const grant = this.known.get(grantID)?.account ? undefined : await this.records.find(grantID);
    if (grant) this.#observe(grant, this.#site.clock.now());
    return this.known.get(grantID)?.account ?? { userID: grantID };
  }

  /** @param foundAt the time, if the grant was found in the store */
  #observe({ id, userKey, version, tokens }: VaultGrant, foundAt?: number): void {
    const login = this.known.get(id) ?? {};
    if (login.hasEnded) return;
    const { scope, subject, profileID } = tokens;
    login.userID ??= userKey;
    login.account ??= { userID: subject ?? profileID ?? id, profileID };
    if (foundAt !== undefined) login.foundAt = foundAt;
    // Tokens that were read before a refresh may arrive after it.
    if (version >= (login.version ?? 0)) Object.assign(login, { version, scope });
    this.known.set(id, login);
  }

  /** Ends the login if its tokens cannot be used any more. */
  async #use(grantID: string, result: Promise<VaultGrant>, userID?: string): Promise<VaultGrant> {
    try {
      const grant = await result;
      this.#observe(grant, this.#site.clock.now());
      return grant;
    } catch (error) {
      if (endsLogin(error)) this.#endFor(grantID, error, userID);
      throw error;
    }
  }

  /** Ends a login whose tokens cannot be used any more, and reports the reason once. */
  #endFor(grantID: string, error: ClinicianError, userID?: string): void {
    const known = this.known.get(grantID);
    this.end(grantID);
    if (known?.hasEnded) return;
    const reason = endReasonOf(error);
    const isInOtherMemory = reason.code === 'grant_ended' && this.#inMemory && !known;
    const reported = isInOtherMemory ? tokensInMemory() : reason;
    this.#events.emit('login_ended', { userID: userID ?? known?.userID, error: reported });
    if (reported.remedy === 'fix_code') this.#events.warn(reported);
  }
}

/**
 * Returns true for an error that ends the login. With an unknown secret it does not end: other processes can use its tokens, and
 * this one when the secret is listed. Without a refresh token it ends with its access token.
 */
function endsLogin(error: unknown): error is ClinicianError {
  if (!isClinicianError(error) || error.code === 'refresh_token_missing') return false;
  return error.remedy === 'sign_in' && error.code !== 'grant_secret_unknown';
}

function tokensInMemory(): ConfigurationError {
  return new ConfigurationError(
    'tokens_in_memory',
    'passport-clinician: this process does not have the tokens of a login. Another process has them in its memory, this one has restarted, or the sign-in was created twice. Pass a tokenStore that all processes share, such as RedisTokenStore or PostgresTokenStore, and a session store. In one process, create the sign-in once, and import it.',
  );
}

/** The token stores that the process has warned about. */
const reportedStores = new WeakSet<TokenStore>();

/** Prints a warning for a store in memory once, in production, because a site often has several processes there. */
export function warnOfMemoryStore(store: TokenStore): void {
  if (!store.inMemory || !isProduction() || reportedStores.has(store)) return;
  reportedStores.add(store);
  printWarning('memory_token_store', WARNING_CODES.memory_token_store);
}
