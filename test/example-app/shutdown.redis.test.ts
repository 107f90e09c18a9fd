import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { BrowserUser } from '../helpers.js';
import { delaysStarted, holdResponse, isBuilt, type SiteProcess, startSite } from './site-process.js';

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

(isBuilt ? describe : describe.skip)('SIGTERM during refreshes', () => {
  test('whose connections are closed at the time limit signs no user out: the new tokens are in Redis', async () => {
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
