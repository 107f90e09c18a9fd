import type { Clock } from '../clock.js';
import { SignInRequiredError } from '../errors.js';
import { randomText } from '../random.js';
import type { Sealer } from '../sealer.js';
import type { Secret } from '../secret.js';
import type { StoredGrant, TokenStore } from './token-store.js';

/** Describes the part of the tokens that the vault reads; a TokenSet has it. */
export interface VaultTokens {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** The expiry of the access token, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Holds what a record contains. */
export interface GrantContent<T> {
  readonly userKey: string;
  readonly version: number;
  readonly tokens: T;
  /** The id of the site's session that contains the login. Sealed like the tokens: it is a credential too. */
  readonly sessionID?: string | undefined;
}

/** Holds a grant, read and opened. */
export interface VaultGrant<T> extends GrantContent<T> {
  /** From this time on the access token is refreshed before use, although it may still be valid for a moment. */
  readonly refreshAt: number;
}

/**
 * Holds a grant, or the code of the reason why an existing record cannot be read: it was sealed with a secret that this process
 * does not have, or it was altered, or sealed for another instance, grant or user.
 */
export type ReadGrant<T> = VaultGrant<T> | 'grant_secret_unknown' | 'grant_unreadable' | undefined;

/** The version of a record that was added and not replaced. */
export const FIRST_VERSION = 1;

interface SealedGrantsOptions<T, S> {
  store: TokenStore;
  sealer: Sealer;
  /** See {@link instanceID}. Records of another instance are unreadable. */
  instance: string;
  clock: Clock;
  /** @returns plain JSON with the tokens in plain text. It is sealed at once. */
  serialize: (tokens: T) => S;
  deserialize: (serialized: S) => T;
  refreshBeforeMs: number;
  ttlMs: number;
  /** Receives a grant when it is read or replaced. */
  observe?: ((grantID: string, grant: GrantContent<T>) => void) | undefined;
}

/** Grants as sealed records of a store. */
export interface SealedGrants<T> {
  add(userKey: string, tokens: T): Promise<string>;
  read(grantID: string): Promise<ReadGrant<T>>;
  /** @returns false when another process changed or erased the grant in the meantime. */
  replace(grantID: string, current: GrantContent<T>, changes: { tokens?: T; sessionID?: string }): Promise<boolean>;
}

export function createSealedGrants<T extends VaultTokens, S>(options: SealedGrantsOptions<T, S>): SealedGrants<T> {
  const { store, sealer, instance, clock, serialize, deserialize, refreshBeforeMs, ttlMs, observe } = options;
  const associatedData = (grantID: string, userKey: string) => JSON.stringify([instance, grantID, userKey]);

  function seal(grantID: string, { userKey, version, tokens, sessionID }: GrantContent<T>): StoredGrant {
    const now = clock.now();
    // At most half of its lifetime: a token that is valid for less than `refreshBeforeMs` must not be refreshed at each use.
    const earlyMs = Math.min(refreshBeforeMs, Math.max(0, (tokens.expiresAt - now) / 2));
    const plain = JSON.stringify({ refreshAt: tokens.expiresAt - earlyMs, sessionID, tokens: serialize(tokens) });
    return { userKey, version, sealed: sealer.seal(plain, associatedData(grantID, userKey)), expiresAt: now + ttlMs };
  }

  return {
    async add(userKey, tokens) {
      const grantID = randomText(24);
      await store.put(grantID, seal(grantID, { userKey, version: FIRST_VERSION, tokens }));
      return grantID;
    },
    async read(grantID) {
      const record = await store.get(grantID);
      if (record === undefined) return undefined;
      // A record of an older secret is not sealed again here: processes that do not have the new secret yet must still read it.
      const plain = sealer.open(record.sealed, associatedData(grantID, record.userKey));
      if (plain === undefined) {
        return sealer.isOfUnknownSecret(record.sealed) ? 'grant_secret_unknown' : 'grant_unreadable';
      }
      const { refreshAt, sessionID, tokens } = JSON.parse(plain) as {
        refreshAt: number;
        sessionID?: string;
        tokens: S;
      };
      const { userKey, version } = record;
      const grant = { userKey, version, refreshAt, sessionID, tokens: deserialize(tokens) };
      observe?.(grantID, grant);
      return grant;
    },
    async replace(grantID, current, changes) {
      const next = { ...current, ...changes, version: current.version + 1 };
      const isReplaced = await store.swap(grantID, current.version, seal(grantID, next));
      if (isReplaced) observe?.(grantID, next);
      return isReplaced;
    },
  };
}

/** @returns true when the access token can be used without a refresh. */
export function isFresh<T extends VaultTokens>(
  grant: VaultGrant<T>,
  refusedToken: string | undefined,
  clock: Clock,
): boolean {
  return clock.now() < grant.refreshAt && grant.tokens.accessToken.reveal() !== refusedToken;
}

/** @returns true when the access token has not expired, for use where a refresh fails. */
export function isUsable<T extends VaultTokens>(
  grant: VaultGrant<T>,
  refusedToken: string | undefined,
  clock: Clock,
): boolean {
  return clock.now() < grant.tokens.expiresAt && grant.tokens.accessToken.reveal() !== refusedToken;
}

/** @throws SignInRequiredError `grant_secret_unknown`, `grant_unreadable` or `grant_ended` */
export function requireGrant<T>(read: ReadGrant<T>): VaultGrant<T> {
  if (read === undefined) throw grantEnded();
  if (typeof read === 'string') {
    throw new SignInRequiredError(read, 'The tokens of this sign-in cannot be decrypted. Please sign in again.');
  }
  return read;
}

/** @returns the grant; undefined for a record that cannot be read. */
export function readableGrant<T>(read: ReadGrant<T>): VaultGrant<T> | undefined {
  return typeof read === 'string' ? undefined : read;
}

export function grantEnded(cause?: unknown): SignInRequiredError {
  return new SignInRequiredError('grant_ended', 'This sign-in has ended. Please sign in again.', cause);
}
