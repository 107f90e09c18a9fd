import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type Routes, resolveRoutes } from '../../lib/options/routes.js';
import { returnToPathsOf } from '../../lib/sign-in/return-to.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { withNodeEnv } from '../helpers.js';
import { siteFor } from '../integration/site.js';

const origin = 'http://127.0.0.1:3000';

/** @returns where a login ends that was started with this `returnTo` */
function redirectTo(requested: unknown, callbackPath = '/auth/callback', routes?: Routes): string {
  const site = { origin, callbackPath, routes: resolveRoutes(callbackPath, routes) };
  return returnToPathsOf(site)(requested);
}

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
  `/${'x'.repeat(250)}`,
  `/${'x'.repeat(8192)}`,
  '',
  undefined,
  ['/a'],
  { x: '/a' },
])('a returnTo that is not a path of this site is replaced by /: %p', (requested) => {
  expect(redirectTo(requested)).toBe('/');
});

describe('a returnTo that is a route of this instance is replaced by /', () => {
  test.each([
    '/auth/login?returnTo=/x',
    '/auth/callback?code=1',
    '/auth/forget',
    '/auth/logged-out',
    '/auth/login/',
    '/AUTH/Login',
    '/auth//login?returnTo=/change',
    '/auth/%6Cogin',
    '/auth%2Flogin#x',
    '/x/../auth/login',
  ])('%p', (requested) => {
    expect(redirectTo(requested)).toBe('/');
  });

  test.each(['/caf%C3%A9/Sign-In', '/Caf%c3%a9/sign-in/?returnTo=/change'])('of option routes: %p', (requested) => {
    expect(redirectTo(requested, '/auth/callback', { login: '/caf%C3%A9/Sign-In' })).toBe('/');
  });

  test.each(['/app/auth/login', '/auth/login'])('below a path, also as a proxy strips it: %p', (requested) => {
    expect(redirectTo(requested, '/app/auth/callback')).toBe('/');
  });
});

test.each([
  ...['/', '/notes', '/a/b?c=d&e=f%20g#h', '/caf%C3%A9', '/?q=https%3A%2F%2Fother.example%2F', '/a:b@c'],
  ...['/second/login', '/auth/login-help', '/auth', `/${'x'.repeat(249)}`],
])('the path %p is retained', (requested) => {
  expect(redirectTo(requested)).toBe(requested);
});

test.each([
  ['/auth/login?returnTo=/a&returnTo=/b', '/'],
  ['/auth/login?returnTo[]=/a', '/'],
  ['/auth/login?returnTo=//evil.example', '/'],
  ['/auth/login?returnTo=/notes', '/notes'],
])('a login by %s ends at %s', async (loginPath, expected) => {
  // In development, a parameter with a bracket is refused: it is near to a known one.
  const { app } = await withNodeEnv('production', () => siteFor(provider, { onEvent: () => undefined }));
  const agent = supertest.agent(app);
  const { headers } = await agent.get(loginPath).expect(302);
  const callback = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
  expect((await agent.get(callback.pathname + callback.search).expect(302)).headers.location).toBe(expected);
});

test('Host and forwarding headers do not change the redirect URI', async () => {
  const headers = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    Forwarded: 'host=evil.example',
  };
  const response = await supertest(siteFor(provider).app).get('/auth/login').set(headers).expect(302);
  const redirectURI = new URL(response.headers.location as string).searchParams.get('redirect_uri');
  expect(redirectURI).toBe('http://127.0.0.1:3000/auth/callback');
  expect(response.headers['set-cookie']?.[0]).not.toContain('Secure');
});

test('signIn() of the testing entry ends on the replaced path', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=//evil.example' });
  expect(page.text).toBe('in');
});
