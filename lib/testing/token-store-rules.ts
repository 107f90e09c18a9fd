import { deepStrictEqual, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredGrant, TokenStore } from '../token-vault/token-store.js';

/** What a rule needs: the store under test, and ids that no other rule uses. */
export interface RuleContext {
  store: TokenStore;
  /** @returns an id of a grant or a user. The same name gives the same id. */
  id(name: string): string;
  /** @returns a record of the user `id('user')` that is valid for a minute, with other values if they are given. */
  record(version: number, values?: Partial<StoredGrant>): StoredGrant;
}

export interface TokenStoreRule {
  readonly title: string;
  check(context: RuleContext): Promise<void>;
}

/** The validity of the records and locks that a rule lets expire. */
const SHORT_MS = 1_000;
const CONCURRENT_CALLS = 50;
/** Longer than the delay of a timer, which is the range of 32 bits in milliseconds. */
const CENTURY_MS = 100 * 365 * 24 * 60 * 60 * 1_000;
/** For a timer that expires at once, because its delay is too long. */
const SOON_MS = 50;
/** Longer than the time limit of a rule, so that on a slow machine no lock expires while a rule needs it. */
const LOCK_TTL_MS = 30_000;

const afterExpiry = () => sleep(SHORT_MS + 100);
const soon = () => ({ expiresAt: Date.now() + SHORT_MS });

async function assertNotStored(store: TokenStore, id: string, userKey: string): Promise<void> {
  deepStrictEqual(await store.get(id), undefined, 'get() returned it');
  deepStrictEqual(await store.grantsOf(userKey), [], 'grantsOf() listed it');
}

