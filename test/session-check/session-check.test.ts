import { beforeEach, describe, expect, test } from '@jest/globals';
import { ENGLISH } from '../../lib/html/texts.js';
import type { SessionLogin } from '../../lib/session/logins.js';
import type { SiteSession } from '../../lib/session/site-session.js';
import { SessionCheck } from '../../lib/session-check/session-check.js';
import { SilentCheck } from '../../lib/session-check/silent-check.js';
import { createExchange, PAGE_VIEW } from '../helpers/exchange.js';
import { movableClock } from '../token-vault/movable-clock.js';

const SERVICE = 'https://auth.example';
const MINUTES = 60_000;
const clock = movableClock();
const signedIn = { grantID: 'g', id: '1', since: 0, scope: [], sessionState: 'state.salt' } as SessionLogin;

let login: SessionLogin | undefined;
let calls: string[];
let started: unknown[];
let fails: boolean;
let sessionCheck: SessionCheck;

beforeEach(() => {
  login = signedIn;
  calls = [];
  started = [];
  fails = false;
  sessionCheck = createCheck();
});

function createCheck(path: string | false = '/auth/session-check'): SessionCheck {
  const write = (_req: unknown, changed: SessionLogin) => {
    calls.push('write');
    login = changed;
  };
  const loginSession = {
    find: () => login,
    write,
    save: async (...args: [unknown, SessionLogin]) => write(...args),
  } as unknown as SiteSession;
  const silentCheck = new SilentCheck({
    ...({ loginSession, server: {}, tokens: {}, signOut: {} } as never as ConstructorParameters<typeof SilentCheck>[0]),
    attempts: {
      async start(_req, _res, options, state) {
        calls.push('start');
        if (fails) throw new Error('the service is unavailable');
        started.push({ ...options, ...state });
        return `${SERVICE}/oauth/authorize`;
      },
    },
  });
  return new SessionCheck({
    ...{ clock, origin: 'https://app.example', clientID: 'client', texts: ENGLISH, path },
    ...{ loginSession, silentCheck },
    server: { checkSessionIframe: async () => `${SERVICE}/check_session` },
    silentSignIn: { pause: () => void calls.push('pause') },
  });
}

/** Reports a change, as the client script does. @returns the JSON of the response */
function report(query = ''): object {
  const { req, res, body } = createExchange({
    method: 'POST',
    url: `/auth/session-check${query}`,
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  sessionCheck.report(req, res);
  return JSON.parse(body() as string);
}

/** Opens a page. @returns where it was redirected to; undefined where it was passed on */
async function view(headers: object = PAGE_VIEW): Promise<string | undefined> {
  const { req, res, location } = createExchange({ url: '/notes', headers });
  let passedOn = false;
  void sessionCheck.middleware()(req, res, () => {
    passedOn = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(passedOn).toBe(location() === undefined);
  return location();
}

describe('a change of the session at the service', () => {
  test('is checked at the next page view, without a prompt and back to the page', async () => {
    expect(report()).toEqual({ event: 'session-changed' });
    expect(await view()).toBe(`${SERVICE}/oauth/authorize`);
    expect(started).toEqual([{ prompt: 'none', scope: ['openid'], returnTo: '/notes', mode: 'check', siteState: 'g' }]);
  });

  test('is checked once, by a session that is saved before the redirect, and signs no other user in', async () => {
    report();
    await view();
    expect(calls).toEqual(['write', 'write', 'pause', 'start']);
    expect(login).toEqual({ ...signedIn, checkStartedAt: clock.now() });
    expect(await view()).toBeUndefined();
  });

  test('is checked at most every ten minutes', async () => {
    report();
    await view();
    expect(report()).toEqual({});
    clock.advance(10 * MINUTES - 1);
    expect(report()).toEqual({});
    clock.advance(1);
    expect(report()).toEqual({ event: 'session-changed' });
  });

  test('shows the page while the service is unavailable', async () => {
    fails = true;
    report();
    expect(await view()).toBeUndefined();
  });

  test.each([
    ['a script', { ...PAGE_VIEW, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a frame', { ...PAGE_VIEW, 'sec-fetch-dest': 'iframe' }],
  ])('waits for a page view, and is not checked by %s', async (_title, headers) => {
    report();
    expect(await view(headers)).toBeUndefined();
    expect(await view()).toBeDefined();
  });

  test('is not checked for a login without a session_state', () => {
    const { sessionState: _, ...without } = signedIn;
    login = without;
    expect([report(), calls]).toEqual([{}, []]);
  });

  test('is a sign-out on the open pages of a user who is signed out', async () => {
    login = undefined;
    expect([report(), await view(), calls]).toEqual([{ event: 'signed-out' }, undefined, []]);
  });
});

describe('a session_state that the browser has never found unchanged', () => {
  test('is checked once in a login', () => {
    expect(report('?first=state.salt')).toEqual({ event: 'session-changed' });
    login = { ...signedIn, checkStartedAt: 0 };
    expect(report('?first=state.salt')).toEqual({});
  });

  test('is ignored if it is that of another login', () => {
    expect([report('?first=other.salt'), calls]).toEqual([{}, []]);
  });
});

describe('the page of the frame', () => {
  const page = async () => {
    const { req, res, body } = createExchange({ url: '/auth/session-check' });
    await sessionCheck.page(req, res);
    return { body: body(), policy: String(res.getHeader('Content-Security-Policy')) };
  };

  test('loads the frame of the service, and no other', async () => {
    const { body, policy } = await page();
    expect(body).toContain(`${SERVICE}/check_session`);
    expect(policy).toContain(`frame-src ${SERVICE}`);
  });

  test('loads nothing for a signed-out user', async () => {
    login = undefined;
    expect((await page()).body).not.toContain(SERVICE);
  });
});

test('a frame whose route is left out is an error that says so', () => {
  expect(sessionCheck.members().sessionCheckFrame()).toContain('/auth/session-check');
  const error = expect.objectContaining({
    code: 'option_invalid',
    message: expect.stringContaining('routes.sessionCheck'),
  });
  expect(() => createCheck(false).members().sessionCheckFrame()).toThrow(error);
});
