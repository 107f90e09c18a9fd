import type { Sealer } from '../sealing/sealer.js';
import { Secret } from '../sealing/secret.js';
import type { StoredGrant, TokenStore } from './token-store.js';

/** A token that waits for its revocation. It does not name the user, whose other data may be erased. */
export interface WaitingToken {
  token: Secret;
  /** When the login ended, in milliseconds since the Unix epoch. */
  since: number;
  /** When the next request is due. */
  dueAt: number;
  /** When the token expires at the latest. */
  expiresAt: number;
  /** The number of requests that have failed, or have no response yet. */
  failures: number;
}

/** A record as it was read. */
export interface StoredRevocation extends WaitingToken {
  id: string;
  /** Increases with each change of the record. */
  version: number;
}

interface RevocationRecordsOptions {
  /** With {@link wrapStoreErrors}. */
  store: TokenStore;
  /** With its own purpose, such as `'revocations'`. */
  sealer: Sealer;
  /** See {@link instanceID}. Each instance has its own list. */
  instance: string;
}

const RECORD_PREFIX = 'revocation:';
/** A record outlives its token, so that a process reports that it was not revoked. */
const MAX_REPORT_DELAY_MS = 24 * 60 * 60 * 1000;
const FIRST_VERSION = 1;

/** Tokens that wait for their revocation, as sealed records of the token store. They name the instance in place of a user. */
export class RevocationRecords {
  readonly #options: RevocationRecordsOptions;
  readonly #userKey: string;

  constructor(options: RevocationRecordsOptions) {
    this.#options = options;
    this.#userKey = `${RECORD_PREFIX}${options.instance}`;
  }

  async add(id: string, waiting: WaitingToken): Promise<void> {
    await this.#options.store.put(id, this.#seal({ ...waiting, id, version: FIRST_VERSION }));
  }

  /** @returns undefined if there is no record; false for one that this process cannot open. */
  async find(id: string): Promise<StoredRevocation | undefined | false> {
    const { store, sealer } = this.#options;
    const record = await store.get(id);
    if (record === undefined) return undefined;
    const plain = sealer.open(record.sealed, this.#associatedData(id));
    if (plain === undefined) return false;
    const { token, ...waiting } = JSON.parse(plain);
    return { ...waiting, token: new Secret(token), id, version: record.version };
  }

  /** Changes a record. @returns false if another process has changed or deleted it */
  async replace(found: StoredRevocation, changes: Partial<WaitingToken>): Promise<boolean> {
    const next = { ...found, ...changes, version: found.version + 1 };
    return await this.#options.store.swap(found.id, found.version, this.#seal(next));
  }

  async delete(id: string): Promise<void> {
    await this.#options.store.delete(id);
  }

  /** @returns the ids of all records of this instance. */
  async list(): Promise<string[]> {
    const ids = await this.#options.store.grantsOf(this.#userKey);
    // A user of the site may have the same id.
    return ids.filter((id) => id.startsWith(RECORD_PREFIX));
  }

  #seal({ id, version, token, since, dueAt, expiresAt, failures }: StoredRevocation): StoredGrant {
    const plain = JSON.stringify({ token: token.reveal(), since, dueAt, expiresAt, failures });
    const sealed = this.#options.sealer.seal(plain, this.#associatedData(id));
    return { userKey: this.#userKey, version, sealed, expiresAt: expiresAt + MAX_REPORT_DELAY_MS };
  }

  #associatedData(id: string): string {
    return JSON.stringify(['revocation', this.#options.instance, id]);
  }
}

/** @returns the id of a record. @param name random text */
export function revocationID(name: string): string {
  return `${RECORD_PREFIX}${name}`;
}
