import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { CallbackRoute } from '../../lib/express/callback-route.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { SitePaths } from '../../lib/express/paths.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import type { Attempt } from '../../lib/sign-in/attempts.js';
import type { AttemptState } from '../../lib/sign-in/login-request.js';

const RESPONSE = '?code=c&state=s';
const site = { origin: 'https://app.example', callbackPath: '/auth/callback', routes: resolveRoutes('/auth/callback') };
const browser = { accept: 'text/html' };
const failure = new Error('failed');

interface Situation {
  query?: string;
  headers?: object;
  mode?: AttemptState['mode'];
  fromOtherSite?: boolean;
  sameSite?: string;
  result?: object;
  /** True if a failed sign-in is saved. */
  saved?: boolean;
  signedIn?: boolean;
}

/** Sends a request to the callback. @returns the calls that it makes, in order, and what is sent */
async function callback(situation: Situation, passport = false) {
  const { query = '', headers = browser, mode, fromOtherSite, sameSite, saved = false } = situation;
  const calls: unknown[][] = [];
  const record =
    (name: string, result?: unknown) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return result;
    };
  const attempt = mode && ({ appState: { mode, fromOtherSite } } as Attempt);
  const route = new CallbackRoute({
    ...{ origin: 'https://app.example', ownRoutes: new Set<string>() },
    callbackPath: '/auth/callback',
    look: resolveLook({}, site),
    paths: new SitePaths(site),
    attempts: { find: () => record('find', attempt)() } as never,
    signIn: {
      finish: async (_req, _res, response, found) =>
        record('finish', situation.result ?? { mode: 'page', returnTo: '/notes' })(String(response), found) as never,
    },
    loginSession: { find: () => (situation.signedIn ? {} : undefined) } as never,
    errorResponses: {
      failSignIn: async (error) => void record('fail')(error),
      showSaved: () => saved && (record('showFailure', true)() as boolean),
    },
    savedFailure: { clear: record('clear') },
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
  const session = sameSite && { cookie: { sameSite } };
  const req = { method: 'GET', url: `/auth/callback${query}`, headers, session } as unknown as SessionRequest;
  const finish = (response: URLSearchParams, found: Attempt | undefined) => record('passport')(String(response), found);
  await route.handle(req, res, record('next'), passport ? finish : undefined);
  return { calls, names: calls.map(([name]) => name), location: sent.Location, body, attempt };
}

describe('a request of the callback', () => {
  test('reads the response and its attempt once, and passes both on', async () => {
    const { calls, names, attempt, location } = await callback({ query: RESPONSE, mode: 'page' });
    expect(names).toEqual(['find', 'finish']);
    expect(calls.at(-1)).toEqual(['finish', 'code=c&state=s', attempt]);
    expect(location).toBe('/notes');
  });

  test('without a response shows the failed sign-in that is saved', async () => {
    expect((await callback({ saved: true })).names).toEqual(['showFailure']);
  });

  test('of a script without a response shows no page', async () => {
    const { names, body } = await callback({ headers: {}, saved: true });
    expect([names, body]).toEqual([['find', 'finish'], '']);
  });

  test('is repeated by a page of this site, once, where the session cookie is SameSite=Strict', async () => {
    for (const fromOtherSite of [false, true]) {
      const situation: Situation = { query: RESPONSE, mode: 'page', sameSite: 'strict', fromOtherSite };
      const first = await callback(situation);
      expect(first.names).not.toContain('finish');
      expect(first.body).toContain('/auth/callback?code=c&amp;state=s&amp;reloaded=1');
      expect(first.body.includes('http-equiv="refresh"')).toBe(!fromOtherSite);
      expect((await callback({ ...situation, query: `${RESPONSE}&reloaded=1` })).names).toContain('finish');
    }
    // Another site can link to the callback, too: a site may start a login after a response to no attempt.
    expect((await callback({ query: RESPONSE, sameSite: 'strict' })).body).not.toContain('http-equiv="refresh"');
  });
});

describe('an attempt', () => {
  test.each<[string, Situation, boolean, string]>([
    ['of the strategy is finished by Passport', { mode: 'passport' }, true, 'passport'],
    ['of the strategy is left to its own route', { mode: 'passport' }, false, 'next'],
    ['that is unknown is reported by Passport', {}, true, 'passport'],
    ['that is unknown is finished here for a signed-in user', { signedIn: true }, true, 'finish'],
    ['that is unknown is finished here without Passport', {}, false, 'finish'],
    ['of the drop-in is finished here', { mode: 'page' }, true, 'finish'],
  ])('%s', async (_title, situation, passport, expected) => {
    const { names } = await callback({ query: RESPONSE, ...situation }, passport);
    expect(names.filter((name) => ['passport', 'next', 'finish'].includes(name as string))).toEqual([expected]);
  });
});

describe('a sign-in that fails', () => {
  test('is reported', async () => {
    const { calls } = await callback({
      query: RESPONSE,
      mode: 'page',
      result: { mode: 'page', returnTo: '/', error: failure },
    });
    expect(calls.at(-1)).toEqual(['fail', failure]);
  });
});
