import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { systemClock } from '../../lib/clock.js';
import { createSealer } from '../../lib/token-vault/sealer.js';
import { createTokenVault, type TokenVault } from '../../lib/token-vault/token-vault.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { startTokenEndpoint, type TokenEndpoint, type VaultProcesses, vaultProcesses } from './processes.js';
import { type FrozenPair, freeze, type Pair, thaw } from './rotating-server.js';
import { SECRET } from './vault-under-test.js';

const LOCK_LIFE = 30_000;
const EXPIRED = -1_000;

let redis: RedisServer;
let endpoint: TokenEndpoint;
let processes: VaultProcesses;
let vault: TokenVault<Pair>;
beforeAll(async () => {
  [redis, processes] = await Promise.all([startRedis(), vaultProcesses()]);
});
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  vault = createTokenVault<Pair, FrozenPair>({
    store: new RedisTokenStore({ client: await redis.client(), timeout: 500 }),
    sealer: createSealer([SECRET], 'tokens'),
    clock: systemClock,
    refresh: (tokens) => endpoint.server.refresh(tokens),
    freeze,
    thaw,
  });
});
afterEach(() => endpoint.stop());
afterAll(() => Promise.all([redis.dispose(), processes.dispose()]));

const site = () => processes.start({ REDIS_URL: redis.url, TOKEN_ENDPOINT: endpoint.url });

describe('two processes on one Redis', () => {
  test('200 requests at expiry make exactly one refresh, and all get its token (attack 190)', async () => {
    const sites = await Promise.all([site(), site()]);
    const grantID = await vault.put('user', endpoint.server.issue(EXPIRED));
    const answers = await Promise.all(sites.map((one) => one.accessTokens(grantID, 100)));
    expect(answers.flat()).toHaveLength(200);
    expect(new Set(answers.flat())).toEqual(new Set(['access-2']));
    expect(endpoint.server.asked).toBe(1);
  });

  test('the one that refreshes is killed before the service has heard of it: the other takes over', async () => {
    const [first, second] = await Promise.all([site(), site()]);
    const grantID = await vault.put('user', endpoint.server.issue(EXPIRED));
    const heard = endpoint.loseNext(false);
    first.accessTokens(grantID, 1).catch(() => undefined);
    await heard;
    await first.kill();
    const waiting = second.accessTokens(grantID, 50);
    await redis.pass(LOCK_LIFE - 1_000);
    expect(endpoint.server.asked).toBe(0);
    await redis.pass(1_000);
    expect(new Set(await waiting)).toEqual(new Set(['access-2']));
    expect(endpoint.server.asked).toBe(1);
  });

  test('the one that refreshes is killed after the service has rotated the tokens: sign in again (attack 192)', async () => {
    const [first, second] = await Promise.all([site(), site()]);
    const grantID = await vault.put('user', endpoint.server.issue(EXPIRED));
    const heard = endpoint.loseNext(true);
    first.accessTokens(grantID, 1).catch(() => undefined);
    await heard;
    await first.kill();
    await redis.pass(LOCK_LIFE);
    expect(new Set(await second.accessTokens(grantID, 50))).toEqual(new Set(['error: grant_ended']));
    expect(await vault.tokens(grantID)).toBeUndefined();
  });
});

describe('a Redis that is stopped and started', () => {
  test('is a retryable error meanwhile, then everything goes on and nobody was signed out', async () => {
    const one = await site();
    const good = await vault.put('user', endpoint.server.issue());
    const expired = await vault.put('user', endpoint.server.issue(EXPIRED));
    await redis.stop();
    expect(await one.accessTokens(good, 10)).toEqual(Array(10).fill('error: token_store_unavailable'));
    expect(await one.accessTokens(expired, 10)).toEqual(Array(10).fill('error: token_store_unavailable'));
    expect(endpoint.server.asked).toBe(0);
    await redis.start();
    let answers = await one.accessTokens(good, 1);
    while (answers[0]?.startsWith('error: token_store_unavailable')) answers = await one.accessTokens(good, 1);
    expect(answers).toEqual(['access-1']);
    expect(new Set(await one.accessTokens(expired, 10))).toEqual(new Set(['access-3']));
    expect(endpoint.server.asked).toBe(1);
  });
});

test('nothing in Redis is a token, sealed or locked (attack 102, 197)', async () => {
  const grantID = await vault.put('user-7', endpoint.server.issue(EXPIRED));
  await vault.accessToken(grantID);
  const everything = await redis.everything();
  expect(everything).toContain('user-7');
  const decoded = everything.replace(/[\w-]{40,}/g, (text) => Buffer.from(text, 'base64url').toString('latin1'));
  expect(everything + decoded).not.toMatch(/(?:access|refresh)-\d|accessToken/);
});
