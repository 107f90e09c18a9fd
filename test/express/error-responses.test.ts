import { EventEmitter } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import {
  type ClinicianError,
  ConfigurationError,
  DeniedError,
  ServiceUnavailableError,
  SignInRequiredError,
} from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import { ErrorResponses, signInRequired } from '../../lib/express/error-responses.js';
import type { ErrorHandler, Exchange } from '../../lib/express/http-types.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { SitePaths } from '../../lib/express/paths.js';
import { SavedFailure } from '../../lib/express/saved-failure.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/secret.js';
import type { SessionLogin } from '../../lib/session/logins.js';
import { codesPrintedBy } from '../helpers/warnings.js';

const now = 1_800_000_000_000;
const clock = { now: () => now };
const down = new ServiceUnavailableError('service_unreachable', 'The service did not respond.');
const denied = new DeniedError('access_denied', 'The user denied the request.');
const target = { mode: 'page', returnTo: '/notes' } as const;
const notSaved = new ConfigurationError('session_not_saved', 'The session was not saved.');
const site = { origin: 'https://app.example', callbackPath: '/auth/callback', routes: resolveRoutes('/auth/callback') };
const browser = { accept: 'text/html', cookie: 'a=b' };

/** What a request sends, and what the site does. */
interface Situation {
  onError?: ErrorHandler;
  onEvent?: () => void;
  headersSent?: boolean;
  headers?: object;
  method?: string;
  path?: string;
  query?: string;
  login?: Partial<SessionLogin>;
  hasEnded?: boolean;
  lost?: boolean;
}

/** @returns the error responses of a site, and a request whose response is only recorded. */
function situation(options: Situation = {}) {
  const { onError, onEvent, headersSent = false, headers = browser, method = 'GET', query = '', lost } = options;
  const { path = '/notes', login, hasEnded = false } = options;
  const secrets = [new Secret('0123456789-0123456789-0123456789')];
  const cookies = new Cookies({ secure: false, instance: 'one-id', secrets });
  const responses = new ErrorResponses({
    ...{ flow: 'openid' as const, scope: ['openid', 'basic'], optionalScope: [] },
    apiURL: 'https://api.example',
    origin: 'https://app.example',
    loginPath: '/auth/login',
    callbackPath: '/auth/callback',
    look: resolveLook({}, site),
    paths: new SitePaths(site),
    savedFailure: new SavedFailure(cookies, clock, false),
    loginSession: {
      find: () => login as SessionLogin | undefined,
      detectLoss: () => (lost ? notSaved : undefined),
    },
    logins: { hasEnded: () => hasEnded },
    mountCheck: { reportMissing: () => undefined },
    events: new Events({ clock, flow: 'openid', onEvent }),
    clock,
    displays: {},
    onError,
    isDevelopment: false,
  });
  const next = jest.fn();
  const sent: Record<string, string> = {};
  const res = Object.assign(new EventEmitter(), {
    ...{ headersSent, statusCode: 200, end: jest.fn(), removeHeader: (name: string) => delete sent[name] },
    setHeader: (name: string, value: string) => Object.assign(sent, { [name]: value }),
    getHeader: (name: string) => sent[name],
  });
  const url = path + query;
  const req = { method, headers, baseUrl: '', path, url, originalUrl: url };
  const exchange = { req, res, next } as unknown as Exchange;
  const handle = async (error: unknown) => {
    responses.handle(error, exchange.req, exchange.res, next);
    await new Promise(setImmediate);
  };
  const body = () => String(res.end.mock.calls[0]?.[0]);
  return { responses, exchange, res, sent, next, handle, body };
}

describe('an error that the operator must know', () => {
  const failWith = (error: unknown, options: Situation) => {
    const { responses, exchange } = situation({ headers: {}, path: '/auth/callback', ...options });
    return codesPrintedBy(() => responses.fail(error, exchange));
  };

  test('is printed', async () => {
    expect(await failWith(down, {})).toEqual(['service_unreachable']);
  });

  test.each<[string, unknown, Situation]>([
    ['the site has onError', down, { onError: (_error, _req, _res, next) => next() }],
    ['the site has onEvent', down, { onEvent: () => undefined }],
    ['the user denied the request', denied, {}],
  ])('is not printed where %s', async (_title, error, options) => {
    expect(await failWith(error, options)).toEqual([]);
  });
});

describe('an error after the response was sent', () => {
  test.each<[string, ErrorHandler | undefined]>([
    ['goes to next()', undefined],
    ['goes to next() and not to onError', () => Promise.reject(new Error('called'))],
  ])('%s, and nothing is sent', async (_title, onError) => {
    const { responses, exchange, res, sent, next } = situation({ ...(onError && { onError }), headersSent: true });
    await codesPrintedBy(() => responses.fail(down, exchange));
    await codesPrintedBy(() => responses.failSignIn(down, target, exchange));
    responses.refuse(exchange, down);
    responses.handle(down, exchange.req, exchange.res, exchange.next);
    expect(next.mock.calls).toEqual([[down], [down], [down], [down]]);
    expect([sent, res.end.mock.calls]).toEqual([{}, []]);
  });
});

