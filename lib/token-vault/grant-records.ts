import type { Clock } from '../async/clock.js';
import { BoundedMap, type PendingWork } from '../async/work.js';
import { deserializeTokenSet, serializeTokenSet, type TokenSet } from '../authorization-server/token-set.js';
import { grantEnded, SignInRequiredError } from '../errors/errors.js';
import { hasMembers, type MemberTypes, parseStored, type Sealer } from '../sealing/sealer.js';
import type { StoredGrant, TokenStore } from './token-store.js';

/** The stored tokens of one login, read and opened. */
export interface VaultGrant {
  readonly id: string;
  /** The site's own id of the user. */
  readonly userKey: string;
  /** Increases with each refresh. */
  readonly version: number;
  readonly tokens: TokenSet;
  /** The id of the site's session that contains the login. Sealed like the tokens: it is a credential too. */
  readonly sessionID?: string | undefined;
  /** From this time on the access token is refreshed before use, although it may still be valid for a moment. */
  readonly refreshAt: number;
}

/** A grant that is stored for the first time. */
export interface NewGrant {
  /** Random, and not a token, so that a session can hold it. */
  grantID: string;
  /** The site's own id of the user. */
  userKey: string;
  /** The id of the site's session that contains the login; undefined if none does. */
  sessionID?: string | undefined;
}

/**
 * Why an existing record cannot be read: it was sealed with a secret that this process does not have, or it was altered, or sealed
 * for another instance, grant or user.
 */
type UnreadableCode = 'grant_secret_unknown' | 'grant_unreadable';

interface GrantRecordsOptions {
  /** With {@link wrapStoreErrors}. */
  store: TokenStore;
  sealer: Sealer;
  /** See {@link instanceID}. Records of another instance are unreadable. */
  instance: string;
  clock: Clock;
  /** Tracks what is written, so that a process that stops can wait for it. */
  work: PendingWork;
}

const MAX_REFRESH_BEFORE_MS = 60_000;
const TTL_MS = 30 * 24 * 60 * 60 * 1000;
const FIRST_VERSION = 1;
/** The number of ended grants that wait for their erasure. */
const MAX_ENDED = 10_000;
/** No grant has this id: grant ids are random and longer. */
const HEALTH_CHECK_ID = 'health-check';
const HEALTH_CHECK_LOCK_MS = 1_000;

const recordMembers: MemberTypes<StoredGrant> = {
  userKey: 'text',
  sealed: 'string',
  version: 'number',
  expiresAt: 'number',
};
const contentMembers: MemberTypes<{ tokens: object; refreshAt: number; sessionID?: string }> = {
  tokens: 'object',
  refreshAt: 'number',
  sessionID: 'string?',
};

/** Grants as sealed records of a token store. */
export class GrantRecords {
  /** With {@link wrapStoreErrors}. */
  readonly store: TokenStore;
  readonly #sealer: Sealer;
  readonly #instance: string;
  readonly #clock: Clock;
  readonly #work: PendingWork;
  /** The grants that have ended while the store has failed to erase them. */
  readonly #ended = new BoundedMap<string, true>(MAX_ENDED);

  constructor({ store, sealer, instance, clock, work }: GrantRecordsOptions) {
    this.store = store;
    this.#sealer = sealer;
    this.#instance = instance;
    this.#clock = clock;
    this.#work = work;
  }

  async add({ grantID, userKey, sessionID }: NewGrant, tokens: TokenSet): Promise<VaultGrant> {
    const refreshAt = this.#refreshTime(tokens);
    const grant = { id: grantID, userKey, version: FIRST_VERSION, tokens, sessionID, refreshAt };
    await this.#work.track(this.store.put(grant.id, this.#seal(grant)));
    return grant;
  }

  /** @returns the grant; undefined if there is none, and for a record that cannot be read. */
  async find(grantID: string): Promise<VaultGrant | undefined> {
    try {
      return await this.read(grantID);
    } catch (error) {
      if (error instanceof SignInRequiredError) return undefined;
      throw error;
    }
  }

