import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Clock } from '../../lib/clock.js';
import type { StoredGrant, TokenStore } from '../../lib/token-vault/token-store.js';

/** A store under test and the clock it goes by. */
export interface StoreUnderTest {
  store: TokenStore;
  clock: Clock;
  /** Moves the time that the store goes by. */
  pass(ms: number): Promise<void>;
}

/** What every token store must do, concurrency included. Each test gets a store of its own, empty. */
export function describeTokenStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name}, as a token store`, () => {
    let store: TokenStore;
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await make();
      store = under.store;
    });

    function grant(version: number, more: Partial<StoredGrant> = {}): StoredGrant {
      return { userKey: 'user', sealed: `sealed ${version}`, version, expiresAt: under.clock.now() + 60_000, ...more };
    }

    test('gives back what was put, and nothing for an unknown grant', async () => {
      await store.put('g', grant(1));
      expect(await store.get('g')).toEqual(grant(1));
      for (const id of ['other', '', '__proto__', 'constructor']) expect(await store.get(id)).toBeUndefined();
    });

    test('gives back every letter, however it is spelled', async () => {
      const odd = { userKey: 'u{1}:*\r\n\0 \u00e9\u{1F600}', sealed: 'x'.repeat(100_000) };
      await store.put('g:{*}\n', grant(1, odd));
      expect(await store.get('g:{*}\n')).toEqual(grant(1, odd));
      expect(await store.grantsOf(odd.userKey)).toEqual(['g:{*}\n']);
    });

    test('puts over what was there, and takes the grant from whoever had it', async () => {
      await store.put('g', grant(7));
      await store.put('g', grant(1, { userKey: 'user2' }));
      expect(await store.get('g')).toEqual(grant(1, { userKey: 'user2' }));
      expect(await store.grantsOf('user')).toEqual([]);
      expect(await store.grantsOf('user2')).toEqual(['g']);
    });

    test('keeps a copy: a record changed afterwards changes nothing kept', async () => {
      const record = { ...grant(1) };
      await store.put('g', record);
      record.sealed = 'changed';
      expect((await store.get('g'))?.sealed).toBe('sealed 1');
    });

    test('gives nothing out whose time has come', async () => {
      await store.put('g', grant(1));
      await under.pass(60_001);
      expect(await store.get('g')).toBeUndefined();
      expect(await store.grantsOf('user')).toEqual([]);
      expect(await store.swap('g', 1, grant(2))).toBe(false);
    });

    test('keeps nothing that had ended before it came', async () => {
      const ended = { expiresAt: under.clock.now() };
      await store.put('g', grant(1, ended));
      expect(await store.get('g')).toBeUndefined();
      await store.put('g', grant(1));
      await store.swap('g', 1, grant(2, ended));
      expect(await store.get('g')).toBeUndefined();
      expect(await store.grantsOf('user')).toEqual([]);
    });

    test('keeps what is swapped in for the life of the new record, not of the old one', async () => {
      await store.put('g', grant(1));
      await under.pass(59_000);
      await store.swap('g', 1, grant(2));
      await under.pass(59_000);
      expect((await store.get('g'))?.version).toBe(2);
      expect(await store.grantsOf('user')).toEqual(['g']);
    });

    test('swaps when the version is the expected one, and changes nothing otherwise', async () => {
      await store.put('g', grant(1));
      expect(await store.swap('g', 2, grant(3))).toBe(false);
      expect(await store.swap('g', 1, grant(2))).toBe(true);
      expect(await store.swap('g', 1, grant(2, { sealed: 'late' }))).toBe(false);
      expect(await store.get('g')).toEqual(grant(2));
    });

    test('never swaps a grant into being', async () => {
      expect(await store.swap('g', 1, grant(2))).toBe(false);
      await store.put('g', grant(1));
      await store.delete('g');
      expect(await store.swap('g', 1, grant(2))).toBe(false);
      expect(await store.get('g')).toBeUndefined();
    });

    test('lets exactly one of fifty concurrent swaps through', async () => {
      await store.put('g', grant(1));
      const swaps = Array.from({ length: 50 }, (_, n) => store.swap('g', 1, grant(2, { sealed: String(n) })));
      expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1);
    });

    test('deletes, and deletes again without complaint', async () => {
      await store.put('g', grant(1));
      await store.delete('g');
      await store.delete('g');
      expect(await store.get('g')).toBeUndefined();
      expect(await store.grantsOf('user')).toEqual([]);
    });

    test('finds the grants of one user, and of no other', async () => {
      await store.put('a', grant(1));
      await store.put('b', grant(1));
      await store.put('c', grant(1, { userKey: 'user2' }));
      await store.put('d', grant(1, { userKey: '__proto__' }));
      await store.delete('b');
      await store.swap('a', 1, grant(2));
      expect(await store.grantsOf('user')).toEqual(['a']);
      expect(await store.grantsOf('user2')).toEqual(['c']);
      expect(await store.grantsOf('__proto__')).toEqual(['d']);
      expect(await store.grantsOf('nobody')).toEqual([]);
    });

    test('locks one grant for one holder, until it is released', async () => {
      const lock = await store.lock('g', 30_000);
      expect(lock).toBeDefined();
      expect(await store.lock('g', 30_000)).toBeUndefined();
      expect(await store.lock('other', 30_000)).toBeDefined();
      await lock?.release();
      expect(await store.lock('g', 30_000)).toBeDefined();
    });

    test('gives a lock to exactly one of fifty who ask at once', async () => {
      const locks = await Promise.all(Array.from({ length: 50 }, () => store.lock('g', 30_000)));
      expect(locks.filter(Boolean)).toHaveLength(1);
    });

    test('ends a lock with its life; its late holder cannot end the lock of the next', async () => {
      const late = await store.lock('g', 30_000);
      await under.pass(30_001);
      expect(await store.lock('g', 30_000)).toBeDefined();
      await late?.release();
      expect(await store.lock('g', 30_000)).toBeUndefined();
    });
  });
}
