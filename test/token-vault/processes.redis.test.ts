import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { systemClock } from '../../lib/clock.js';
import { createSealer } from '../../lib/sealer.js';
import { createTokenVault, type TokenVault } from '../../lib/token-vault/token-vault.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { startTokenEndpoint, type TokenEndpoint, type VaultProcesses, vaultProcesses } from './processes.js';
import { deserialize, type Pair, type SerializedPair, serialize } from './rotating-server.js';
import { SECRET } from './vault-under-test.js';

/** The default time limit of a refresh, and six seconds. */
const LOCK_TTL_MS = 26_000;
const EXPIRED = -1_000;
/** A machine that pauses for longer, while a lock is held, fails the test. */
const MAX_PAUSE_MS = 20_000;

let redis: RedisServer;
let endpoint: TokenEndpoint;
let processes: VaultProcesses;
let vault: TokenVault<Pair>;
beforeAll(async () => {
  [redis, processes] = await Promise.all([startRedis(), vaultProcesses()]);
});
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  vault = createTokenVault<Pair, SerializedPair>({
    store: new RedisTokenStore({ client: await redis.client(), timeout: 15_000 }),
    sealer: createSealer([SECRET], 'tokens'),
    instance: 'instance',
    clock: systemClock,
    refresh: (tokens) => endpoint.server.refresh(tokens),
    serialize,
    deserialize,
  });
});
afterEach(() => endpoint.stop());
afterAll(() => Promise.all([redis.dispose(), processes.dispose()]));

const site = () => processes.start({ REDIS_URL: redis.url, TOKEN_ENDPOINT: endpoint.url });

describe('two processes on one Redis', () => {
  test('200 concurrent requests at expiry cause one refresh and share its token', async () => {
    const sites = await Promise.all([site(), site()]);
    const grantID = await vault.put('user', endpoint.server.issue(EXPIRED));
    const results = await Promise.all(sites.map((one) => one.accessTokens(grantID, 100)));
    expect(results.flat()).toHaveLength(200);
    expect(new Set(results.flat())).toEqual(new Set(['access-2']));
    expect(endpoint.server.refreshCount).toBe(1);
  });

  test('the other process refreshes when the first is killed before the service executes its refresh', async () => {
    const [first, second] = await Promise.all([site(), site()]);
    const grantID = await vault.put('user', endpoint.server.issue(EXPIRED));
    const arrived = endpoint.loseNextResponse(false);
    first.accessTokens(grantID, 1).catch(() => undefined);
    await arrived;
    await first.kill();
    const waiting = second.accessTokens(grantID, 50);
    await redis.advance(LOCK_TTL_MS - MAX_PAUSE_MS);
    expect(endpoint.server.refreshCount).toBe(0);
    await redis.advance(MAX_PAUSE_MS);
    expect(new Set(await waiting)).toEqual(new Set(['access-2']));
    expect(endpoint.server.refreshCount).toBe(1);
  });

  test('the grant ends when the refreshing process is killed after the service has rotated the tokens', async () => {
    const [first, second] = await Promise.all([site(), site()]);
    const grantID = await vault.put('user', endpoint.server.issue(EXPIRED));
    const arrived = endpoint.loseNextResponse(true);
    first.accessTokens(grantID, 1).catch(() => undefined);
    await arrived;
    await first.kill();
    await redis.advance(LOCK_TTL_MS);
    expect(new Set(await second.accessTokens(grantID, 50))).toEqual(new Set(['error: grant_ended']));
    expect(await vault.tokens(grantID)).toBeUndefined();
  });
});

describe('a restart of Redis', () => {
  test('causes retryable errors, and afterwards every grant still works', async () => {
    const one = await site();
    const good = await vault.put('user', endpoint.server.issue());
    const expired = await vault.put('user', endpoint.server.issue(EXPIRED));
    await redis.stop();
    expect(await one.accessTokens(good, 10)).toEqual(Array(10).fill('error: token_store_unavailable'));
    expect(await one.accessTokens(expired, 10)).toEqual(Array(10).fill('error: token_store_unavailable'));
    expect(endpoint.server.refreshCount).toBe(0);
    await redis.start();
    let results = await one.accessTokens(good, 1);
    while (results[0]?.startsWith('error: token_store_unavailable')) results = await one.accessTokens(good, 1);
    expect(results).toEqual(['access-1']);
    expect(new Set(await one.accessTokens(expired, 10))).toEqual(new Set(['access-3']));
    expect(endpoint.server.refreshCount).toBe(1);
  });
});

test('Redis contains no token in plain text', async () => {
  const grantID = await vault.put('user-7', endpoint.server.issue(EXPIRED));
  await vault.accessToken(grantID);
  const dump = await redis.dump();
  expect(dump).toContain('user-7');
  const decoded = dump.replace(/[\w-]{40,}/g, (text) => Buffer.from(text, 'base64url').toString('latin1'));
  expect(dump + decoded).not.toMatch(/(?:access|refresh)-\d|accessToken/);
});
