import type { Clock } from '../clock.js';
import { ConfigurationError, DeniedError, ServiceUnavailableError } from '../errors.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import type { Sealer } from './sealer.js';
import type { TokenStore } from './token-store.js';
import { wrapStoreErrors } from './wrap-store-errors.js';

/** That a person agreed to have the profile kept. */
export interface Agreement {
  /** The words that the person agreed to, or their version: as the site gave them. */
  readonly words: string;
  /** Milliseconds since the epoch. */
  readonly agreedAt: number;
}

/** What is kept of a profile. Not `raw`: only what has a name here is needed. Not `verified`: that is asked for, never remembered. */
export type StoredProfile = Omit<ClinicianProfile, 'raw' | 'verified'>;

/** What is kept about a person besides the tokens. */
export interface ProfileRecord {
  readonly agreement: Agreement;
  /** Absent until there was one to keep. */
  readonly profile?: StoredProfile;
  /** When the profile was kept last, in milliseconds since the epoch. */
  readonly keptAt?: number;
}

/** The site's own id of the user, as `forget(userID)` takes it. */
export type UserKey = string | number;

/**
 * Profiles of people who agreed to it, and the record of that (service spec, "Limits": "only user id and tokens may be kept, plus
 * a user's profile if the user explicitly agreed"). There is no profile without an agreement beside it, in one sealed record.
 */
export interface ProfileStore {
  /** Records that the person agreed, just now. Agreed to again, the newer words count, and a profile stays. */
  recordAgreement(userKey: UserKey, words: string): Promise<Agreement>;
  /**
   * Keeps the profile, in place of an older one.
   * @throws DeniedError `profile_agreement_missing` where nobody agreed
   */
  save(userKey: UserKey, profile: ClinicianProfile): Promise<void>;
  /** @returns what is kept: to show it to the person, or to use it. */
  get(userKey: UserKey): Promise<ProfileRecord | undefined>;
  /** Erases the profile and the agreement; safe to repeat. */
  withdraw(userKey: UserKey): Promise<void>;
}

export interface ProfileStoreOptions {
  /** The store of the tokens: what is kept about a user goes all at once then, by one index. */
  store: TokenStore;
  /** Made for a purpose of its own, such as `'profiles'`. */
  sealer: Sealer;
  clock: Clock;
  /** How long a profile is kept after the last time that it was, in milliseconds; the agreement ends with it. @default 30 days */
  ttlMs?: number;
}

const MONTH = 30 * 24 * 60 * 60 * 1000;
const MOST_TRIES = 10;

export function createProfileStore({
  sealer,
  clock,
  ttlMs: life = MONTH,
  ...options
}: ProfileStoreOptions): ProfileStore {
  const store = wrapStoreErrors(options.store);

  async function read(userKey: UserKey): Promise<{ version: number; kept: ProfileRecord } | undefined> {
    const record = await store.get(recordID(userKey));
    const opened = record && sealer.open(record.sealed, boundTo(userKey));
    return opened && { version: record.version, kept: JSON.parse(opened.plain) as ProfileRecord };
  }

  async function change(
    userKey: UserKey,
    next: (before: ProfileRecord | undefined) => ProfileRecord,
  ): Promise<ProfileRecord> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await read(userKey);
      const kept = next(before?.kept);
      const version = (before?.version ?? 0) + 1;
      const sealed = sealer.seal(JSON.stringify(kept), boundTo(userKey));
      const record = { userKey: String(userKey), version, sealed, expiresAt: clock.now() + life };
      if (before === undefined) await store.put(recordID(userKey), record);
      if (before === undefined || (await store.swap(recordID(userKey), before.version, record))) return kept;
    }
    throw new ServiceUnavailableError(
      'token_store_unavailable',
      'What is kept about this person changes all the time.',
    );
  }

  return {
    async recordAgreement(userKey, words) {
      if (typeof words !== 'string' || words === '') {
        throw new ConfigurationError('option_invalid', 'agree(): say which words the person agreed to.');
      }
      const agreement = { words, agreedAt: clock.now() };
      return (await change(userKey, (before) => ({ ...before, agreement }))).agreement;
    },
    async save(userKey, { raw: _raw, verified: _verified, ...profile }) {
      await change(userKey, (before) => {
        if (before === undefined) throw agreementMissing();
        return { ...before, profile, keptAt: clock.now() };
      });
    },
    get: async (userKey) => (await read(userKey))?.kept,
    withdraw: (userKey) => store.delete(recordID(userKey)),
  };
}

function recordID(userKey: UserKey): string {
  return `profile:${userKey}`;
}

function boundTo(userKey: UserKey): string {
  return JSON.stringify(['profile', String(userKey)]);
}

function agreementMissing(): DeniedError {
  return new DeniedError(
    'profile_agreement_missing',
    'Nothing is kept of a profile before the person has agreed to it.',
  );
}