describe('a failed sign-in', () => {
  test('at the callback redirects to a page without the response, and is shown there', async () => {
    const failed = situation({ path: '/auth/callback', query: '?code=c&state=s' });
    await failed.responses.failSignIn(denied, target, failed.exchange);
    expect(failed.sent).toMatchObject({ Location: '/auth/callback' });
    const [cookie] = String(failed.sent['Set-Cookie']).split(';');
    const shown = situation({ path: '/auth/callback', headers: { ...browser, cookie } });
    expect(shown.responses.showSaved(shown.exchange.req, shown.exchange.res)).toBe(true);
    expect([shown.res.statusCode, shown.body()]).toEqual([403, expect.stringContaining('returnTo=%2Fnotes')]);
  });

  test('in a browser that sends no cookie shows its page at once', async () => {
    const { responses, exchange, res } = situation({
      ...{ path: '/auth/callback', query: '?code=c&state=s', headers: { accept: 'text/html' } },
    });
    await responses.failSignIn(denied, target, exchange);
    expect(res.statusCode).toBe(403);
  });

  test('of a script is a problem document, with the time of a retry', async () => {
    const { responses, exchange, sent, body } = situation({ headers: { accept: 'application/json' } });
    const limited = new ServiceUnavailableError('rate_limited', 'Too many requests.', { retryAt: now + 1500 });
    await codesPrintedBy(() => responses.failSignIn(limited, target, exchange));
    expect(sent).toMatchObject({ 'Content-Type': 'application/problem+json', 'Retry-After': '2' });
    expect(JSON.parse(body())).toMatchObject({ code: 'rate_limited', retryable: true });
  });
});

describe('a refused request', () => {
  const login = (age: number): Partial<SessionLogin> => ({ since: now - age });
  const expired = new SignInRequiredError('sign_in_required', 'Sign in.');
  const refuse = (error: ClinicianError, options: Situation, query?: string) => {
    const { responses, exchange, res, sent } = situation(options);
    responses.refuse(exchange, error, options.login as SessionLogin | undefined, query);
    return sent.Location ?? res.statusCode;
  };

  test.each<[string, Situation, string | number]>([
    ['of a signed-out user leads to the sign-in', {}, '/auth/login?returnTo=%2Fnotes'],
    ['of a script gets a problem document', { headers: {} }, 401],
    [
      'with a login of an hour leads to the sign-in',
      { login: login(3_600_000), headers: { ...browser, 'sec-fetch-site': 'same-origin' } },
      '/auth/login?returnTo=%2Fnotes',
    ],
    ['right after a sign-in gets a page', { login: login(9_999) }, 401],
    [
      'from another site with a login gets a page, because the login route keeps the user',
      { login: login(3_600_000), headers: { ...browser, 'sec-fetch-site': 'cross-site' } },
      401,
    ],
    [
      'from another site with a login that has ended leads to the sign-in',
      { login: login(3_600_000), hasEnded: true, headers: { ...browser, 'sec-fetch-site': 'cross-site' } },
      '/auth/login?returnTo=%2Fnotes',
    ],
  ])('%s', (_title, options, expected) => {
    expect(refuse(expired, options)).toBe(expected);
  });

  test('that needs more than a login requests that', () => {
    expect(refuse(expired, {}, '&prompt=login')).toBe('/auth/login?returnTo=%2Fnotes&prompt=login');
  });

  test('that no login can change gets a page', () => {
    expect(refuse(new DeniedError('verification_pending', 'Pending.'), { login: login(3_600_000) })).toBe(403);
  });

  test('right after a sign-in whose session was lost gets the error of that, except for a script', async () => {
    for (const [headers, code] of [[browser, 'session_not_saved'] as const, [{}, 'sign_in_required'] as const]) {
      const { responses, exchange } = situation({ lost: true, headers, onEvent: () => undefined });
      expect((await responses.signedOutError(exchange.req, exchange.res)).code).toBe(code);
    }
  });
});

describe('the error handler', () => {
  test('passes on the errors of other packages', async () => {
    const { handle, next, res } = situation();
    const other = new Error('of the site');
    await handle(other);
    expect([next.mock.calls, res.end.mock.calls]).toEqual([[[other]], []]);
  });

  test('leads a signed-out user to the sign-in, and one who has posted a form to a page', async () => {
    const [get, post] = [situation(), situation({ method: 'POST' })];
    await get.handle(signInRequired());
    await post.handle(signInRequired());
    expect([get.sent.Location, post.res.statusCode]).toEqual(['/auth/login?returnTo=%2Fnotes', 401]);
  });

  test('shows an error of the callback as a failed sign-in, and removes the headers of the route', async () => {
    const { handle, sent, res } = situation({ path: '/auth/callback', onEvent: () => undefined });
    Object.assign(sent, { ETag: '"1"', 'Content-Length': '5' });
    await handle(signInRequired());
    expect([res.statusCode, sent.Location, sent.ETag, sent['Content-Length']]).toEqual([
      401,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
