import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { MemoryTokenStore, type StoredGrant, type TokenStore } from 'passport-clinician';
import { testTokenStore } from 'passport-clinician/testing';
import { TOKEN_STORE_RULES } from '../../lib/testing/token-store-rules.js';

afterEach(() => void jest.useRealTimers());

/** A rule, and a change to a correct store that violates it. */
const VIOLATIONS: readonly [rule: string, change: (store: TokenStore) => Partial<TokenStore>][] = [
  ['get() returns the record', returningTheSameObject],
  ['any character', inUTF8],
  ['put() replaces a record', listingEachPut],
  ['a record that has expired', (store) => ({ put: (id, record) => store.put(id, extended(record)) })],
  ['in a hundred years', lockingWithTimers],
  [
    'swap() sets the expiry',
    (store) => ({
      async swap(id, version, record) {
        const expiresAt = (await store.get(id))?.expiresAt ?? record.expiresAt;
        return await store.swap(id, version, { ...record, expiresAt });
      },
    }),
  ],
  ['the expected version', (store) => ({ swap: async (id, _, record) => swapAnyVersion(store, id, record) })],
  [
    'creates none',
    (store) => ({
      async swap(id, version, record) {
        if ((await store.get(id)) === undefined) await store.put(id, record);
        return await store.swap(id, version, record);
      },
    }),
  ],
  [
    'concurrent swap() calls',
    (store) => ({
      async swap(id, version, record) {
        const isExpected = (await store.get(id))?.version === version;
        if (isExpected) await store.put(id, record);
        return isExpected;
      },
    }),
  ],
  ['delete() erases a record', () => ({ delete: async () => undefined })],
  ['that expires first', listingByLastWrite],
  ['all records of one user', (store) => ({ grantsOf: async (user) => (await store.grantsOf(user)).slice(0, 10) })],
  ['concurrent lock() calls', () => ({ lock: async () => ({ release: async () => undefined }) })],
  ['a lock expires', (store) => ({ lock: (id) => store.lock(id, 60_000) })],
  ['forInstance()', (store) => ({ forInstance: () => changed(store, {}) })],
];

function changed(store: TokenStore, change: Partial<TokenStore>): TokenStore {
  const methods: TokenStore = {
    get: (id) => store.get(id),
    put: (id, record) => store.put(id, record),
    swap: (id, version, record) => store.swap(id, version, record),
    delete: (id) => store.delete(id),
    grantsOf: (user) => store.grantsOf(user),
    lock: (id, ttlMs) => store.lock(id, ttlMs),
  };
  return { ...methods, ...change };
}

const extended = (record: StoredGrant) => ({ ...record, expiresAt: Math.max(record.expiresAt, Date.now() + 60_000) });

async function swapAnyVersion(store: TokenStore, id: string, record: StoredGrant): Promise<boolean> {
  const stored = await store.get(id);
  return stored !== undefined && (await store.swap(id, stored.version, record));
}

function listingByLastWrite(store: TokenStore): Partial<TokenStore> {
  const written: string[] = [];
  return {
    async put(id, record) {
      await store.put(id, record);
      written.push(id);
    },
    async swap(id, version, record) {
      const isSwapped = await store.swap(id, version, record);
      if (isSwapped) written.push(id);
      return isSwapped;
    },
    async grantsOf(user) {
      const listed = await store.grantsOf(user);
      return listed.sort((one, other) => written.lastIndexOf(one) - written.lastIndexOf(other));
    },
  };
}

/** A delay of more than 32 bits is one of a millisecond. */
function lockingWithTimers(): Partial<TokenStore> {
  const locked = new Set<string>();
  return {
    async lock(id, ttlMs) {
      if (locked.has(id)) return undefined;
      locked.add(id);
      setTimeout(() => locked.delete(id), ttlMs < 2 ** 31 ? ttlMs : 1).unref();
      return { release: async () => void locked.delete(id) };
    },
  };
}

/** As a driver that sends ids in UTF-8 without encoding them first. */
function inUTF8(store: TokenStore): Partial<TokenStore> {
  const sent = (id: string) => Buffer.from(id).toString();
  return {
    get: (id) => store.get(sent(id)),
    put: (id, record) => store.put(sent(id), record),
    lock: (id, ttlMs) => store.lock(sent(id), ttlMs),
  };
}

function listingEachPut(store: TokenStore): Partial<TokenStore> {
  const listed = new Map<string, Set<string>>();
  return {
    async put(id, record) {
      listed.set(record.userKey, (listed.get(record.userKey) ?? new Set()).add(id));
      await store.put(id, record);
    },
    async grantsOf(user) {
      const ids = [...(listed.get(user) ?? [])];
      const records = await Promise.all(ids.map((id) => store.get(id)));
      return ids.filter((_, index) => records[index] !== undefined);
    },
  };
}

function returningTheSameObject(store: TokenStore): Partial<TokenStore> {
  const records = new Map<string, StoredGrant>();
  return {
    async put(id, record) {
      records.set(id, record);
      await store.put(id, record);
    },
    get: async (id) => ((await store.get(id)) === undefined ? undefined : records.get(id)),
  };
}

/** Runs all at the same time: each takes more than a second. */
test('testTokenStore() names the rule that a store violates, and each rule can be violated', async () => {
  const found = await Promise.all(
    VIOLATIONS.map(async ([rule, change]) => {
      const store = new MemoryTokenStore();
      const error = await testTokenStore(changed(store, change(store))).catch((thrown: Error) => thrown);
      return error?.message.split('\n').some((line) => line.startsWith('- ') && line.includes(rule)) ? rule : error;
    }),
  );
  expect(found).toEqual(VIOLATIONS.map(([rule]) => rule));
  const violated = TOKEN_STORE_RULES.filter(({ title }) => VIOLATIONS.some(([rule]) => title.includes(rule)));
  expect(violated).toHaveLength(TOKEN_STORE_RULES.length);
});

test('testTokenStore() leaves the other records of a store, and none of its own', async () => {
  const store = new MemoryTokenStore();
  await store.put('other', { userKey: 'user', sealed: 'sealed', version: 1, expiresAt: Date.now() + 60_000 });
  await testTokenStore(store);
  expect(store.size).toBe(1);
  expect(await store.get('other')).toMatchObject({ userKey: 'user' });
});

test('testTokenStore() rejects when a method never settles', async () => {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  const store = changed(new MemoryTokenStore(), { delete: () => new Promise(() => undefined) });
  const failed = expect(testTokenStore(store)).rejects.toThrow(
    /- delete\(\) erases a record, and can be repeated: no result within 15000 ms/,
  );
  // The second time limit is that of the deletion of the records.
  let isPending = true;
  void failed.finally(() => (isPending = false));
  while (isPending) {
    await sleep(50);
    jest.advanceTimersByTime(15_000);
  }
  await failed;
});
