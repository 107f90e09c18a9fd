import type { Clock } from '../async/clock.js';
import type { PendingWork } from '../async/pending-work.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { FlowName } from '../authorization-server/flows.js';
import { deserializeTokenSet, serializeTokenSet, type TokenSet } from '../authorization-server/token-set.js';
import { codeOf } from '../events/event-table.js';
import type { Events } from '../events/events.js';
import type { Fetch } from '../http/http.js';
import type { CachedResponse } from '../resource-api/conditional-cache.js';
import type { RequestLimits } from '../resource-api/request-limits.js';
import { Sealer } from '../sealing/sealer.js';
import type { Secret } from '../sealing/secret.js';
import { type NewGrant, newGrantID, type VaultGrant } from '../token-vault/grant-records.js';
import { type TokenStore, wrapStoreErrors } from '../token-vault/token-store.js';
import { TokenVault } from '../token-vault/token-vault.js';
import { type ClinicianGrant, createGrant, type GrantParts } from './clinician-grant.js';
import { GrantAPIs } from './grant-apis.js';
import { endReasonOf, endsLogin, KnownLogins } from './known-logins.js';
import { Revocations } from './revocations.js';

/** @param version increases with each change of the tokens */
type ScopeListener = (grantID: string, scope: readonly string[], version: number) => void;

export interface TokensOptions {
  /** See `instanceID()`. */
  instance: string;
  flow: FlowName;
  server: Pick<AuthorizationServer, 'prepareRefresh' | 'refresh' | 'refreshTimeoutMs' | 'revoke' | 'revokeRefusedWith'>;
  /** Tracks refreshes, revocations and erasures, for the end of the process. */
  work: PendingWork;
  store: TokenStore;
  secrets: readonly Secret[];
  onUnknownSecret?: () => void;
  events: Events;
  clock: Clock;
  fetch: Fetch;
  apiURL: string | undefined;
  limits: RequestLimits;
}

/** Stores, uses, refreshes, revokes and erases the tokens of every login. @internal */
export class Tokens {
  readonly vault: TokenVault;
  readonly revocations: Revocations;
  readonly #options: TokensOptions;
  readonly #known: KnownLogins;
  readonly #apis: GrantAPIs;
  readonly #grantParts: GrantParts;
  readonly #scopeListeners: ScopeListener[] = [];

