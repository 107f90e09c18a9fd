import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { CallbackRoute } from '../../lib/express/callback-route.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { pageLinks, resolveRoutes } from '../../lib/express/paths.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import type { Attempt } from '../../lib/sign-in/attempts.js';
import { UserChangeError } from '../../lib/sign-in/user-change.js';

const RESPONSE = '?code=c&state=s';
const browser = { accept: 'text/html' };
const change = new UserChangeError({ attempt: { mode: 'page', owner: 'drop-in' }, options: {} });
const failure = new Error('failed');

interface Situation {
  query?: string;
  headers?: object;
  owner?: 'drop-in' | 'strategy';
  fromOtherSite?: boolean;
  sameSite?: string;
  result?: object;
  /** What waits at the callback. */
  saved?: 'failure' | 'change';
  /** False where a change of user cannot be saved. */
  canSave?: boolean;
  signedIn?: boolean;
}

/** Sends a request to the callback. @returns the calls that it makes, in order, and what is sent */
async function callback(situation: Situation, passport = false) {
  const { query = '', headers = browser, owner, fromOtherSite, sameSite, saved, canSave = true } = situation;
  const calls: unknown[][] = [];
  const record =
    (name: string, result?: unknown) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return result;
    };
  const attempt = owner && ({ appState: { owner, mode: 'page', fromOtherSite } } as Attempt);
  const route = new CallbackRoute({
    origin: 'https://app.example',
    callbackPath: '/auth/callback',
    links: pageLinks(resolveRoutes('/auth/callback'), resolveLook({}, 'app.example')),
    attempts: { find: () => record('find', attempt)() } as never,
    signIn: {
      finish: async (_req, _res, response, found) =>
        record('finish', situation.result ?? { mode: 'page', returnTo: '/notes' })(String(response), found) as never,
    },
    loginSession: { find: () => (situation.signedIn ? {} : undefined) } as never,
    userChanges: {
      show: () => saved === 'change' && record('showChange', true)(),
      save: () => canSave,
      clear: () => undefined,
    } as never,
    errorResponses: {
      failSignIn: async (error) => void record('fail')(error),
      showSaved: () => saved === 'failure' && (record('showFailure', true)() as boolean),
    },
    savedFailure: { clear: record('clear') },
    events: { emit: record('emit') } as never,
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
    const { calls, names, attempt, location } = await callback({ query: RESPONSE, owner: 'drop-in' });
    expect(names).toEqual(['find', 'finish']);
    expect(calls.at(-1)).toEqual(['finish', 'code=c&state=s', attempt]);
    expect(location).toBe('/notes');
  });

  test.each<[string, Situation, string]>([
    ['the failed sign-in', { saved: 'failure' }, 'showFailure'],
    ['the question before a change of user', { saved: 'change' }, 'showChange'],
  ])('without a response shows %s that waits', async (_title, situation, shown) => {
    expect((await callback(situation)).names).toEqual([shown]);
  });

  test('of a script without a response shows no page', async () => {
    const { names, body } = await callback({ headers: {}, saved: 'failure' });
    expect([names, body]).toEqual([['find', 'finish'], '']);
  });

  test('is repeated by a page of this site, once, where the session cookie is SameSite=Strict', async () => {
    const headers = { ...browser, 'sec-fetch-site': 'cross-site' };
    const first = await callback({ query: RESPONSE, owner: 'drop-in', sameSite: 'strict', headers });
    expect(first.names).not.toContain('finish');
    expect(first.body).toContain('/auth/callback?code=c&amp;state=s&amp;reloaded=1');
    const again = await callback({ query: `${RESPONSE}&reloaded=1`, owner: 'drop-in', sameSite: 'strict', headers });
    expect(again.names).toContain('finish');
  });

  test('waits for a click where another site has started the attempt', async () => {
    const headers = { ...browser, 'sec-fetch-site': 'same-origin' };
    const { names } = await callback({ query: RESPONSE, owner: 'drop-in', fromOtherSite: true, headers });
    expect(names).not.toContain('finish');
  });
});

describe('an attempt', () => {
  test.each<[string, Situation, boolean, string]>([
    ['of the strategy is finished by Passport', { owner: 'strategy' }, true, 'passport'],
    ['of the strategy is left to its own route', { owner: 'strategy' }, false, 'next'],
    ['that is unknown is reported by Passport', {}, true, 'passport'],
    ['that is unknown is finished here for a signed-in user', { signedIn: true }, true, 'finish'],
    ['that is unknown is finished here without Passport', {}, false, 'finish'],
    ['of the drop-in is finished here', { owner: 'drop-in' }, true, 'finish'],
  ])('%s', async (_title, situation, passport, expected) => {
    const { names } = await callback({ query: RESPONSE, ...situation }, passport);
    expect(names.filter((name) => ['passport', 'next', 'finish'].includes(name as string))).toEqual([expected]);
  });
});

describe('a sign-in that fails', () => {
  const failed = (error: unknown) => ({ mode: 'page', returnTo: '/', error });

  test('is reported', async () => {
    const { calls } = await callback({ query: RESPONSE, owner: 'drop-in', result: failed(failure) });
    expect(calls.at(-1)).toEqual(['fail', failure]);
  });

  test('because another user is signed in asks first, at a URL without the response', async () => {
    const { location, names } = await callback({ query: RESPONSE, owner: 'drop-in', result: failed(change) });
    expect([location, names.slice(-2)]).toEqual(['/auth/callback', ['clear', 'emit']]);
  });

  test('is reported where the question cannot be saved', async () => {
    const { calls } = await callback({ query: RESPONSE, owner: 'drop-in', result: failed(change), canSave: false });
    expect(calls.at(-1)).toEqual(['fail', change]);
  });
});
