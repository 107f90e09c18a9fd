import { beforeEach, describe, expect, test } from '@jest/globals';
import { resolveLook } from '../../lib/express/page-options.js';
import { pageLinks, resolveRoutes } from '../../lib/express/paths.js';
import { UserChanges } from '../../lib/express/user-changes.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/secret.js';
import type { LoginSession } from '../../lib/session/login-session.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { type UserChange, UserChangeError } from '../../lib/sign-in/user-change.js';
import { createExchange, PAGE_VIEW } from '../helpers/exchange.js';

const SERVICE = 'https://auth.example/oauth/authorize';
const change: UserChange = {
  attempt: { mode: 'page', owner: 'drop-in', confirmed: { from: 'alice', to: '2' } },
  options: { returnTo: '/notes', scope: ['openid'] },
  from: 'Alice <b>',
  to: 'Bob',
};

let started: unknown[][];
let emitted: string[];
let userChanges: UserChanges;

beforeEach(() => {
  started = [];
  emitted = [];
  userChanges = new UserChanges({
    attempts: {
      async start(_req, _res, options, state) {
        started.push([options, state]);
        return SERVICE;
      },
    },
    loginSession: {
      find: () => undefined,
      read: ({ user }: SessionRequest) => user && { grantID: user },
      belongsToOtherUser: () => false,
    } as unknown as LoginSession,
    cookies: new Cookies({ secure: true, secrets: [new Secret('x'.repeat(32))], instance: 'instance' }),
    events: { emit: (code: string) => void emitted.push(code) } as never,
    links: pageLinks(resolveRoutes('/auth/callback'), resolveLook({}, 'app.example')),
    routes: { login: '/auth/login', logout: '/auth/logout' },
    serviceOrigins: ['https://auth.example'],
    origin: 'https://app.example',
  });
});

/** A request of a browser in which this user is signed in, with a saved change. */
function browserOf(user: string | undefined, saved = change, headers: object = PAGE_VIEW) {
  const callback = createExchange({ headers, session: {} });
  expect(userChanges.save(new UserChangeError(saved), callback.req, callback.res)).toBe(true);
  const cookie = callback.cookie();
  return createExchange({ headers: { ...headers, cookie }, session: {}, ...(user && { user: user as never }) });
}

describe('a login of another user', () => {
  test('is asked about on a page with both names, escaped, and a form', () => {
    const { req, res, body } = browserOf('alice');
    expect(userChanges.show(req, res)).toBe(true);
    expect(res.statusCode).toBe(200);
    for (const text of ['Alice &lt;b&gt;', 'Bob', 'action="/auth/login"', 'href="/notes"']) {
      expect(body()).toContain(text);
    }
    expect(res.getHeader('Content-Security-Policy')).toContain("form-action 'self' https://auth.example");
  });

  test('is an error for a script, without a redirect', () => {
    const { req, res, body } = browserOf('alice', change, { ...PAGE_VIEW, 'sec-fetch-mode': 'cors' });
    expect(userChanges.show(req, res)).toBe(true);
    expect([res.statusCode, JSON.parse(body() as string)]).toMatchObject([403, { code: 'user_change_unconfirmed' }]);
  });

  test('is started again after the confirmation, for these two users only, and once', async () => {
    const { req, res, location } = browserOf('alice');
    await userChanges.confirm(req, res);
    expect([location(), started]).toEqual([SERVICE, [[change.options, change.attempt]]]);
    expect(emitted).toEqual(['sign_in_started']);
    expect(res.getHeader('Set-Cookie')).toMatch(/-user-change=; Max-Age=0/);
  });

  test.each([
    ['another user has signed in', 'carol'],
    ['the user has signed out', undefined],
  ])('no longer waits when %s since', async (_title, user) => {
    const { req, res, location } = browserOf(user);
    expect(userChanges.show(req, res)).toBe(false);
    await userChanges.confirm(req, res);
    expect([location(), started]).toEqual(['/auth/login?returnTo=%2F', []]);
  });

  test('that was not asked about starts as a link does', async () => {
    const { req, res, location } = createExchange({ session: {}, user: 'alice' as never });
    expect(userChanges.show(req, res)).toBe(false);
    await userChanges.confirm(req, res);
    expect([location(), started]).toEqual(['/auth/login?returnTo=%2F', []]);
  });

  test('leads to no other site, whatever the cookie contains', () => {
    const { req, res, body } = browserOf('alice', { ...change, options: { returnTo: '//evil.example' } });
    userChanges.show(req, res);
    expect(body()).not.toContain('evil');
    expect(body()).toContain('href="/">');
  });

  test('cannot be planted: a cookie that this site has not sealed is ignored', () => {
    const { req } = browserOf('alice');
    const [name] = String(req.headers.cookie).split('=');
    for (const value of [JSON.stringify(change), Buffer.from(JSON.stringify(change)).toString('base64url')]) {
      const planted = createExchange({ headers: { cookie: `${name}=${value}` }, session: {}, user: 'alice' as never });
      expect(userChanges.show(planted.req, planted.res)).toBe(false);
    }
  });

  test('is removed after a sign-in or a sign-out', () => {
    const { req, res } = browserOf('alice');
    userChanges.clear(req, res);
    expect(res.getHeader('Set-Cookie')).toMatch(/-user-change=; Max-Age=0/);
  });
});
