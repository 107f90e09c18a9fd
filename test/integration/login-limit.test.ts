import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from './site.js';

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A site whose user has 50 logins, and a fetch that holds each revocation until it is released. */
async function siteWithLogins() {
  const real = createFetch();
  const waiting: (() => void)[] = [];
  const fetch: Fetch = async (url, init) => {
    if (url.endsWith('/oauth/revoke')) await new Promise<void>((resolve) => waiting.push(resolve));
    return await real(url, init);
  };
  const tokenStore = new MemoryTokenStore();
  const site = siteFor(provider, { tokenStore, fetch, onEvent: () => undefined });
  const enter = async () => {
    const agent = supertest.agent(site.app);
    const response = await signIn(agent, provider, { as: 'verified' });
    return { agent, response };
  };
  const { agent: first } = await enter();
  for (let login = 1; login < 50; login += 1) await enter();
  const { id } = (await first.get('/me').expect(200)).body.user;
  const idsIn = () =>
    new Promise<string[]>((resolve) => site.sessions.all((_error, all) => resolve(Object.keys(all ?? {}))));
  return { ...site, tokenStore, waiting, enter, first, userID: id as string, idsIn };
}

describe('the 51st login of a user', () => {
  test('ends the oldest login, with its session, after the response; close() waits until it is revoked', async () => {
    const { waiting, enter, first, tokenStore, userID, idsIn, clinician } = await siteWithLogins();
    const { agent: last } = await enter();
    await last.get('/me').expect(200);
    await until(async () => waiting.length === 1);
    expect(await tokenStore.grantsOf(userID)).toHaveLength(50);
    await until(async () => (await idsIn()).length === 50);
    await first.get('/me').expect(401);
    let isClosed = false;
    const closing = clinician.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    waiting[0]?.();
    await closing;
    expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toHaveLength(1);
    await last.get('/me').expect(200);
  });
});
