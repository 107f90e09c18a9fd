import { randomBytes } from 'node:crypto';
import { withTimeout } from '../async/timers.js';
import type { StoredGrant, TokenStore } from '../token-vault/token-store.js';
import { TOKEN_STORE_RULES, type TokenStoreRule } from './token-store-rules.js';

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
  const ids = new Set<string>();
  const failureOf = async ({ title, check }: TokenStoreRule, index: number) => {
    const id = (name: string) => {
      const unique = `test-${run}-${index}-${name}`;
      ids.add(unique);
      return unique;
    };
    const record = (version: number, values: Partial<StoredGrant> = {}) => ({
      ...{ userKey: id('user'), sealed: `sealed ${version}`, version, expiresAt },
      ...values,
    });
    return await withTimeout(TIMEOUT_MS, check({ store, id, record })).then(
      () => [],
      (error: unknown) => [`- ${title}: ${error instanceof Error ? error.message : error}`],
    );
  };
  const failures = (await Promise.all(TOKEN_STORE_RULES.map(failureOf))).flat();
  const deletions = Promise.allSettled([...ids].map((id) => store.delete(id)));
  await withTimeout(TIMEOUT_MS, deletions).catch(() => undefined);
  if (failures.length === 0) return;
  const count = `${failures.length} of ${TOKEN_STORE_RULES.length}`;
  throw new Error(`The token store violates rules (${count}).\n${failures.join('\n')}`);
}
