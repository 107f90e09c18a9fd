import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Clock } from '../../lib/clock.js';
import { parseProfile } from '../../lib/resource-api/profile.js';
import { Secret } from '../../lib/secret.js';
import { createProfileStore, type ProfileStore } from '../../lib/token-vault/profile-store.js';
import { createSealer } from '../../lib/token-vault/sealer.js';
import { SECRET } from '../token-vault/vault-under-test.js';
import type { StoreUnderTest } from './token-store.contract.js';

const DAY = 24 * 60 * 60 * 1000;
const NEWER = new Secret('another secret of more than thirty-two bytes');
const PROFILE = parseProfile({ id: 7, firstname: 'Alice', verified: true, fax: null, unknown_member: 'x' });
const missing = expect.objectContaining({ code: 'profile_agreement_missing', status: 403, remedy: 'tell_user' });

/** What keeping profiles must do on every token store. Each test gets a store of its own, empty. */
export function describeKeptProfiles(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`profiles kept in ${name}`, () => {
    let under: StoreUnderTest;
    let profiles: ProfileStore;
    const withSecrets = (...secrets: Secret[]) =>
      createProfileStore({ ...under, sealer: createSealer(secrets, 'profiles') });
    beforeEach(async () => {
      under = await make();
      profiles = withSecrets(SECRET);
    });

    test('are kept of nobody who did not agree', async () => {
      await expect(profiles.save('user', PROFILE)).rejects.toEqual(missing);
      expect(await profiles.get('user')).toBeUndefined();
      await profiles.recordAgreement('other', 'v1');
      await expect(profiles.save('user', PROFILE)).rejects.toEqual(missing);
    });

    test('are kept with the record of the agreement: its words and when it was', async () => {
      const agreedAt = under.clock.now();
      expect(await profiles.recordAgreement('user', 'Keep my profile, v1')).toEqual({
        words: 'Keep my profile, v1',
        agreedAt,
      });
      expect(await profiles.get('user')).toEqual({ agreement: { words: 'Keep my profile, v1', agreedAt } });
      await under.pass(DAY);
      await profiles.save('user', PROFILE);
      expect(await profiles.get('user')).toStrictEqual({
        agreement: { words: 'Keep my profile, v1', agreedAt },
        profile: { id: '7', firstName: 'Alice', fax: null },
        keptAt: under.clock.now(),
      });
    });

    test('change with the person; a newer agreement takes the place of the older', async () => {
      await profiles.recordAgreement('user', 'v1');
      await profiles.save('user', PROFILE);
      await profiles.save('user', { ...PROFILE, firstName: 'Alicia' });
      await profiles.recordAgreement('user', 'v2');
      expect(await profiles.get('user')).toMatchObject({
        agreement: { words: 'v2' },
        profile: { firstName: 'Alicia' },
      });
    });

    test('go when the person takes the agreement back, and are not kept again', async () => {
      await profiles.recordAgreement('user', 'v1');
      await profiles.save('user', PROFILE);
      await profiles.withdraw('user');
      await profiles.withdraw('user');
      expect(await profiles.get('user')).toBeUndefined();
      await expect(profiles.save('user', PROFILE)).rejects.toEqual(missing);
    });

    test('go when they were not kept again for thirty days', async () => {
      await profiles.recordAgreement('user', 'v1');
      await under.pass(29 * DAY);
      await profiles.save('user', PROFILE);
      await under.pass(29 * DAY);
      expect(await profiles.get('user')).toMatchObject({ profile: { id: '7' } });
      await under.pass(DAY);
      expect(await profiles.get('user')).toBeUndefined();
    });

    test('are not brought back by whoever wanted to keep one while it was taken back', async () => {
      await profiles.recordAgreement('user', 'v1');
      const late = withdrawnMeanwhile(under.store, () => profiles.withdraw('user'), under.clock);
      await expect(late.save('user', PROFILE)).rejects.toEqual(missing);
      expect(await profiles.get('user')).toBeUndefined();
    });

    test('are sealed: nothing of them is readable, and none opens for another person (attack 197)', async () => {
      await profiles.recordAgreement('user', 'words');
      await profiles.save('user', PROFILE);
      const [id = ''] = await under.store.grantsOf('user');
      const record = await under.store.get(id);
      const clear = `${JSON.stringify(record)}${Buffer.from(record?.sealed ?? '', 'base64url').toString('latin1')}`;
      expect(clear).not.toMatch(/Alice|words|agreedAt/);
      if (record !== undefined) await under.store.put('profile:mallory', { ...record, userKey: 'mallory' });
      expect(await profiles.get('mallory')).toBeUndefined();
    });

    test('open after a change of the secret as long as the old one is named', async () => {
      await profiles.recordAgreement('user', 'v1');
      expect(await withSecrets(NEWER, SECRET).get('user')).toMatchObject({ agreement: { words: 'v1' } });
      expect(await withSecrets(NEWER).get('user')).toBeUndefined();
    });

    test.each(['', undefined, null, 7])('need words that were agreed to, not %p', async (words) => {
      await expect(profiles.recordAgreement('user', words as string)).rejects.toMatchObject({ code: 'option_invalid' });
      expect(await profiles.get('user')).toBeUndefined();
    });
  });
}

/** Profiles on a store where somebody else is faster: between the first read and what follows it. */
function withdrawnMeanwhile(store: StoreUnderTest['store'], withdraw: () => Promise<void>, clock: Clock): ProfileStore {
  const slow: StoreUnderTest['store'] = {
    get: async (id) => {
      const record = await store.get(id);
      await withdraw();
      return record;
    },
    put: (id, record) => store.put(id, record),
    swap: (id, version, record) => store.swap(id, version, record),
    delete: (id) => store.delete(id),
    grantsOf: (user) => store.grantsOf(user),
    lock: (id, life) => store.lock(id, life),
  };
  return createProfileStore({ store: slow, sealer: createSealer([SECRET], 'profiles'), clock });
}
