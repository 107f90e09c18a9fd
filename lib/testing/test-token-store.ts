import { randomBytes } from 'node:crypto';
import type { StoredGrant, TokenStore } from '../token-vault/token-store.js';
import { messageOf } from './redact.js';
import { type RuleContext, TOKEN_STORE_RULES } from './token-store-rules.js';

/** A rule that takes longer has failed: a method of the store has not settled. */
const TIMEOUT_MS = 15_000;

/**
 * Tests your own token store. It checks every rule that this package depends on, such as that exactly one of 50 concurrent
 * `swap()` calls succeeds. It takes about two seconds, and works in jest, vitest, node:test and without a test framework.
 *
 * The store may contain other records, because the test uses random ids and deletes its records. Its locks expire after 30
 * seconds.
 *
 * @throws Error that lists every rule that the store violates
 * @example
 * ```ts
 * test('the token store', () => testTokenStore(new MongoTokenStore(collection)));
 * ```
 */
export async function testTokenStore(store: TokenStore): Promise<void> {
  if (typeof store?.get !== 'function')
    throw new TypeError('testTokenStore() needs a token store. Pass an object with the methods of TokenStore.');
  const run = randomBytes(9).toString('base64url');
  const expiresAt = Date.now() + 60_000;
  const written = new Set<string>();
  const recording: TokenStore = recordingIDs(store, written);
  try {
    const failures = await Promise.all(
      TOKEN_STORE_RULES.map(async ({ title, check }, index) => {
        const id = (name: string) => `test-${run}-${index}-${name}`;
        const record = (version: number, values: Partial<StoredGrant> = {}) => ({
          ...{ userKey: id('user'), sealed: `sealed ${version}`, version, expiresAt },
          ...values,
        });
        const failure = await failureOf(check, { store: recording, id, record });
        return failure === undefined ? [] : [`- ${title}: ${failure}`];
      }),
    );
    if (failures.flat().length === 0) return;
    const count = `${failures.flat().length} of ${TOKEN_STORE_RULES.length}`;
    throw new Error(`The token store violates rules (${count}).\n${failures.flat().join('\n')}`);
  } finally {
    const erased = Promise.allSettled([...written].map((id) => store.delete(id)));
    await withinTimeLimit(erased).catch(() => undefined);
  }
}

/** @returns the store, with the ids of its records added to a set. */
function recordingIDs(store: TokenStore, written: Set<string>): TokenStore {
  return {
    get: (id) => store.get(id),
    async put(id, record) {
      written.add(id);
      await store.put(id, record);
    },
    async swap(id, expectedVersion, record) {
      written.add(id);
      return await store.swap(id, expectedVersion, record);
    },
    delete: (id) => store.delete(id),
    grantsOf: (userKey) => store.grantsOf(userKey),
    lock: (id, ttlMs) => store.lock(id, ttlMs),
    ...(store.forInstance && { forInstance: (instance) => store.forInstance?.(instance) as TokenStore }),
  };
}

/** @returns the message of the error, if a rule is violated. */
async function failureOf(
  check: (context: RuleContext) => Promise<void>,
  context: RuleContext,
): Promise<string | undefined> {
  return await withinTimeLimit(check(context)).then(() => undefined, messageOf);
}

async function withinTimeLimit(result: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    const message = `a method has not settled within ${TIMEOUT_MS / 1000} seconds`;
    timer = setTimeout(() => reject(new Error(message)), TIMEOUT_MS);
  });
  try {
    await Promise.race([result, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