/** What every token store does. `check` throws if the store does not. */
export const TOKEN_STORE_RULES: readonly TokenStoreRule[] = [
  {
    title: 'get() returns the record that was put, of up to 100 kB, and undefined for an unknown id',
    async check({ store, id, record }) {
      const long = record(1, { sealed: 'x'.repeat(100_000) });
      const changedLater = { ...long };
      await store.put(id('a'), changedLater);
      changedLater.sealed = 'changed';
      deepStrictEqual(await store.get(id('a')), long);
      for (const unknown of [id('b'), '', '__proto__', 'constructor']) {
        deepStrictEqual(await store.get(unknown), undefined, `get(${JSON.stringify(unknown)})`);
      }
    },
  },
  {
    title: 'ids may contain any character, also U+0000 and a part of an emoji, and have 300 of them',
    async check({ store, id, record }) {
      const odd = `{1}:*%_\\0\\\0\r\n '"\u00e9\u{1F600}`.padEnd(299 - id('user').length, '\u00e9');
      // As of an id that was cut within an emoji. UTF-8 has no such character: drivers send U+FFFD instead.
      const names = ['', '\ud83d', '\ude00', '\ufffd', '\\ud83d', '\\d83d', odd, odd.replace('\0', '\\0')];
      const recordOf = (name: string, version: number) => record(version, { userKey: id(`user${name}`) });
      for (const [version, name] of names.entries()) await store.put(id(name), recordOf(name, version));
      for (const [version, name] of names.entries()) {
        deepStrictEqual(await store.get(id(name)), recordOf(name, version));
        deepStrictEqual(await store.grantsOf(id(`user${name}`)), [id(name)]);
        ok(await store.lock(id(name), LOCK_TTL_MS), `lock(${JSON.stringify(id(name))})`);
      }
    },
  },
  {
    title: 'put() replaces a record, and removes it from the list of its earlier user',
    async check({ store, id, record }) {
      await store.put(id('a'), record(7));
      await store.put(id('a'), record(1, { userKey: id('other') }));
      deepStrictEqual(await store.get(id('a')), record(1, { userKey: id('other') }));
      deepStrictEqual(await store.grantsOf(id('user')), [], 'the list of the earlier user');
      deepStrictEqual(await store.grantsOf(id('other')), [id('a')]);
    },
  },
  {
    title: 'a record that has expired, also when it arrives, is not returned, listed or swapped',
    async check({ store, id, record }) {
      await store.put(id('a'), record(1, soon()));
      await afterExpiry();
      await assertNotStored(store, id('a'), id('user'));
      deepStrictEqual(await store.swap(id('a'), 1, record(2)), false, 'swap()');
      const expired = { expiresAt: Date.now() - 1 };
      await store.put(id('a'), record(1, expired));
      await assertNotStored(store, id('a'), id('user'));
      await store.put(id('a'), record(1));
      await store.swap(id('a'), 1, record(2, expired));
      await assertNotStored(store, id('a'), id('user'));
    },
  },
  {
    title: 'a record or a lock may expire in a hundred years',
    async check({ store, id, record }) {
      const expiresAt = Date.now() + CENTURY_MS;
      await store.put(id('a'), record(1, { expiresAt }));
      ok(await store.lock(id('a'), CENTURY_MS), 'lock()');
      await sleep(SOON_MS);
      deepStrictEqual(await store.get(id('a')), record(1, { expiresAt }));
      deepStrictEqual(await store.lock(id('a'), LOCK_TTL_MS), undefined, 'the lock has expired');
    },
  },
  {
    title: 'swap() sets the expiry of the new record',
    async check({ store, id, record }) {
      let validityMs = SHORT_MS;
      const swapSoon = async (): Promise<boolean> => {
        const expiresAt = Date.now() + validityMs;
        await store.put(id('a'), record(1, { expiresAt }));
        if (await store.swap(id('a'), 1, record(2))) return true;
        // On a slow machine the record may have expired before the swap.
        if (Date.now() < expiresAt || validityMs > 4 * SHORT_MS) return false;
        validityMs *= 2;
        return await swapSoon();
      };
      deepStrictEqual(await swapSoon(), true, 'swap()');
      await sleep(validityMs + 100);
      deepStrictEqual(await store.get(id('a')), record(2));
      deepStrictEqual(await store.grantsOf(id('user')), [id('a')]);
    },
  },
  {
    title: 'swap() replaces only a record with the expected version, and creates none',
    async check({ store, id, record }) {
      await store.put(id('a'), record(1));
      deepStrictEqual(await store.swap(id('a'), 2, record(3)), false, 'swap() with another version');
      deepStrictEqual(await store.swap(id('a'), 1, record(2)), true, 'swap() with the stored version');
      deepStrictEqual(await store.swap(id('a'), 1, record(4)), false, 'swap() with the old version');
      deepStrictEqual(await store.get(id('a')), record(2));
      await store.delete(id('a'));
      deepStrictEqual(await store.swap(id('a'), 2, record(3)), false, 'swap() of a deleted record');
      deepStrictEqual(await store.swap(id('b'), 1, record(2)), false, 'swap() of an unknown id');
      await assertNotStored(store, id('a'), id('user'));
    },
  },
  {
    title: `exactly one of ${CONCURRENT_CALLS} concurrent swap() calls succeeds`,
    async check({ store, id, record }) {
      await store.put(id('a'), record(1));
      const swap = (_: unknown, index: number) => store.swap(id('a'), 1, record(2, { sealed: String(index) }));
      const results = await Promise.all(Array.from({ length: CONCURRENT_CALLS }, swap));
      deepStrictEqual(results.filter(Boolean).length, 1);
      deepStrictEqual((await store.get(id('a')))?.sealed, String(results.indexOf(true)), 'the stored record');
    },
  },
  {
    title: 'delete() erases a record, and can be repeated',
    async check({ store, id, record }) {
      await store.put(id('a'), record(1));
      await store.delete(id('a'));
      await store.delete(id('a'));
      await assertNotStored(store, id('a'), id('user'));
    },
  },
  {
    title: 'grantsOf() lists first the record that expires first, whenever it was written',
    async check({ store, id, record }) {
      const later = (seconds: number) => ({ expiresAt: record(1).expiresAt + seconds * 1_000 });
      const list = async () =>
        (await store.grantsOf(id('user'))).map((grantID) => names.find((n) => id(n) === grantID));
      const names = ['b', 'c', 'a'];
      for (const [index, name] of names.entries()) await store.put(id(name), record(1, later(-index)));
      deepStrictEqual(await list(), ['a', 'c', 'b']);
      await store.swap(id('a'), 1, record(2, later(3)));
      await store.put(id('b'), record(1, later(-4)));
      deepStrictEqual(await list(), ['b', 'c', 'a']);
    },
  },
  {
    title: 'grantsOf() lists all records of one user, and no others',
    async check({ store, id, record }) {
      const names = Array.from({ length: 20 }, (_, index) => `a${index}`);
      for (const name of names) await store.put(id(name), record(1));
      await store.put(id('b'), record(1, { userKey: id('other') }));
      await store.put(id('c'), record(1, { userKey: '__proto__' }));
      await store.delete(id('a0'));
      await store.swap(id('a1'), 1, record(2));
      deepStrictEqual((await store.grantsOf(id('user'))).sort(), names.slice(1).map(id).sort());
      deepStrictEqual(await store.grantsOf(id('other')), [id('b')]);
      ok((await store.grantsOf('__proto__')).includes(id('c')), 'the user "__proto__"');
      deepStrictEqual(await store.grantsOf(id('unknown')), []);
    },
  },
  {
    title: `exactly one of ${CONCURRENT_CALLS} concurrent lock() calls locks the id, until the lock is released`,
    async check({ store, id }) {
      const lock = () => store.lock(id('a'), LOCK_TTL_MS);
      const locks = (await Promise.all(Array.from({ length: CONCURRENT_CALLS }, lock))).filter(Boolean);
      deepStrictEqual(locks.length, 1);
      deepStrictEqual(await lock(), undefined, 'a later lock');
      ok(await store.lock(id('b'), LOCK_TTL_MS), 'another id was locked too');
      await locks[0]?.release();
      ok(await lock(), 'the id was locked after release()');
    },
  },
  {
    title: 'a lock expires, and its late release does not end the next lock',
    async check({ store, id }) {
      const late = await store.lock(id('a'), SHORT_MS);
      await afterExpiry();
      ok(await store.lock(id('a'), LOCK_TTL_MS), 'the lock did not expire');
      await late?.release();
      deepStrictEqual(await store.lock(id('a'), LOCK_TTL_MS), undefined, 'the late release ended the next lock');
    },
  },
  {
    title: 'forInstance(), if the store has it, returns a store with separate records, lists and locks',
    async check({ store, id, record }) {
      const [one, other] = [store.forInstance?.(id('one')), store.forInstance?.(id('other'))];
      if (one === undefined || other === undefined || one === other) return;
      await one.put(id('a'), record(1));
      ok(await one.lock(id('a'), LOCK_TTL_MS), 'lock()');
      for (const separate of [other, store]) {
        await assertNotStored(separate, id('a'), id('user'));
        await separate.delete(id('a'));
        ok(await separate.lock(id('a'), LOCK_TTL_MS), 'the locks are shared');
      }
      deepStrictEqual(await one.get(id('a')), record(1));
      await one.delete(id('a'));
    },
  },
];
