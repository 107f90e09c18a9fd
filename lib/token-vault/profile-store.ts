import type { Clock } from '../async/clock.js';
import { denied } from '../errors/denials.js';
import { ConfigurationError, ServiceUnavailableError } from '../errors/errors.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import type { Sealer } from '../sealing/sealer.js';
import type { TokenStore } from './token-store.js';
import { userKeyFrom } from './user-key.js';

/** The user's agreement to have the profile stored. */
export interface Agreement {
  /** The text that the user agreed to, or its version, as the site recorded it. */
  readonly words: string;
  /** Milliseconds since the Unix epoch. */
  readonly agreedAt: number;
}

/** The stored part of a profile. Not `raw`, which may have unknown members, and not `verified`, which may change. */
export type StoredProfile = Omit<ClinicianProfile, 'raw' | 'verified'>;

/** The stored data of one user, in addition to the tokens. */
export interface ProfileRecord {
  readonly agreement: Agreement;
  /** Absent until a profile is saved. */
  readonly profile?: StoredProfile;
  /** When the profile was last saved, in milliseconds since the Unix epoch. */
  readonly savedAt?: number;
}

/** Identifies a user by the site's own id, as in `forget(userID)`. */
type UserID = string | number;

/**
 * Stores the profiles of users who agreed to it (service spec, "Limits": "only user id and tokens may be kept, plus a user's
 * profile if the user explicitly agreed"). Profile and agreement are one sealed record.
 */
export interface ProfileStore {
  /** Records that the user agreed now. A second agreement replaces the first, and the profile remains. */
  recordAgreement(userID: UserID, words: string): Promise<Agreement>;
  /**
   * Saves the profile, and replaces an earlier one.
   * @throws DeniedError `profile_agreement_missing` for a user who has not agreed
   */
  save(userID: UserID, profile: ClinicianProfile): Promise<void>;
  /** @returns the stored data of the user. */
  get(userID: UserID): Promise<ProfileRecord | undefined>;
  /** Erases profile and agreement. Safe to repeat. */
  withdraw(userID: UserID): Promise<void>;
}

interface ProfileStoreOptions {
  /** The store of the tokens, with {@link wrapStoreErrors}, so that all data of a user is erased through one index. */
  store: TokenStore;
  /** With its own purpose, such as `'profiles'`. */
  sealer: Sealer;
  /** See {@link instanceID}. The profiles of each instance are separate. */
  instance: string;
  clock: Clock;
  /** How long a record is stored after its last change. @default 30 days */
  ttlMs?: number;
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_ATTEMPTS = 10;
const RECORD_PREFIX = 'profile:';

export function createProfileStore(options: ProfileStoreOptions): ProfileStore {
  const { store, sealer, instance, clock, ttlMs = MONTH_MS } = options;
  const recordID = (userID: UserID) =>
    `${RECORD_PREFIX}${instance}:${userKeyFrom(userID, 'each function of profiles')}`;
  const associatedData = (userID: UserID) => JSON.stringify(['profile', instance, String(userID)]);

  async function read(userID: UserID): Promise<{ version: number; record: ProfileRecord } | undefined> {
    const stored = await store.get(recordID(userID));
    const plain = stored && sealer.open(stored.sealed, associatedData(userID));
    return stored && plain !== undefined
      ? { version: stored.version, record: JSON.parse(plain) as ProfileRecord }
      : undefined;
  }

  async function update(
    userID: UserID,
    change: (current: ProfileRecord | undefined) => ProfileRecord,
  ): Promise<ProfileRecord> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const current = await read(userID);
      const record = change(current?.record);
      const version = (current?.version ?? 0) + 1;
      const sealed = sealer.seal(JSON.stringify(record), associatedData(userID));
      const stored = { userKey: String(userID), version, sealed, expiresAt: clock.now() + ttlMs };
      if (current === undefined) await store.put(recordID(userID), stored);
      if (current === undefined || (await store.swap(recordID(userID), current.version, stored))) return record;
    }
    throw new ServiceUnavailableError(
      'token_store_unavailable',
      'Other processes are changing the stored profile of this user. Retry later.',
    );
  }

  return {
    async recordAgreement(userID, words) {
      if (typeof words !== 'string' || words === '') {
        throw new ConfigurationError(
          'option_invalid',
          'recordAgreement() needs the text that the user agreed to: pass a non-empty string.',
        );
      }
      const agreement = { words, agreedAt: clock.now() };
      return (await update(userID, (current) => ({ ...current, agreement }))).agreement;
    },
    async save(userID, { raw: _raw, verified: _verified, ...profile }) {
      await update(userID, (current) => {
        if (current === undefined) throw denied('profile_agreement_missing');
        return { ...current, profile, savedAt: clock.now() };
      });
    },
    get: async (userID) => (await read(userID))?.record,
    withdraw: async (userID) => store.delete(recordID(userID)),
  };
}
