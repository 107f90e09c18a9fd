import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { LoginRoute } from '../../lib/express/login-route.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { SitePaths } from '../../lib/express/paths.js';
import { type Routes, resolveRoutes } from '../../lib/options/routes.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import type { AttemptState, LoginOptions } from '../../lib/sign-in/login-request.js';

const crossSite = { 'sec-fetch-site': 'cross-site' };
const sessionMissing = new Error('session missing');

interface Situation {
  /** The query of the link. */
  query?: string;
  path?: string;
  headers?: object;
  overrides?: LoginOptions;
  login?: { scope: readonly string[] };
  routes?: Routes;
  /** The start of the attempt fails. */
  error?: Error;
  /** The error for a session that was lost. */
  lost?: Error;
}

function loginRoute(situation: Situation) {
  const { query = '', path = '/auth/login', headers = {}, login, error } = situation;
  const started: { options: LoginOptions; state: AttemptState }[] = [];
  const failures: unknown[] = [];
  const routes = resolveRoutes('/auth/callback', situation.routes);
  const route = new LoginRoute({
    ...{ origin: 'https://app.example', flow: 'openid', scope: ['openid'], optionalScope: ['email'], routes },
    apiURL: 'https://api.example',
    ownRoutes: new Set(),
    look: resolveLook({}, { origin: 'https://app.example', routes }),
    paths: new SitePaths({ routes, callbackPath: '/auth/callback' }),
    attempts: {
      async start(_req, _res, options, state) {
        if (error) throw error;
        started.push({ options, state });
        return 'https://auth.example/';
      },
    },
    callbackURL: 'http://127.0.0.1:3000/auth/callback',
    loginSession: {
      ...{ find: () => login, read: () => login, belongsToOtherUser: () => false },
      detectLoss: () => situation.lost,
    } as never,
    logins: { hasEnded: () => false },
    cookies: { plain: () => ({ read: () => undefined, set: () => true }) as never },
    mountCheck: { reportMissing: () => undefined },
    errorResponses: { failSignIn: async (failure, target) => void failures.push([failure, target]) },
    events: { emit: () => undefined } as never,
    isDevelopment: false,
    displays: {},
  });
  const sent: Record<string, string> = {};
  let body = '';
  const res = {
    setHeader: (name: string, value: string) => Object.assign(sent, { [name]: value }),
    end: (text = '') => {
      body = text;
    },
  } as unknown as ServerResponse;
  const url = path + query;
  const req = { method: 'GET', baseUrl: '', path, url, originalUrl: url, headers } as unknown as SessionRequest;
  const result = () => ({ location: sent.Location, body, started, failures });
  return { route, req, res, result };
}

async function follow(situation: Situation) {
  const { route, req, res, result } = loginRoute(situation);
  await route.handle(req, res, () => undefined, situation.overrides);
  return result();
}

describe('a link to the login route', () => {
  test('starts the login that it requests', async () => {
    const { location, started } = await follow({ query: '?returnTo=/notes&prompt=login&scope=email' });
    expect(location).toBe('https://auth.example/');
    expect(started).toEqual([
      {
        options: { returnTo: '/notes', prompt: 'login', scope: ['openid', 'email'] },
        state: { mode: 'page' },
      },
    ]);
  });

  test('is overridden by the options of the site', async () => {
    const { started } = await follow({
      query: '?returnTo=/notes&prompt=login',
      overrides: { prompt: 'create', state: 7 },
    });
    expect(started[0]).toMatchObject({ options: { prompt: 'create' }, state: { siteState: 7 } });
  });

  test('that is invalid is reported, with the path to return to', async () => {
    const { failures } = await follow({ query: '?returnTo=/notes&prompt=x' });
    expect(failures).toEqual([
      [expect.objectContaining({ code: 'login_link_invalid' }), { mode: 'page', returnTo: '/notes' }],
    ]);
  });

  test('after a session was lost is reported, and does not redirect again', async () => {
    const { failures, location } = await follow({ lost: sessionMissing });
    expect([failures, location]).toEqual([[[sessionMissing, { mode: 'page', returnTo: '/' }]], undefined]);
  });

  test('that fails is reported, except for a silent sign-in, which returns', async () => {
    expect((await follow({ error: sessionMissing })).failures).toHaveLength(1);
    const silent = await follow({ error: sessionMissing, query: '?prompt=none&returnTo=/notes' });
    expect([silent.failures, silent.location]).toEqual([[], '/notes']);
  });

  test('of another site signs no user in silently', async () => {
    const silent = await follow({ query: '?prompt=none&returnTo=/notes', headers: crossSite });
    expect([silent.started, silent.location]).toEqual([[], '/notes']);
  });

  test.each<[string, Situation, string]>([
    ['returns, without a login', { query: '?returnTo=/notes' }, '/notes'],
    ['starts a login for more scope', { query: '?returnTo=/notes&scope=email' }, 'https://auth.example/'],
    ['starts a login for the password', { query: '?returnTo=/notes&prompt=login' }, 'https://auth.example/'],
    [
      'starts a login that would return to itself',
      { path: '/own', overrides: { returnTo: '/own?x' } },
      'https://auth.example/',
    ],
  ])('of another site, for a signed-in user, %s', async (_title, situation, expected) => {
    const { location } = await follow({ login: { scope: ['openid'] }, headers: crossSite, ...situation });
    expect(location).toBe(expected);
  });
});

describe('a login that the site starts', () => {
  test('returns to the front page by default', async () => {
    const { route, req, res, result } = loginRoute({ path: '/notes' });
    await route.start(req, res);
    expect(result().started[0]?.options).toEqual({ returnTo: '/' });
  });
});
