import type { Clock } from '../async/clock.js';
import { BoundedMap } from '../async/work.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { grantEnded, SignInRequiredError } from '../errors/errors.js';
import { hasMembers, type MemberTypes, parseStored, randomText, type Sealer } from '../sealing/sealer.js';
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
  /** Random, and not a token, so that a session can hold it: see {@link newGrantID}. */
  grantID: string;
  /** The site's own id of the user. */
  userKey: string;
  /** The id of the site's session that contains the login; undefined if none does. */
  sessionID?: string | undefined;
}

/** @returns the id of a new grant */
export function newGrantID(): string {
  return randomText(24);
}

/**
 * Why an existing record cannot be read: it was sealed with a secret that this process does not have, or it was altered, or sealed
 * for another instance, grant or user.
 */
type UnreadableCode = 'grant_secret_unknown' | 'grant_unreadable';

/** Converts tokens for a record. */
export interface TokenFormat {
  /** @returns plain JSON with the tokens in plain text. It is sealed at once. */
  serialize: (tokens: TokenSet) => object;
  /** @returns undefined for a value that {@link serialize} has not returned. */
  deserialize: (serialized: unknown) => TokenSet | undefined;
}

interface GrantRecordsOptions extends TokenFormat {
  /** With {@link wrapStoreErrors}. */
  store: TokenStore;
  /** With its own purpose, such as `'tokens'`. */
  sealer: Sealer;
  /** See {@link instanceID}. Records of another instance are unreadable. */
  instance: string;
  clock: Clock;
}

const MAX_REFRESH_BEFORE_MS = 60_000;
const TTL_MS = 30 * 24 * 60 * 60 * 1000;
const FIRST_VERSION = 1;
/** The number of ended grants that wait for their erasure. */
const MAX_ENDED = 10_000;

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
  readonly #options: GrantRecordsOptions;
  /** The grants that have ended while the store has failed to erase them. */
  readonly #ended = new BoundedMap<string, true>(MAX_ENDED);

  constructor(options: GrantRecordsOptions) {
    this.#options = options;
  }

  /** Adds the tokens of a new login. */
  async add({ grantID, userKey, sessionID }: NewGrant, tokens: TokenSet): Promise<VaultGrant> {
    const refreshAt = this.#refreshTime(tokens);
    const grant = { id: grantID, userKey, version: FIRST_VERSION, tokens, sessionID, refreshAt };
    await this.#options.store.put(grant.id, this.#seal(grant));
    return grant;
  }

  /** @returns the grant; undefined if there is none, and for a record that cannot be read. */
  async find(grantID: string): Promise<VaultGrant | undefined> {
    const grant = await this.#open(grantID);
    return typeof grant === 'string' ? undefined : grant;
  }

  /** @throws SignInRequiredError `grant_secret_unknown` or `grant_unreadable` for a record that cannot be read */
  async read(grantID: string): Promise<VaultGrant | undefined> {
    const grant = await this.#open(grantID);
    if (typeof grant !== 'string') return grant;
    throw new SignInRequiredError(grant, 'The tokens of this sign-in cannot be decrypted. Please sign in again.');
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
    const isReplaced = await this.#options.store.swap(known.id, known.version, this.#seal(grant));
    return isReplaced ? grant : undefined;
  }

  /** Erases a grant. While the store fails, this process does not use it, and erases it when the store responds again. Never throws. */
  async end(grantID: string): Promise<void> {
    this.#ended.set(grantID, true);
    await this.#options.store.delete(grantID).then(
      () => this.#ended.delete(grantID),
      () => undefined,
    );
  }

  async #open(grantID: string): Promise<VaultGrant | UnreadableCode | undefined> {
    const { store, sealer, deserialize } = this.#options;
    const [waiting] = this.#ended.keys();
    if (this.#ended.has(grantID)) return undefined;
    const record = await store.get(grantID);
    if (waiting !== undefined) void this.end(waiting);
    // A store of the site may return null.
    if (!record || this.#ended.has(grantID)) return undefined;
    if (!hasMembers(record, recordMembers)) return 'grant_unreadable';
    const { userKey, version, sealed } = record;
    // A record of an older secret is not sealed again here: processes that do not have the new secret yet must still read it.
    const plain = sealer.open(sealed, this.#associatedData(grantID, userKey));
    if (plain === undefined) return sealer.isOfUnknownSecret(sealed) ? 'grant_secret_unknown' : 'grant_unreadable';
    const content = parseStored(plain, contentMembers);
    const tokens = content && deserialize(content.tokens);
    if (!tokens) return 'grant_unreadable';
    const { refreshAt, sessionID } = content;
    return { id: grantID, userKey, version, tokens, sessionID, refreshAt };
  }

  #seal({ id, userKey, version, tokens, sessionID, refreshAt }: VaultGrant): StoredGrant {
    const { sealer, clock, serialize } = this.#options;
    const plain = JSON.stringify({ refreshAt, sessionID, tokens: serialize(tokens) });
    const sealed = sealer.seal(plain, this.#associatedData(id, userKey));
    return { userKey, version, sealed, expiresAt: clock.now() + TTL_MS };
  }

  #associatedData(grantID: string, userKey: string): string {
    return JSON.stringify([this.#options.instance, grantID, userKey]);
  }

  /** At most half of its lifetime early: a token that is valid for less than a minute must not be refreshed at each use. */
  #refreshTime({ expiresAt }: TokenSet): number {
    const lifetimeMs = Math.max(0, expiresAt - this.#options.clock.now());
    return expiresAt - Math.min(MAX_REFRESH_BEFORE_MS, lifetimeMs / 2);
  }
}

/** @returns true when the access token can be used without a refresh. */
export function isFresh(grant: VaultGrant, refusedToken: string | undefined, clock: Clock): boolean {
  return clock.now() < grant.refreshAt && grant.tokens.accessToken.reveal() !== refusedToken;
}

/** @returns true when the access token has not expired, for use when a refresh fails. */
export function isUsable(grant: VaultGrant, refusedToken: string | undefined, clock: Clock): boolean {
  return clock.now() < grant.tokens.expiresAt && grant.tokens.accessToken.reveal() !== refusedToken;
}
