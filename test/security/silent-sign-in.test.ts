import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { provider } from '../helpers/provider.js';
import { navigation, siteFor } from '../integration/site.js';

const fromOtherSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site' };
const silentLogin = '/auth/login?prompt=none&returnTo=%2Fme';

type Agent = ReturnType<typeof supertest.agent>;

/** Follows the login route to the provider. @returns the response to the callback. */
async function run(agent: Agent, path: string, as = 'verified', providerBrowser: object = agent) {
  const { headers } = await agent.get(path).set(navigation).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as, browser: providerBrowser }));
  return agent.get(back.pathname + back.search).set(navigation);
}

describe('a link on another site that requests a silent sign-in', () => {
  test('redirects to returnTo; only a link on the same site redirects to the service', async () => {
    const { app } = siteFor(provider);
    const { headers } = await supertest(app).get(silentLogin).set(fromOtherSite).expect(302);
    expect(headers.location).toBe('/me');
    for (const site of ['same-origin', 'none']) {
      const own = await supertest(app)
        .get(silentLogin)
        .set({ ...navigation, 'Sec-Fetch-Site': site })
        .expect(302);
      expect(own.headers.location).toMatch(`${provider.issuer}/oauth/authorize?`);
    }
    await supertest(app).get('/auth/login').set(fromOtherSite).expect(302);
  });
});

describe('a sign-in that a frame starts', () => {
  test.each(['iframe', 'frame', 'embed', 'object'])(
    'is refused without an authorization request (%s)',
    async (dest) => {
      const framed = { ...navigation, 'Sec-Fetch-Dest': dest };
      const { app } = siteFor(provider);
      const { text, headers } = await supertest(app).get('/auth/login').set(framed).expect(403);
      expect(text).toContain('The sign-in cannot be shown in a frame.');
      expect(headers['set-cookie']).toBeUndefined();
      const guarded = await supertest(app).get('/me').set(framed).expect(302);
      await supertest(app)
        .get(guarded.headers.location as string)
        .set(framed)
        .expect(403);
      // A silent sign-in shows no error.
      const silent = await supertest(app).get(silentLogin).set(framed).expect(302);
      expect(silent.headers.location).toBe('/me');
    },
  );
});

describe('a silent sign-in', () => {
  test('that cannot be started, or that onSignIn denies, redirects to returnTo', async () => {
    const unreachable = siteFor(provider, {
      onEvent: () => undefined,
      fetch: () => Promise.reject(new Error('unreachable')),
    });
    const started = await supertest(unreachable.app)
      .get('/auth/login?prompt=none&returnTo=/x')
      .set(navigation)
      .expect(302);
    expect(started.headers.location).toBe('/x');

    const browser = {};
    await run(supertest.agent(siteFor(provider).app), '/auth/login', 'verified', browser);
    let calls = 0;
    const onSignIn = () => {
      calls += 1;
      return false as const;
    };
    const denying = supertest.agent(siteFor(provider, { onSignIn }).app);
    const denied = await run(denying, '/auth/login?prompt=none&returnTo=/x', 'verified', browser);
    expect([denied.status, denied.headers.location, calls]).toEqual([302, '/x', 1]);
    await denying.get('/me').expect(401);
  });
});
