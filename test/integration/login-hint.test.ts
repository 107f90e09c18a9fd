import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { provider } from '../helpers/provider.js';
import { siteOf } from './login-paths.js';
import { navigation, type SiteOptions, signedInAt, siteFor } from './site.js';

type Agent = ReturnType<typeof supertest.agent>;

async function signedIn(options: SiteOptions = {}) {
  const site = siteFor(provider, options);
  const { app, clinician } = site;
  if (options.flow !== 'profile')
    app.get('/recent', clinician.requireRecentLogin({ maxAge: 0 }), (_req, res) => void res.send('recent'));
  const agent = await signedInAt(app, provider);
  return { ...site, agent };
}

/** Follows the redirects of the site. @returns the authorization request */
async function requestOf(agent: Agent, path: string): Promise<URL> {
  const { headers } = await agent
    .get(path)
    .set({ ...navigation, 'Sec-Fetch-Site': 'same-origin' })
    .expect(302);
  const location = headers.location as string;
  return location.startsWith('/') ? requestOf(agent, location) : new URL(location);
}

/** @returns the sign-in name that the service fills in, in another browser */
async function filledInName(request: URL): Promise<string | undefined> {
  const login = await fetch(request, { redirect: 'manual' });
  const cookie = login.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const location = login.headers.get('location');
  const page = location ? await fetch(new URL(location, request), { headers: { cookie: cookie.join('; ') } }) : login;
  return /id="username"[^>]*value="([^"]*)"/.exec(await page.text())?.[1];
}

describe('the service fills in the sign-in name of the signed-in user', () => {
  test.each(['/auth/login?prompt=login', '/auth/login?maxAge=60000', '/recent'])('after %s', async (path) => {
    let now = provider.clock.now();
    const { agent } = await signedIn({ clock: { now: () => now } });
    now += 10 * 60 * 1000;
    expect(await filledInName(await requestOf(agent, path))).toBe('verified');
  });
});

test.each([
  ['of a signed-out user', '/auth/login?prompt=login', { signedOut: true }],
  ['that may be of any user', '/auth/login', {}],
  ['that creates an account', '/auth/login?prompt=create%20login', {}],
  ['in the profile flow', '/auth/login?prompt=login', { flow: 'profile' as const }],
])(
  'a login %s names no user',
  async (_, path, { signedOut = false, ...options }: SiteOptions & { signedOut?: boolean }) => {
    const { agent, app } = await signedIn(options);
    const request = await requestOf(signedOut ? supertest.agent(app) : agent, path);
    expect(request.searchParams.has('id_token_hint')).toBe(false);
  },
);

test('a local user that Passport has signed in since gets no hint of the clinician', async () => {
  const { app, clinician } = siteOf(provider, 'Passport last');
  app.get('/again', (req, res) => clinician.login(req, res, { prompt: 'login' }));
  const agent = await signedInAt(app, provider);
  app.get('/local', (req, res, next) => {
    const user = { id: 'local' } as Express.User;
    req.logIn(user, { keepSessionInfo: true, session: true }, (error) => {
      if (error) return next(error);
      clinician.login(req, res, { prompt: 'login' }).catch(next);
    });
  });
  const request = await requestOf(agent, '/local');
  expect(request.searchParams.has('id_token_hint')).toBe(false);
});

test('a page of another site does not learn the user: it gets no request with the ID Token', async () => {
  const { agent } = await signedIn();
  const crossSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site' };
  const { headers } = await agent.get('/auth/login?prompt=login').set(crossSite).expect(302);
  expect(new URL(headers.location as string).searchParams.has('id_token_hint')).toBe(false);
});
