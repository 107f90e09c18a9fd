import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { LOGIN_PATHS, siteOf } from '../integration/login-paths.js';
import { navigation, type SiteOptions, siteFor } from '../integration/site.js';

const ownPage = { ...navigation, 'Sec-Fetch-Site': 'same-origin' };
const path = '/auth/login?returnTo=%2Fnotes&display=popup';
const RETRY = 'href="/auth/login?returnTo=%2Fnotes&amp;display=popup"';

const browserOf = (options: SiteOptions = {}) => supertest.agent(siteFor(provider, options).app);

describe.each(LOGIN_PATHS)('a sign-in in a popup, by %s', (loginPath) => {
  test('requests display=popup, and ends on a page that notifies the opener and closes', async () => {
    const agent = supertest.agent(siteOf(provider, loginPath).app).set(ownPage);
    const page = await signIn(agent, provider, { as: 'verified', loginPath: path });
    const { query } = provider.requests.findLast((request) => request.path === '/oauth/authorize') ?? {};
    expect(query?.display).toBe('popup');
    expect(page.status).toBe(200);
    expect(page.text).toContain('data-clinician-popup="signed-in" data-return-to="/notes"');
    expect(page.text).toContain('href="/notes"');
    expect(page.headers['content-security-policy']).toContain("script-src 'sha256-");
    expect(page.headers['x-frame-options']).toBe('DENY');
    await agent.get('/me').expect(200);
  });

  test.each([
    ['a link of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a request without the headers of a browser', {}],
  ])('that starts with %s names its returnTo to no page of the site', async (_, headers) => {
    const agent = supertest.agent(siteOf(provider, loginPath).app);
    const start = () => agent.get(path).set({ ...navigation, ...headers });
    const back = new URL(await provider.signIn((await start()).headers.location as string, { as: 'verified' }));
    // The second one is of a signed-in user, and ends at once.
    for (const { text } of [await agent.get(back.pathname + back.search), await start()])
      expect(text).toContain('data-return-to="/"');
  });
});

describe('a sign-in in a popup is retried in the popup, with its returnTo', () => {
  test('when it cannot be started', async () => {
    const agent = browserOf({ fetch: () => Promise.reject(new Error('unreachable')) });
    expect((await agent.get(path).set(ownPage).expect(503)).text).toContain(RETRY);
  });

  test('when it fails', async () => {
    const agent = browserOf().set(ownPage);
    expect((await signIn(agent, provider, { as: 'verified', deny: true, loginPath: path })).text).toContain(RETRY);
  });
});
