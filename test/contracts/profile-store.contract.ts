import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Clock } from '../../lib/async/clock.js';
import { parseProfile } from '../../lib/resource-api/profile.js';
import { Sealer } from '../../lib/sealing/sealer.js';
import { Secret } from '../../lib/sealing/secret.js';
import { createProfileStore, type ProfileStore } from '../../lib/token-vault/profile-store.js';
import type { TokenStore } from '../../lib/token-vault/token-store.js';
import { SECRET } from '../token-vault/vault-under-test.js';

/** A store under test and its clock. */
export interface StoreUnderTest {
  store: TokenStore;
  clock: Clock;
  /** Advances the time of the store. */
  advance(ms: number): Promise<void>;
}

const DAY = 24 * 60 * 60 * 1000;
const NEWER = new Secret('another secret of more than thirty-two bytes');
const PROFILE = parseProfile({ id: 7, firstname: 'Alice', verified: true, fax: null, unknown_member: 'x' });
const missing = expect.objectContaining({ code: 'profile_agreement_missing', status: 403, remedy: 'tell_user' });

/** Describes the behaviour of the profile store on every token store. Each test gets a new, empty store. */
export function describeProfileStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`profiles stored in ${name}`, () => {
    let storeUnderTest: StoreUnderTest;
    let profiles: ProfileStore;
    const withSecrets = (...secrets: Secret[]) =>
      createProfileStore({ ...storeUnderTest, sealer: new Sealer(secrets, 'profiles'), instance: 'one' });
    beforeEach(async () => {
      storeUnderTest = await make();
      profiles = withSecrets(SECRET);
    });

    test('a profile is not saved without an agreement', async () => {
      await expect(profiles.save('user', PROFILE)).rejects.toEqual(missing);
      expect(await profiles.get('user')).toBeUndefined();
      await profiles.recordAgreement('other', 'v1');
      await expect(profiles.save('user', PROFILE)).rejects.toEqual(missing);
    });

    test('a profile is stored with the text and the time of the agreement', async () => {
      const agreedAt = storeUnderTest.clock.now();
      expect(await profiles.recordAgreement('user', 'Store my profile, v1')).toEqual({
        words: 'Store my profile, v1',
        agreedAt,
      });
      expect(await profiles.get('user')).toEqual({ agreement: { words: 'Store my profile, v1', agreedAt } });
      await storeUnderTest.advance(DAY);
      await profiles.save('user', PROFILE);
      expect(await profiles.get('user')).toStrictEqual({
        agreement: { words: 'Store my profile, v1', agreedAt },
        profile: { id: '7', firstName: 'Alice', fax: null },
        savedAt: storeUnderTest.clock.now(),
      });
    });

    test('a later profile or agreement replaces the earlier one', async () => {
      await profiles.recordAgreement('user', 'v1');
      await profiles.save('user', PROFILE);
      await profiles.save('user', { ...PROFILE, firstName: 'Alicia' });
      await profiles.recordAgreement('user', 'v2');
      expect(await profiles.get('user')).toMatchObject({
        agreement: { words: 'v2' },
        profile: { firstName: 'Alicia' },
      });
    });

    test('withdraw erases the profile, and save fails afterwards', async () => {
      await profiles.recordAgreement('user', 'v1');
      await profiles.save('user', PROFILE);
      await profiles.withdraw('user');
      await profiles.withdraw('user');
      expect(await profiles.get('user')).toBeUndefined();
      await expect(profiles.save('user', PROFILE)).rejects.toEqual(missing);
    });

    test('a profile expires 30 days after it was last saved', async () => {
      await profiles.recordAgreement('user', 'v1');
      await storeUnderTest.advance(29 * DAY);
      await profiles.save('user', PROFILE);
      await storeUnderTest.advance(29 * DAY);
      expect(await profiles.get('user')).toMatchObject({ profile: { id: '7' } });
      await storeUnderTest.advance(DAY);
      expect(await profiles.get('user')).toBeUndefined();
    });

    test('a save during a withdrawal does not restore the profile', async () => {
      await profiles.recordAgreement('user', 'v1');
      const concurrent = withdrawnDuringSave(
        storeUnderTest.store,
        () => profiles.withdraw('user'),
        storeUnderTest.clock,
      );
      await expect(concurrent.save('user', PROFILE)).rejects.toEqual(missing);
      expect(await profiles.get('user')).toBeUndefined();
    });

    test('a record is sealed, and cannot be opened for another user', async () => {
      await profiles.recordAgreement('user', 'words');
      await profiles.save('user', PROFILE);
      const [id = ''] = await storeUnderTest.store.grantsOf('user');
      const record = await storeUnderTest.store.get(id);
      const clear = `${JSON.stringify(record)}${Buffer.from(record?.sealed ?? '', 'base64url').toString('latin1')}`;
      expect(clear).not.toMatch(/Alice|words|agreedAt/);
      if (record !== undefined)
        await storeUnderTest.store.put('profile:one:mallory', { ...record, userKey: 'mallory' });
      expect(await profiles.get('mallory')).toBeUndefined();
    });

    test('two instances on one store have separate profiles of the same user', async () => {
      const other = createProfileStore({
        ...storeUnderTest,
        sealer: new Sealer([SECRET], 'profiles'),
        instance: 'other',
      });
      await profiles.recordAgreement('user', 'v1');
      expect(await other.get('user')).toBeUndefined();
      await other.recordAgreement('user', 'of the other');
      await other.withdraw('user');
      expect(await profiles.get('user')).toMatchObject({ agreement: { words: 'v1' } });
    });

    test('a profile can be read after a change of the secret while the old one is listed', async () => {
      await profiles.recordAgreement('user', 'v1');
      expect(await withSecrets(NEWER, SECRET).get('user')).toMatchObject({ agreement: { words: 'v1' } });
      expect(await withSecrets(NEWER).get('user')).toBeUndefined();
    });

    test.each(['', undefined, null, 7])('recordAgreement rejects %p as the text', async (words) => {
      await expect(profiles.recordAgreement('user', words as string)).rejects.toMatchObject({ code: 'option_invalid' });
      expect(await profiles.get('user')).toBeUndefined();
    });
  });
}

/** @returns profiles on a store where each read is followed by a withdrawal. */
function withdrawnDuringSave(
  store: StoreUnderTest['store'],
  withdraw: () => Promise<void>,
  clock: Clock,
): ProfileStore {
  const withdrawing: StoreUnderTest['store'] = {
    get: async (id) => {
      const record = await store.get(id);
      await withdraw();
      return record;
    },
    put: (id, record) => store.put(id, record),
    swap: (id, version, record) => store.swap(id, version, record),
    delete: (id) => store.delete(id),
    grantsOf: (user) => store.grantsOf(user),
    lock: (id, ttlMs) => store.lock(id, ttlMs),
  };
  const sealer = new Sealer([SECRET], 'profiles');
  return createProfileStore({ store: withdrawing, sealer, instance: 'one', clock });
}