  /** @throws SignInRequiredError `grant_secret_unknown` or `grant_unreadable` for a record that cannot be read */
  async read(grantID: string): Promise<VaultGrant | undefined> {
    const [waiting] = this.#ended.keys();
    if (this.#ended.has(grantID)) return undefined;
    const record = await this.store.get(grantID);
    if (waiting !== undefined) void this.end(waiting);
    // A store of the site may return null.
    if (!record || this.#ended.has(grantID)) return undefined;
    if (!hasMembers(record, recordMembers)) throw unreadable('grant_unreadable');
    const { userKey, version, sealed } = record;
    // A record of an older secret is not sealed again here: processes that do not have the new secret yet must still read it.
    const plain = this.#sealer.open(sealed, this.#associatedData(grantID, userKey));
    if (plain === undefined) {
      throw unreadable(this.#sealer.isOfUnknownSecret(sealed) ? 'grant_secret_unknown' : 'grant_unreadable');
    }
    const content = parseStored(plain, contentMembers);
    const tokens = content && deserializeTokenSet(content.tokens);
    if (!tokens) throw unreadable('grant_unreadable');
    const { refreshAt, sessionID } = content;
    return { id: grantID, userKey, version, tokens, sessionID, refreshAt };
  }

  /** Throws the same errors as {@link read}, and `grant_ended` if there is no record. */
  async require(grantID: string): Promise<VaultGrant> {
    const grant = await this.read(grantID);
    if (grant === undefined) throw grantEnded();
    return grant;
  }

  /** Replaces the tokens of a grant. @returns undefined if another process has replaced or erased it */
  async replace(known: VaultGrant, tokens: TokenSet): Promise<VaultGrant | undefined> {
    const grant = { ...known, tokens, version: known.version + 1, refreshAt: this.#refreshTime(tokens) };
    const isReplaced = await this.store.swap(known.id, known.version, this.#seal(grant));
    return isReplaced ? grant : undefined;
  }

  /** Erases a grant. While the store fails, this process does not use it, and erases it when the store responds again. Never throws. */
  async end(grantID: string): Promise<void> {
    this.#ended.set(grantID, true);
    await this.store.delete(grantID).then(
      () => this.#ended.delete(grantID),
      () => undefined,
    );
  }

  /** Writes to the token store. Rejects when the store is unavailable or refuses. */
  async checkStore(): Promise<void> {
    // Another process may hold the lock at the same time: that is a response, too.
    const lock = await this.store.lock(HEALTH_CHECK_ID, HEALTH_CHECK_LOCK_MS);
    await lock?.release();
  }

  #seal({ id, userKey, version, tokens, sessionID, refreshAt }: VaultGrant): StoredGrant {
    const plain = JSON.stringify({ refreshAt, sessionID, tokens: serializeTokenSet(tokens) });
    const sealed = this.#sealer.seal(plain, this.#associatedData(id, userKey));
    return { userKey, version, sealed, expiresAt: this.#clock.now() + TTL_MS };
  }

  #associatedData(grantID: string, userKey: string): string {
    return JSON.stringify([this.#instance, grantID, userKey]);
  }

  /** At most half of its lifetime early: a token that is valid for less than a minute must not be refreshed at each use. */
  #refreshTime({ expiresAt }: TokenSet): number {
    const lifetimeMs = Math.max(0, expiresAt - this.#clock.now());
    return expiresAt - Math.min(MAX_REFRESH_BEFORE_MS, lifetimeMs / 2);
  }
}

function unreadable(code: UnreadableCode): SignInRequiredError {
  return new SignInRequiredError(code, 'The tokens of this sign-in cannot be decrypted. Please sign in again.');
}

/** @returns true when the access token can be used without a refresh. */
export function isFresh(grant: VaultGrant, refusedToken: string | undefined, clock: Clock): boolean {
  return clock.now() < grant.refreshAt && grant.tokens.accessToken.reveal() !== refusedToken;
}

/** @returns true when the access token has not expired, for use when a refresh fails. */
export function isUsable(grant: VaultGrant, refusedToken: string | undefined, clock: Clock): boolean {
  return clock.now() < grant.tokens.expiresAt && grant.tokens.accessToken.reveal() !== refusedToken;
}