  constructor(options: TokensOptions) {
    const { server, secrets, clock, instance } = options;
    this.#options = options;
    const store = wrapStoreErrors(options.store.forInstance?.(instance) ?? options.store);
    const sealerFor = (purpose: string) => new Sealer(secrets, purpose, options.onUnknownSecret);
    this.vault = new TokenVault({
      ...{ store, sealer: sealerFor('tokens'), instance, clock, work: options.work },
      serialize: serializeTokenSet,
      deserialize: deserializeTokenSet,
      prepare: (tokens, validForMs) => this.#reportFailure(tokens, server.prepareRefresh(validForMs)),
      refresh: (tokens) => this.#reportFailure(tokens, server.refresh(tokens)),
      refreshTimeoutMs: server.refreshTimeoutMs,
      revoke: (tokens, { id, userKey }) => this.revocations.revoke(tokens, { userID: userKey, grantID: id }),
      ended: ({ id, userKey }, error) => this.#known.endFor(id, error, userKey),
    });
    this.revocations = new Revocations(options);
    const { vault } = this;
    this.#known = new KnownLogins(options);
    const accessToken = async (grantID: string, refusedToken?: string) =>
      (await this.#use(grantID, vault.fresh(grantID, refusedToken))).tokens.accessToken.reveal();
    const refresh = async (grantID: string) => void (await this.#use(grantID, vault.refresh(grantID)));
    const apis = new GrantAPIs({ ...options, vault, accessToken });
    this.#apis = apis;
    this.onEnd((grantID) => apis.remove(grantID));
    const revoke = (grantID: string) => {
      this.end(grantID);
      return this.erase(grantID);
    };
    this.#grantParts = { vault, apis, clock, refresh, revoke };
  }

  /** Adds a listener for logins that end, for whatever reason. */
  onEnd(listener: (grantID: string) => void): void {
    this.#known.onEnd(listener);
  }

  /** Adds a listener for the scope of stored tokens, called when they are read or refreshed. */
  onScope(listener: ScopeListener): void {
    this.#scopeListeners.push(listener);
  }

  /** @returns the grant id of a new login. Reads the token store once: throws when it is unavailable. */
  async newGrantID(): Promise<string> {
    const grantID = newGrantID();
    await this.vault.find(grantID);
    return grantID;
  }

  /** Stores the tokens of a login. @param login the id of a user: with a new grant id */
  async add(login: NewGrant | string, tokens: TokenSet): Promise<VaultGrant> {
    const grant = await this.#options.work.track(this.vault.add(login, tokens));
    this.#known.add(grant.id, grant.userKey);
    return grant;
  }

  /** Revokes the tokens of a login that has failed, and erases them. Never throws. */
  async discard({ grantID, userKey }: NewGrant, tokens: TokenSet): Promise<void> {
    this.#known.end(grantID);
    // The tokens are revoked in any case. A record that cannot be erased expires.
    await this.vault.forget(grantID).catch(() => undefined);
    await this.revoke(tokens, { userID: userKey, grantID });
  }

  /** @returns the ID Token of a login, as last refreshed; undefined if there is none. */
  async idToken(grantID: string): Promise<Secret | undefined> {
    return (await this.vault.find(grantID))?.tokens.idToken;
  }

  grant(grantID: string): ClinicianGrant {
    return createGrant(grantID, this.#grantParts);
  }

  /** Caches a profile that was read at the sign-in, so that the next request for it sends If-None-Match. */
  cacheProfile(grantID: string, response: CachedResponse): void {
    this.#apis.cacheProfile(grantID, response);
  }

  /**
   * Returns true for a login whose tokens are stored. If they are not, the login has ended, and the event `login_ended` reports
   * the reason. Throws if the store is unavailable, or the tokens were sealed with a secret that this process does not have.
   */
  async isStored(grantID: string, userID: string): Promise<boolean> {
    try {
      this.#observe(await this.vault.require(grantID));
      return true;
    } catch (error) {
      if (!endsLogin(error)) throw error;
      this.#known.endFor(grantID, error, userID);
      return false;
    }
  }

  /** See {@link Revocations.revoke}. */
  revoke(tokens: TokenSet, login?: { userID: string; grantID: string }): Promise<void> {
    return this.revocations.revoke(tokens, login);
  }

  /** Ends a login in this process: none of its requests succeeds any more. */
  end(grantID: string): void {
    this.#known.end(grantID);
  }

  /** Ends every login of one user that this process knows. No id of the user remains in it. */
  endUser(userID: string): void {
    this.#known.endUser(userID);
    this.#options.limits.remove(userID);
  }

  /** Erases a login, which ends it, and revokes its tokens. @returns what was stored */
  async erase(grantID: string, userID?: string): Promise<VaultGrant | undefined> {
    const grant = await this.#eraseRecord(grantID, userID);
    if (grant) await this.revocations.revoke(grant.tokens, { userID, grantID });
    return grant;
  }

  #observe({ id, userKey, tokens, version }: VaultGrant): void {
    this.#known.observe(id, userKey);
    for (const listener of this.#scopeListeners) listener(id, tokens.scope, version);
  }

  async #reportFailure<R>({ subject }: TokenSet, result: Promise<R>): Promise<R> {
    try {
      return await result;
    } catch (error) {
      this.#options.events.emit('refresh_failed', { userID: subject, error: endReasonOf(error) });
      throw error;
    }
  }

  /** Ends the login if its tokens cannot be used any more. */
  async #use(grantID: string, result: Promise<VaultGrant>): Promise<VaultGrant> {
    try {
      const grant = await result;
      this.#observe(grant);
      return grant;
    } catch (error) {
      if (endsLogin(error)) this.#known.endFor(grantID, error);
      throw error;
    }
  }

  async #eraseRecord(grantID: string, userID?: string): Promise<VaultGrant | undefined> {
    const grant = await this.vault.forget(grantID).catch((error: unknown) => {
      const code = codeOf(error);
      if (code !== 'grant_unreadable' && code !== 'grant_secret_unknown') throw error;
      this.revocations.reportFailure({ userID, grantID }, error);
      return undefined;
    });
    this.#known.end(grantID);
    const { subject, profileID } = grant?.tokens ?? {};
    for (const id of [subject, profileID]) if (id !== undefined) this.#options.limits.remove(id);
    return grant;
  }
}
