import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import { createGrantRefresher } from './grant-refresher.js';
import { createSealedGrants } from './sealed-grants.js';
import type { Sealer } from './sealer.js';
import { createSingleFlight } from './single-flight.js';
import type { TokenStore } from './token-store.js';
import { isFresh, type ReadGrant, requireGrant, type VaultTokens } from './vault-grant.js';
import { wrapStoreErrors } from './wrap-store-errors.js';

export interface TokenVaultOptions<T, F = unknown> {
  store: TokenStore;
  /** Made for a purpose of its own, such as `'tokens'`. */
  sealer: Sealer;
  clock: Clock;
  /**
   * Exchanges the tokens for new ones. Its error decides: code `invalid_grant` ends the grant, anything else is passed on
   * and the grant is kept.
   */
  refresh: (tokens: T) => Promise<T>;
  /** Revokes tokens that came too late: the person signed out while they were fetched. */
  revoke?: (tokens: T) => Promise<void>;
  /** @returns plain JSON with the tokens' values in clear. It is sealed at once. */
  freeze: (tokens: T) => F;
  /** The inverse of `freeze`. */
  thaw: (frozen: F) => T;
  /** How long before its end an access token is refreshed, in milliseconds. @default 60000, but at most half of its life */
  refreshBefore?: number;
  /** How long tokens that nobody uses are kept, in milliseconds. @default 30 days */
  life?: number;
  /** How long a refresh may hold its lock when its process is gone, in milliseconds. @default 30000 */
  lockLife?: number;
  /** Waits for another process. @internal */
  pause?: (ms: number) => Promise<void>;
}

/** Keeps the tokens of every login, sealed, under a grant id, and hands out access tokens that work. */
export interface TokenVault<T> {
  /** @returns the grant id: random, no secret of the service's, fit for a session. */
  put(userKey: string, tokens: T): Promise<string>;
  /**
   * @returns an access token, refreshed when it is about to end, or when it is the one that the resource API has refused.
   * @throws SignInRequiredError `grant_ended` or `grant_unreadable`
   */
  accessToken(grantID: string, options?: { refused?: string | undefined }): Promise<string>;
  /** @returns the tokens as they are kept, never refreshed. */
  tokens(grantID: string): Promise<T | undefined>;
  /** Erases the grant; safe to repeat. @returns what was kept, so that it can be revoked at the service. */
  forget(grantID: string): Promise<T | undefined>;
  /** @returns the ids of everything that is kept about one user. */
  grantsOf(userKey: string): Promise<string[]>;
}

const DAY = 24 * 60 * 60 * 1000;
/** A refresh under way is waited for, but a person who signs out is not kept waiting: what comes later is revoked. */
const FORGET_PATIENCE = 2_000;

export function createTokenVault<T extends VaultTokens, F = unknown>(options: TokenVaultOptions<T, F>): TokenVault<T> {
  const { clock, refresh, revoke, sealer, freeze, thaw } = options;
  const { refreshBefore = 60_000, life = 30 * DAY, lockLife = 30_000, pause = pauseFor } = options;
  const store = wrapStoreErrors(options.store);
  const grants = createSealedGrants<T, F>({ store, sealer, clock, freeze, thaw, refreshBefore, life });
  const discard = async (tokens: T) => revoke?.(tokens);
  const renewal = createGrantRefresher<T>({ store, grants, clock, refresh, discard, lockLife, pause });
  const flights = createSingleFlight<string>();

  async function accessToken(grantID: string, { refused }: { refused?: string | undefined } = {}): Promise<string> {
    const held = requireGrant(await grants.read(grantID));
    if (isFresh(held, refused, clock)) return held.tokens.accessToken.reveal();
    const renew = () => flights.run(grantID, () => renewal.renew(grantID, refused));
    const token = await renew();
    // The flight that was joined may have begun for another reason and come back with the very token that is refused here.
    return token === refused ? await renew() : token;
  }

  async function forget(grantID: string): Promise<T | undefined> {
    const lock = await renewal.lock(grantID, FORGET_PATIENCE);
    try {
      const held = opened(await grants.read(grantID));
      await store.delete(grantID);
      return held && (renewal.takeUnsaved(grantID, held.version) ?? held.tokens);
    } finally {
      if (lock !== undefined) await renewal.unlock(grantID, lock);
    }
  }

  return {
    put: (userKey, tokens) => grants.add(userKey, tokens),
    accessToken,
    tokens: async (grantID) => opened(await grants.read(grantID))?.tokens,
    forget,
    grantsOf: (userKey) => store.grantsOf(userKey),
  };
}

function opened<T>(read: ReadGrant<T>) {
  return read === 'unreadable' ? undefined : read;
}
