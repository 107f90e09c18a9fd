import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Clock } from '../../lib/clock.js';
import type { StoredGrant, TokenStore } from '../../lib/token-vault/token-store.js';

/** A store under test and its clock. */
export interface StoreUnderTest {
  store: TokenStore;
  clock: Clock;
  /** Advances the time of the store. */
  advance(ms: number): Promise<void>;
}

/** Describes the behaviour of every token store. Each test gets a new, empty store. */
export function describeTokenStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a token store`, () => {
    let store: TokenStore;
    let storeUnderTest: StoreUnderTest;
    beforeEach(async () => {
      storeUnderTest = await make();
      store = storeUnderTest.store;
    });

    function grant(version: number, more: Partial<StoredGrant> = {}): StoredGrant {
      return {
        userKey: 'user',
        sealed: `sealed ${version}`,
        version,
        expiresAt: storeUnderTest.clock.now() + 60_000,
        ...more,
      };
    }

    test('get returns the grant that was put, and undefined for an unknown id', async () => {
      await store.put('g', grant(1));
      expect(await store.get('g')).toEqual(grant(1));
      for (const id of ['other', '', '__proto__', 'constructor']) expect(await store.get(id)).toBeUndefined();
    });

    test('any character is preserved, in ids as in values', async () => {
      const odd = { userKey: 'u{1}:*\r\n\0 \u00e9\u{1F600}', sealed: 'x'.repeat(100_000) };
      await store.put('g:{*}\n', grant(1, odd));
      expect(await store.get('g:{*}\n')).toEqual(grant(1, odd));
      expect(await store.grantsOf(odd.userKey)).toEqual(['g:{*}\n']);
    });

    test('put replaces a grant, and removes it from the index of its earlier user', async () => {
      await store.put('g', grant(7));
      await store.put('g', grant(1, { userKey: 'user2' }));
      expect(await store.get('g')).toEqual(grant(1, { userKey: 'user2' }));
      expect(await store.grantsOf('user')).toEqual([]);
      expect(await store.grantsOf('user2')).toEqual(['g']);
    });

    test('a record that is changed after put does not change the stored grant', async () => {
      const record = { ...grant(1) };
      await store.put('g', record);
      record.sealed = 'changed';
      expect((await store.get('g'))?.sealed).toBe('sealed 1');
    });

    test('an expired grant is not returned, listed or swapped', async () => {
      await store.put('g', grant(1));
      await storeUnderTest.advance(60_001);
      expect(await store.get('g')).toBeUndefined();
      expect(await store.grantsOf('user')).toEqual([]);
      expect(await store.swap('g', 1, grant(2))).toBe(false);
    });

    test('a grant that is expired when it arrives is not stored', async () => {
      const ended = { expiresAt: storeUnderTest.clock.now() };
      await store.put('g', grant(1, ended));
      expect(await store.get('g')).toBeUndefined();
      await store.put('g', grant(1));
      await store.swap('g', 1, grant(2, ended));
      expect(await store.get('g')).toBeUndefined();
      expect(await store.grantsOf('user')).toEqual([]);
    });

    test('swap sets the expiry of the new record', async () => {
      await store.put('g', grant(1));
      await storeUnderTest.advance(59_000);
      await store.swap('g', 1, grant(2));
      await storeUnderTest.advance(59_000);
      expect((await store.get('g'))?.version).toBe(2);
      expect(await store.grantsOf('user')).toEqual(['g']);
    });

    test('swap replaces a grant with the expected version only', async () => {
      await store.put('g', grant(1));
      expect(await store.swap('g', 2, grant(3))).toBe(false);
      expect(await store.swap('g', 1, grant(2))).toBe(true);
      expect(await store.swap('g', 1, grant(2, { sealed: 'late' }))).toBe(false);
      expect(await store.get('g')).toEqual(grant(2));
    });

    test('swap does not create a grant', async () => {
      expect(await store.swap('g', 1, grant(2))).toBe(false);
      await store.put('g', grant(1));
      await store.delete('g');
      expect(await store.swap('g', 1, grant(2))).toBe(false);
      expect(await store.get('g')).toBeUndefined();
    });

    test('exactly one of 50 concurrent swaps succeeds', async () => {
      await store.put('g', grant(1));
      const swaps = Array.from({ length: 50 }, (_, n) => store.swap('g', 1, grant(2, { sealed: String(n) })));
      expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1);
    });

    test('delete erases a grant, and can be repeated', async () => {
      await store.put('g', grant(1));
      await store.delete('g');
      await store.delete('g');
      expect(await store.get('g')).toBeUndefined();
      expect(await store.grantsOf('user')).toEqual([]);
    });

    test('grantsOf returns first the grant that was written longest ago', async () => {
      const now = storeUnderTest.clock.now();
      const later = (seconds: number) => ({ expiresAt: now + 60_000 + seconds * 1_000 });
      for (const [index, id] of ['b', 'c', 'a'].entries()) await store.put(id, grant(1, later(index)));
      expect(await store.grantsOf('user')).toEqual(['b', 'c', 'a']);
      await store.swap('b', 1, grant(2, later(3)));
      await store.put('c', grant(1, later(4)));
      expect(await store.grantsOf('user')).toEqual(['a', 'b', 'c']);
    });

    test('grantsOf returns the grants of one user only', async () => {
      await store.put('a', grant(1));
      await store.put('b', grant(1));
      await store.put('c', grant(1, { userKey: 'user2' }));
      await store.put('d', grant(1, { userKey: '__proto__' }));
      await store.delete('b');
      await store.swap('a', 1, grant(2));
      expect(await store.grantsOf('user')).toEqual(['a']);
      expect(await store.grantsOf('user2')).toEqual(['c']);
      expect(await store.grantsOf('__proto__')).toEqual(['d']);
      expect(await store.grantsOf('unknown')).toEqual([]);
    });

    test('a grant is locked until the lock is released; other grants are not', async () => {
      const lock = await store.lock('g', 30_000);
      expect(lock).toBeDefined();
      expect(await store.lock('g', 30_000)).toBeUndefined();
      expect(await store.lock('other', 30_000)).toBeDefined();
      await lock?.release();
      expect(await store.lock('g', 30_000)).toBeDefined();
    });

    test('exactly one of 50 concurrent lock calls succeeds', async () => {
      const locks = await Promise.all(Array.from({ length: 50 }, () => store.lock('g', 30_000)));
      expect(locks.filter(Boolean)).toHaveLength(1);
    });

    test('a lock expires, and a late release does not end the next lock', async () => {
      const late = await store.lock('g', 30_000);
      await storeUnderTest.advance(30_001);
      expect(await store.lock('g', 30_000)).toBeDefined();
      await late?.release();
      expect(await store.lock('g', 30_000)).toBeUndefined();
    });
  });
}
