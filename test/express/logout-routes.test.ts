import { beforeEach, describe, expect, test } from '@jest/globals';
import { LogoutRoutes } from '../../lib/express/logout-routes.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { SitePaths } from '../../lib/express/paths.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import type { LogoutRequest, ServiceLogout } from '../../lib/session/service-logout.js';
import type { SignOut } from '../../lib/session/sign-out.js';
import { createExchange, PAGE_VIEW, type TestExchange } from '../helpers/exchange.js';

const URL_AT_SERVICE = 'https://auth.example/oauth/end_session?id_token_hint=x';
const FORM: LogoutRequest = { url: 'https://auth.example/oauth/end_session', fields: { id_token_hint: 'x' } };
const script = { ...PAGE_VIEW, 'sec-fetch-mode': 'cors' };

interface Situation {
  signedIn?: boolean;
  /** What the logout at the service returns: at its start, and when the browser continues. */
  logout?: 'saved' | LogoutRequest;
  /** True where the browser returns from the logout of the service. */
  hasEnded?: boolean;
  hasServiceLogout?: boolean;
  /** The session store fails. */
  fails?: boolean;
  routes?: object;
}

let calls: string[];

beforeEach(() => {
  calls = [];
});

function routesOf({
  signedIn,
  logout,
  hasEnded,
  hasServiceLogout = true,
  fails,
  routes = {},
}: Situation): LogoutRoutes {
  const callbackPath = '/auth/callback';
  const site = { origin: 'https://app.example', callbackPath, routes: resolveRoutes(callbackPath, routes) };
  const end = (name: string) => async () => {
    if (fails) throw new Error('the session store is unavailable');
    calls.push(name);
  };
  return new LogoutRoutes({
    ...{
      issuer: 'https://auth.example',
      hasServiceLogout,
      logoutOrigins: ['https://auth.example'],
      routes: site.routes,
    },
    look: resolveLook({}, site),
    paths: new SitePaths(site),
    loginSession: { find: () => (signedIn ? ({ grantID: 'g' } as never) : undefined) },
    signOut: { eraseSession: end('erase'), forgetUser: end('forget') } as unknown as SignOut,
    serviceLogout: {
      start: async () => logout,
      continue: async () => logout as LogoutRequest,
      finish: async () => hasEnded === true,
    } as unknown as ServiceLogout,
    silentSignIn: { pause: () => void calls.push('pause') },
    savedFailure: { clear: () => undefined },
  });
}

const exchange = (method: 'GET' | 'POST', headers: object = PAGE_VIEW, session = {}): TestExchange =>
  createExchange({ method, headers, session });

/** Calls a route. @returns the exchange */
async function call(
  route: 'confirmLogout' | 'logout' | 'endSession' | 'forget' | 'loggedOut',
  situation: Situation = {},
  { req, res, ...result } = exchange(route === 'logout' || route === 'forget' ? 'POST' : 'GET'),
): Promise<TestExchange> {
  await routesOf(situation)[route](req, res);
  return { req, res, ...result };
}

describe('a GET of the sign-out', () => {
  test('signs no user out, and asks with a form', async () => {
    const { body } = await call('confirmLogout', { signedIn: true });
    expect(body()).toContain('<form method="post" action="/auth/logout">');
    expect(calls).toEqual([]);
  });

  test('asks a user of Passport, too', async () => {
    const { body } = await call('confirmLogout', {}, exchange('GET', PAGE_VIEW, { passport: { user: 1 } }));
    expect(body()).toContain('Sign out?');
  });

  test('shows a signed-out user that they are signed out', async () => {
    expect((await call('confirmLogout')).location()).toBe('/auth/logged-out');
  });

  test('is refused to a script, which would take the page for a success', async () => {
    const { res } = await call('confirmLogout', { signedIn: true }, exchange('GET', script));
    expect([res.statusCode, res.getHeader('Allow')]).toEqual([405, 'POST']);
  });
});

describe('a sign-out', () => {
  test('ends the session, stops silent sign-ins, and shows the end', async () => {
    const { res, location } = await call('logout', { signedIn: true });
    expect([calls, res.statusCode, location()]).toEqual([['erase', 'pause'], 303, '/auth/logged-out']);
  });

  test('continues at the service from a page, so that form-action of the site does not stop it', async () => {
    const { body, location } = await call('logout', { logout: 'saved' });
    expect([location(), body()]).toEqual([undefined, expect.stringContaining('href="/auth/end-session"')]);
  });

  test('sends a long ID Token in a form of a page without an origin', async () => {
    const submitted = exchange('POST');
    submitted.res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    const { res, body } = await call('logout', { logout: FORM }, submitted);
    expect(body()).toContain('<input type="hidden" name="id_token_hint" value="x">');
    const policy = String(res.getHeader('Content-Security-Policy'));
    expect([policy.includes('sandbox'), res.getHeader('Cross-Origin-Opener-Policy')]).toEqual([true, undefined]);
  });

  test.each([
    ['that leads to the service', 'saved', '/auth/end-session'],
    ['that shows the end', undefined, '/auth/logged-out'],
    ['without the ID Token, which only a page may have', FORM, '/auth/logged-out'],
  ] as const)('returns a path to a script: one %s', async (_title, logout, url) => {
    const { body } = await call('logout', { ...(logout && { logout }) }, exchange('POST', script));
    expect(body()).toBe(JSON.stringify({ url }));
  });

  test('fails while the session store does, and responds nothing', async () => {
    const { req, res, body } = exchange('POST');
    await expect(routesOf({ fails: true }).logout(req, res)).rejects.toThrow('unavailable');
    expect([body(), calls]).toEqual([undefined, []]);
  });

  test('ends at the front page where the site has no page for it', async () => {
    expect((await call('logout', { routes: { loggedOut: false } })).location()).toBe('/');
  });
});

describe('the continuation at the service', () => {
  test('redirects a browser that has just signed out', async () => {
    expect((await call('endSession', { logout: { url: URL_AT_SERVICE } })).location()).toBe(URL_AT_SERVICE);
  });

  test('shows the URL, which contains the ID Token, to no script, and signs out no user who has signed in since', async () => {
    const logout = { url: URL_AT_SERVICE };
    const toScript = await call('endSession', { logout }, exchange('GET', script));
    const toUser = await call('endSession', { logout, signedIn: true });
    expect([toScript.location(), toUser.location()]).toEqual(['/auth/logged-out', '/auth/logged-out']);
  });
});

test('everything of a user is erased with the session', async () => {
  const { location } = await call('forget', { signedIn: true });
  expect([calls, location()]).toEqual([['forget', 'pause'], '/auth/logged-out']);
});

describe('the page after a sign-out', () => {
  test.each<[string, Situation]>([
    ['of this site and of the sign-in service', { hasEnded: true }],
    ['You may still be signed in', {}],
    ['You are still signed in at the sign-in service', { hasServiceLogout: false }],
  ])('says "%s"', async (text, situation) => {
    expect((await call('loggedOut', situation)).body()).toContain(text);
  });

  test('is not shown to a user who is signed in', async () => {
    expect((await call('loggedOut', { signedIn: true })).location()).toBe('/');
  });
});
