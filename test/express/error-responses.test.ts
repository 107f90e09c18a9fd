import { describe, expect, test } from '@jest/globals';
import {
  type ClinicianError,
  ConfigurationError,
  DeniedError,
  ServiceUnavailableError,
  SignInRequiredError,
} from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import { ErrorResponses, signInRequired } from '../../lib/express/error-responses.js';
import type { ErrorHandler } from '../../lib/express/http-types.js';
import { LoginModes } from '../../lib/express/login-modes.js';
import { resolveLook } from '../../lib/express/page-options.js';
import { SitePaths } from '../../lib/express/paths.js';
import { SavedFailure } from '../../lib/express/saved-failure.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import type { Site } from '../../lib/options/site.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/sealer.js';
import type { SessionLogin } from '../../lib/session/logins.js';
import type { SignInEnd } from '../../lib/session/visit.js';
import { printedBy } from '../helpers.js';
import { createVisit } from './test-visit.js';

/** @returns the codes of what is printed while a function runs. */
async function codesPrintedBy(run: () => unknown): Promise<unknown[]> {
  return (await printedBy(run)).map((line) => /^passport-clinician \[(\w+)\]: /.exec(line)?.[1]);
}

const now = 1_800_000_000_000;
const clock = { now: () => now };
const down = new ServiceUnavailableError('service_unreachable', 'The service did not respond.');
const denied = new DeniedError('access_denied', 'The user denied the request.');
const target = { mode: 'page', returnTo: '/notes' } as const;
const notSaved = new ConfigurationError('session_not_saved', 'The session was not saved.');
const site: Site = {
  ...{
    origin: 'https://app.example',
    callbackURL: 'https://app.example/auth/callback',
    callbackPath: '/auth/callback',
  },
  ...{ issuer: 'https://auth.example', clientID: 'client', apiURL: 'https://api.example', flow: 'openid', clock },
  ...{ scope: ['openid', 'basic'], optionalScope: [], isDevelopment: false, routes: resolveRoutes('/auth/callback') },
};
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
  signIn?: SignInEnd;
  hasEnded?: boolean;
  lost?: boolean;
}

/** @returns the error responses of a site, and a request whose response is only recorded. */
function situation(options: Situation = {}) {
  const { onError, onEvent, headersSent, headers = browser, method = 'GET', query = '', lost } = options;
  const { path = '/notes', login, hasEnded = false, signIn } = options;
  const secrets = [new Secret('0123456789-0123456789-0123456789')];
  const cookies = new Cookies({ site: { ...site, origin: 'http://app.example' }, instance: 'one-id', secrets });
  const events = new Events({ clock, flow: 'openid', onEvent });
  const paths = new SitePaths(site);
  const responses = new ErrorResponses({
    ...{ site, look: resolveLook({}, site), onError, paths, events, savedFailure: new SavedFailure(site, cookies) },
    modes: new LoginModes(paths, { finish: async () => undefined }, { popup: { show: () => undefined } }),
    session: { detectLoss: () => (lost ? notSaved : undefined) },
  });
  const exchange = createVisit({ method, headers, url: path + query, login, hasEnded });
  const { visit, res, passedOn, body, location } = exchange;
  visit.signIn = signIn;
  if (headersSent) Object.defineProperty(res, 'headersSent', { value: true });
  const handle = async (error: unknown) => {
    responses.handle(error, visit);
    await new Promise(setImmediate);
  };
  return { responses, visit, res, passedOn, handle, body, location };
}

describe('an error that the operator must know', () => {
  const failWith = (error: unknown, options: Situation) => {
    const { responses, visit } = situation({ headers: {}, path: '/auth/callback', ...options });
    return codesPrintedBy(() => responses.fail(error, visit));
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
    const { responses, visit, body, passedOn } = situation({ ...(onError && { onError }), headersSent: true });
    await codesPrintedBy(() => responses.fail(down, visit));
    responses.refuse(visit, down);
    responses.handle(down, visit);
    expect(passedOn).toEqual([down, down, down]);
    expect(body()).toBeUndefined();
  });
});

