import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, type SiteOptions, siteFor } from '../integration/site.js';

/** Signs in. @returns where the callback redirects to. */
async function redirectAfter(loginPath: string, options: SiteOptions = {}): Promise<string> {
  // In development, a parameter with a bracket is refused: it is near to a known one.
  const { app } = await withNodeEnv('production', () => siteFor(provider, { onEvent: () => undefined, ...options }));
  const agent = supertest.agent(app);
  const authorizeURL = (await agent.get(loginPath).expect(302)).headers.location as string;
  const callback = new URL(await provider.signIn(authorizeURL, { as: 'verified' }));
  return (await agent.get(callback.pathname + callback.search).expect(302)).headers.location as string;
}

describe('a returnTo that is not a path of this site is replaced by /', () => {
  test.each([
    'https://evil.example/',
    'http:/evil.example',
    'https:evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/a\\b',
    '\\\\evil.example',
    '/%5cevil.example',
    '/%09/evil.example',
    '/\t/evil.example',
    '/%2f/evil.example',
    '/%2F%2Fevil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/a/../%2f/evil.example',
    '/\u2215evil.example',
    '/\uFF0Fevil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '/x\r\nSet-Cookie: a=b',
    '/x\u0000',
    '/%00',
    '/%zz',
    `/${'x'.repeat(8192)}`,
    '',
    '/auth/login',
    '/auth/login?returnTo=/x',
    '/auth/callback?code=1',
    '/auth/logout',
    '/auth/forget',
    '/auth/logged-out',
  ])('%p', async (requested) => {
    expect(await redirectAfter(`/auth/login?returnTo=${encodeURIComponent(requested)}`)).toBe('/');
  });

  test.each([
    '/auth/login?returnTo=/a&returnTo=/b',
    '/auth/login?returnTo[]=/a',
    '/auth/login?returnTo[x]=/a',
    '/auth/login',
  ])('%p', async (path) => {
    expect(await redirectAfter(path)).toBe('/');
  });
});

describe('a returnTo that is a route of this instance is replaced by /', () => {
  const redirectTo = (requested: string, options: SiteOptions = {}) => {
    const login = options.routes?.login ?? `${options.basePath ?? ''}/auth/login`;
    return redirectAfter(`${login}?returnTo=${encodeURIComponent(requested)}`, options);
  };

  test.each([
    '/auth/login/',
    '/AUTH/Login',
    '/auth//login?returnTo=/change',
    '/auth/%6Cogin',
    '/auth%2Flogin#x',
    '/x/../auth/login',
    '/auth/logout/',
  ])('%p', async (requested) => {
    expect(await redirectTo(requested)).toBe('/');
  });

  test.each(['/caf%C3%A9/Sign-In', '/Caf%c3%a9/sign-in/?returnTo=/change'])(
    'of option routes: %p',
    async (requested) => {
      expect(await redirectTo(requested, { routes: { login: '/caf%C3%A9/Sign-In' } })).toBe('/');
    },
  );

  test.each(['/app/auth/login', '/auth/login'])('below a path, also as a proxy strips it: %p', async (requested) => {
    const callbackURL = 'http://127.0.0.1:3000/app/auth/callback';
    expect(await redirectTo(requested, { callbackURL, basePath: '/app' })).toBe('/app/');
  });

  test.each(['/second/login', '/auth/login-help', '/auth'])('others are retained: %p', async (requested) => {
    expect(await redirectTo(requested)).toBe(requested);
  });

  test('also in a login of a strategy without routes', async () => {
    const passport = new Passport();
    const options = loginOptions(provider, { flow: 'profile', callbackURL: 'http://127.0.0.1:3000/alone' });
    passport.use(new ClinicianStrategy(options, () => ({ id: 1 })));
    const app = express();
    app.get('/alone', passport.authenticate('clinician', { session: false, returnTo: '/alone?x' }), (req, res) => {
      res.json(req.authInfo);
    });
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/alone').expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    expect((await agent.get(back.pathname + back.search).expect(200)).body).toMatchObject({ returnTo: '/' });
  });
});

test.each(['/', '/notes', '/a/b?c=d&e=f%20g#h', '/caf%C3%A9', '/?q=https%3A%2F%2Fother.example%2F', '/a:b@c'])(
  'the path %p is retained',
  async (requested) => {
    expect(await redirectAfter(`/auth/login?returnTo=${encodeURIComponent(requested)}`)).toBe(requested);
  },
);

test('Host and forwarding headers do not change the redirect URI', async () => {
  const { app } = siteFor(provider);
  const headers = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    Forwarded: 'host=evil.example',
  };
  const response = await supertest(app).get('/auth/login').set(headers).expect(302);
  const redirectURI = new URL(response.headers.location as string).searchParams.get('redirect_uri');
  expect(redirectURI).toBe('http://127.0.0.1:3000/auth/callback');
  expect(response.headers['set-cookie']?.[0]).not.toContain('Secure');
});

test('signIn() of the testing entry ends on the replaced path', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=//evil.example' });
  expect(page.text).toBe('in');
});
