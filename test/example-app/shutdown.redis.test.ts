import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { BrowserUser } from '../helpers/browser-user.js';
import { delaysStarted, holdResponse, isBuilt, type SiteProcess, startSite } from './site-process.js';

const USERS = 8;
const MAX_ATTEMPTS = 3;
let provider: MockProvider;
let redis: RedisServer;
const sites: SiteProcess[] = [];
beforeEach(async () => {
  [provider, redis] = await Promise.all([startMockProvider({ apiPort: 0 }), startRedis()]);
});
afterEach(async () => {
  for (const { child } of sites.splice(0)) child.kill('SIGKILL');
  await Promise.all([provider.stop(), redis.dispose()]);
});

async function start(settings: Record<string, string> = {}): Promise<SiteProcess> {
  const site = await startSite(provider, { REDIS_URL: redis.url, ...settings });
  sites.push(site);
  return site;
}

const isRefresh = ({ form }: { form: Record<string, string> }) => form.grant_type === 'refresh_token';

(isBuilt ? describe : describe.skip)('SIGTERM during refreshes', () => {
  /** Ends a process while users refresh their tokens. @returns the responses of it and of the next process */
  async function endDuringRefreshes() {
    const site = await start();
    const users = Array.from({ length: USERS }, () => new BrowserUser(provider));
    for (const user of users) await user.visit(`${site.url}/auth/login?returnTo=/`, { username: 'verified' });
    for (let count = 0; count < USERS; count += 1) {
      provider.faults.next('delay', { endpoint: '/oauth/token', delay: '1 second' });
    }
    const pages = users.map((user) => user.post(`${site.url}/account/refresh`));
    await Promise.race([delaysStarted(provider), Promise.all(pages)]);
    provider.faults.clear();
    site.child.kill('SIGTERM');
    const refreshed = (await Promise.all(pages)).map(({ status }) => status);
    const code = await site.ended;
    const next = await start({ PORT: new URL(site.url).port });
    const profiles = await Promise.all(users.map((user) => user.get(`${next.url}/profile`)));
    const errors = [site.output().err, next.output().err];
    return { refreshed, code, profiles: profiles.map(({ status }) => status), errors };
  }

  test('signs no user out: their new tokens are in Redis, and the next process uses them', async () => {
    let end = await endDuringRefreshes();
    // A process that a slow machine stops for three seconds loses its connection to Redis.
    for (let attempt = 1; attempt < MAX_ATTEMPTS && end.errors.join().includes('Socket timeout'); attempt += 1) {
      for (const { child, ended } of sites.splice(0)) {
        child.kill('SIGKILL');
        await ended;
      }
      provider.reset();
      end = await endDuringRefreshes();
    }
    expect(end).toEqual({
      refreshed: Array(USERS).fill(303),
      code: 0,
      profiles: Array(USERS).fill(200),
      errors: ['', ''],
    });
    expect(provider.requests.filter(isRefresh)).toHaveLength(USERS);
  });

  test('whose connections are closed at the time limit signs no user out either', async () => {
    const site = await start({ SHUTDOWN_SECONDS: '1' });
    const user = new BrowserUser(provider);
    await user.visit(`${site.url}/auth/login?returnTo=/`, { username: 'verified' });
    holdResponse(provider, '/oauth/token');
    const page = user.post(`${site.url}/account/refresh`).catch(() => undefined);
    await delaysStarted(provider);
    site.child.kill('SIGTERM');
    expect(await page).toBeUndefined();
    expect(await site.ended).toBe(0);
    const next = await start({ PORT: new URL(site.url).port });
    expect((await user.get(`${next.url}/profile`)).status).toBe(200);
  });

  test('exits with code 0 while Redis is down', async () => {
    const site = await start();
    const user = new BrowserUser(provider);
    await user.visit(`${site.url}/auth/login?returnTo=/`, { username: 'verified' });
    await redis.stop();
    expect((await user.get(`${site.url}/profile`)).status).toBe(503);
    site.child.kill('SIGTERM');
    expect(await site.ended).toBe(0);
  });
});
