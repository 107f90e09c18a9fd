import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Sealer } from './sealer.js';
import type { StoredGrant, TokenStore } from './token-store.js';
import type { ReadGrant, VaultGrant, VaultTokens } from './vault-grant.js';

export interface SealedGrantsOptions<T, F> {
  store: TokenStore;
  sealer: Sealer;
  clock: Clock;
  /** @returns plain JSON with the tokens' values in clear; it is sealed at once. */
  freeze: (tokens: T) => F;
  thaw: (frozen: F) => T;
  refreshBefore: number;
  life: number;
}

/** Grants as records of a store: sealed on the way in, opened on the way out. */
export interface SealedGrants<T> {
  add(userKey: string, tokens: T): Promise<string>;
  read(grantID: string): Promise<ReadGrant<T>>;
  /** @returns false when somebody else changed or erased the grant meanwhile. */
  replace(grantID: string, held: VaultGrant<T>, tokens: T): Promise<boolean>;
}

export function createSealedGrants<T extends VaultTokens, F>(options: SealedGrantsOptions<T, F>): SealedGrants<T> {
  const { store, sealer, clock, freeze, thaw, refreshBefore, life } = options;

  function seal(grantID: string, userKey: string, version: number, tokens: T): StoredGrant {
    const now = clock.now();
    // Half of its life at most: a token that lives shorter than `refreshBefore` must not be refreshed at every use.
    const early = Math.min(refreshBefore, Math.max(0, (tokens.expiresAt - now) / 2));
    const plain = JSON.stringify({ refreshAt: tokens.expiresAt - early, tokens: freeze(tokens) });
    return { userKey, version, sealed: sealer.seal(plain, boundTo(grantID, userKey)), expiresAt: now + life };
  }

  return {
    async add(userKey, tokens) {
      const grantID = randomBytes(24).toString('base64url');
      await store.put(grantID, seal(grantID, userKey, 1, tokens));
      return grantID;
    },
    async read(grantID) {
      const record = await store.get(grantID);
      if (record === undefined) return undefined;
      const aad = boundTo(grantID, record.userKey);
      const opened = sealer.open(record.sealed, aad);
      if (opened === undefined) return 'unreadable';
      if (opened.renew) {
        // The version stays: the tokens are the same, and a refresh under way elsewhere must still be able to swap its own in.
        await store.swap(grantID, record.version, { ...record, sealed: sealer.seal(opened.plain, aad) });
      }
      const { refreshAt, tokens } = JSON.parse(opened.plain) as { refreshAt: number; tokens: F };
      return { userKey: record.userKey, version: record.version, tokens: thaw(tokens), refreshAt };
    },
    replace(grantID, held, tokens) {
      return store.swap(grantID, held.version, seal(grantID, held.userKey, held.version + 1, tokens));
    },
  };
}

function boundTo(grantID: string, userKey: string): string {
  return JSON.stringify([grantID, userKey]);
}
