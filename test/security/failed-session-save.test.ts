import { expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import type { LoginPath } from '../integration/login-paths.js';
import { siteAt } from '../integration/strategy-site.js';

/** A session store in which one write fails. */
class FailingStore extends session.MemoryStore {
  writes = 0;
  failingWrite = 0;

  override set(id: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    this.writes += 1;
    if (this.writes === this.failingWrite) callback?.(new Error('the session store is unavailable'));
    else super.set(id, data, callback);
  }
}

test.each<[LoginPath | 'strategy', number]>([
  ['drop-in', 1],
  ['drop-in, Passport session', 1],
  ['drop-in, Passport session', 2],
  ['Passport first', 1],
  ['Passport first', 2],
  ['Passport last', 1],
  ['Passport last', 2],
  ['strategy', 1],
])(
  'a sign-in whose session cannot be saved signs no user in (by: %s, failing write: %d)',
  async (path, failingWrite) => {
    const store = new FailingStore();
    store.failingWrite = failingWrite;
    const tokenStore = new MemoryTokenStore();
    const site = siteAt(provider, path, { tokenStore, onEvent: () => undefined, session: { store } });
    const agent = supertest.agent(site.app);
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=%2Fme' });
    // The error of the session store is passed on.
    expect(response.status).toBe(path === 'strategy' ? 500 : 503);
    expect(store.writes).toBeGreaterThanOrEqual(failingWrite);
    await agent.get('/').expect(200, [false, null]);
    expect(JSON.stringify(store)).not.toContain('grantID');
    expect(tokenStore.size).toBe(0);
    expect(provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200)).toHaveLength(1);
  },
);