describe('a failed sign-in', () => {
  test('at the callback redirects to a page without the response, and is shown there', async () => {
    const failed = situation({ path: '/auth/callback', query: '?code=c&state=s', signIn: target });
    await failed.responses.fail(denied, failed.visit);
    expect(failed.location()).toBe('/auth/callback');
    const [cookie] = String(failed.res.getHeader('Set-Cookie')).split(';');
    const shown = situation({ path: '/auth/callback', headers: { ...browser, cookie } });
    expect(shown.responses.showSaved(shown.visit)).toBe(true);
    expect([shown.res.statusCode, shown.body()]).toEqual([403, expect.stringContaining('returnTo=%2Fnotes')]);
  });

  test('in a browser that sends no cookie shows its page at once', async () => {
    const request = { path: '/auth/callback', query: '?code=c&state=s', headers: { accept: 'text/html' } };
    const { responses, visit, res } = situation({ ...request, signIn: target });
    await responses.fail(denied, visit);
    expect(res.statusCode).toBe(403);
  });

  test('in a popup is retried in the popup', async () => {
    const { responses, visit, body } = situation({ signIn: { ...target, mode: 'popup' } });
    await responses.fail(denied, visit);
    expect(body()).toContain('returnTo=%2Fnotes&amp;display=popup');
  });

  test('of a script is a problem document, with the time of a retry', async () => {
    const { responses, visit, res, body } = situation({ headers: { accept: 'application/json' }, signIn: target });
    const limited = new ServiceUnavailableError('rate_limited', 'Too many requests.', { retryAt: now + 1500 });
    await codesPrintedBy(() => responses.fail(limited, visit));
    expect(res.getHeaders()).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '2' });
    expect(JSON.parse(body() ?? '')).toMatchObject({ code: 'rate_limited', retryable: true });
  });
});

describe('a refused request', () => {
  const login = (age: number): Partial<SessionLogin> => ({ since: now - age });
  const expired = new SignInRequiredError('sign_in_required', 'Sign in.');
  const refuse = (error: ClinicianError, options: Situation, query?: string) => {
    const { responses, visit, res, location } = situation(options);
    responses.refuse(visit, error, visit.login, query);
    return location() ?? res.statusCode;
  };

  test.each<[string, Situation, string | number]>([
    ['of a signed-out user leads to the sign-in', {}, '/auth/login?returnTo=%2Fnotes'],
    ['of a script gets a problem document', { headers: {} }, 401],
    [
      'with a login of an hour leads to the sign-in',
      { login: login(3_600_000), headers: { ...browser, 'sec-fetch-site': 'same-origin' } },
      '/auth/login?returnTo=%2Fnotes',
    ],
    [
      'right after a sign-in gets a page',
      { login: login(9_999), headers: { ...browser, 'sec-fetch-site': 'same-origin' } },
      401,
    ],
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
      const { responses, visit } = situation({ lost: true, headers, onEvent: () => undefined });
      expect(responses.signedOutError(visit).code).toBe(code);
    }
  });
});

describe('the error handler', () => {
  test('passes on the errors of other packages', async () => {
    const { handle, passedOn, body } = situation();
    const other = new Error('of the site');
    await handle(other);
    expect([passedOn, body()]).toEqual([[other], undefined]);
  });

  test('leads a signed-out user to the sign-in, and one who has posted a form to a page', async () => {
    const [get, post] = [situation(), situation({ method: 'POST' })];
    await get.handle(signInRequired());
    await post.handle(signInRequired());
    expect([get.location(), post.res.statusCode]).toEqual(['/auth/login?returnTo=%2Fnotes', 401]);
  });

  test('shows an error of the callback as a failed sign-in, and removes the headers of the route', async () => {
    const { handle, location, res } = situation({ path: '/auth/callback', onEvent: () => undefined });
    res.setHeader('ETag', '"1"').setHeader('Content-Length', '5');
    await handle(signInRequired());
    expect([res.statusCode, location()]).toEqual([401, undefined]);
    expect([res.getHeader('ETag'), res.getHeader('Content-Length')]).toEqual([undefined, undefined]);
  });
});
