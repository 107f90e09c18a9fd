import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/secret.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { SilentSignIn } from '../../lib/silent-sign-in/silent-sign-in.js';
import { createExchange, PAGE_VIEW } from '../helpers/exchange.js';

const SERVICE = 'https://auth.example/oauth/authorize';
const browser = { ...PAGE_VIEW, cookie: 'a=b' };

interface Situation {
  url?: string;
  method?: string;
  headers?: object;
  signedIn?: boolean;
  sameSite?: string;
  fails?: boolean;
}

let started: unknown[];
let emitted: string[];

beforeEach(() => {
  started = [];
  emitted = [];
});

/** Handles one request. @returns whether it was passed on, where it was redirected to, and the cookies */
async function handle({ headers = browser, signedIn, sameSite, fails, ...request }: Situation = {}) {
  const cookies = new Cookies({ secure: true, secrets: [new Secret('x'.repeat(32))], instance: 'instance' });
  const silentSignIn = new SilentSignIn({
    ...{ origin: 'https://app.example', callbackURL: 'http://127.0.0.1:3000/auth/callback', cookies },
    mountCheck: { reportMissing: () => undefined },
    attempts: {
      async start(_req: SessionRequest, _res: ServerResponse, options: object, state: object) {
        if (fails) throw new Error('the service is unavailable');
        started.push({ ...options, ...state });
        return SERVICE;
      },
    },
    loginSession: { hasAny: () => signedIn === true },
    events: { emit: (code: string) => void emitted.push(code) } as never,
  });
  const session = sameSite && { cookie: { sameSite } };
  const { req, res, location, cookie } = createExchange({ headers, ...request, ...(session && { session }) });
  let passedOn = false;
  silentSignIn.handle(req, res, () => {
    passedOn = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { passedOn, location: location(), cookie: cookie() };
}

describe('a page view of a signed-out user', () => {
  test('is redirected to the service, without a prompt and back to its page', async () => {
    expect(await handle({ url: '/notes?a=1' })).toMatchObject({ passedOn: false, location: SERVICE });
    expect(started).toEqual([{ prompt: 'none', returnTo: '/notes?a=1', mode: 'silent' }]);
    expect(emitted).toEqual(['sign_in_started']);
  });

  test('is redirected once: the cookie is set before the redirect', async () => {
    const { cookie } = await handle();
    expect(cookie).toMatch(/-silent=paused$/);
    expect(await handle({ headers: { ...browser, cookie } })).toEqual({
      passedOn: true,
      location: undefined,
      cookie: '',
    });
  });

  test('of a client without cookies is redirected only if the next request has the cookie of a test', async () => {
    const first = await handle({ headers: PAGE_VIEW });
    expect([first.passedOn, first.cookie]).toEqual([true, expect.stringMatching(/-silent=probe$/)]);
    expect(await handle({ headers: { ...browser, cookie: first.cookie } })).toMatchObject({ location: SERVICE });
  });

  test('shows the page, and no error, while the service is unavailable', async () => {
    expect(await handle({ fails: true })).toMatchObject({ passedOn: true, location: undefined });
    expect(emitted).toEqual([]);
  });
});

test.each<[string, Situation]>([
  ['a signed-in user', { signedIn: true }],
  ['a form', { method: 'POST' }],
  ['a script', { headers: { ...browser, 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' } }],
  ['a frame', { headers: { ...browser, 'sec-fetch-dest': 'iframe' } }],
  ['a prefetched page without cookies', { headers: { ...PAGE_VIEW, 'sec-purpose': 'prefetch' } }],
  ['a browser that does not name the destination', { headers: { accept: 'text/html', cookie: 'a=b' } }],
  ['an address that is too long to return to', { url: `/${'a'.repeat(1000)}` }],
  ['another host than that of the callback', { headers: { ...browser, host: 'localhost:3000' } }],
  [
    'a request from another site without the SameSite=Strict session',
    { sameSite: 'strict', headers: { ...browser, 'sec-fetch-site': 'cross-site' } },
  ],
])('%s is passed on, and no cookie is set', async (_title, situation) => {
  expect(await handle(situation)).toEqual({ passedOn: true, location: undefined, cookie: '' });
  expect(started).toEqual([]);
});
