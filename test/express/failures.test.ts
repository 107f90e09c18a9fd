import { EventEmitter } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import { Cookies } from '../../lib/cookies.js';
import { DeniedError, ServiceUnavailableError } from '../../lib/errors.js';
import { Events } from '../../lib/events.js';
import { createFailures, type ErrorHandler, type Exchange } from '../../lib/express/failures.js';
import { pageLinks, resolveRoutes } from '../../lib/express/routes.js';
import { createSitePaths } from '../../lib/express/site-paths.js';
import { Secret } from '../../lib/secret.js';
import { createLoginSession } from '../../lib/session/login-session.js';

const clock = { now: () => 0 };
const down = new ServiceUnavailableError('service_timeout', 'The service did not respond.');
const denied = new DeniedError('access_denied', 'The user denied the request.');

/** @returns the failures of a site, and a request whose response is only recorded. */
function failuresOf(options: { onError?: ErrorHandler; onEvent?: () => void; headersSent?: boolean } = {}) {
  const { onError, onEvent, headersSent = false } = options;
  const failures = createFailures({
    callbackPath: '/auth/callback',
    links: pageLinks(resolveRoutes('/auth/callback'), 'app.example', createSitePaths('', ['/auth/callback'])),
    events: new Events({ clock, flow: 'openid', onEvent }),
    cookies: new Cookies({
      secure: false,
      instance: 'one-id',
      secrets: [new Secret('0123456789-0123456789-0123456789')],
    }),
    clock,
    loginSession: createLoginSession('one-id'),
    onError,
  });
  const next = jest.fn();
  const res = Object.assign(new EventEmitter(), { headersSent, statusCode: 200, setHeader: jest.fn(), end: jest.fn() });
  const req = { method: 'GET', headers: {}, baseUrl: '', path: '/auth/callback', url: '/auth/callback' };
  return { failures, exchange: { req, res, next } as unknown as Exchange, res, next };
}

/** @returns the codes of the process warnings of `run`. */
async function warningsOf(run: () => Promise<void>): Promise<unknown[]> {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    await run();
    return emitWarning.mock.calls.map(([, options]) => (options as unknown as { code: string }).code);
  } finally {
    emitWarning.mockRestore();
  }
}

describe('an error that the operator must know', () => {
  const failWith = (error: unknown, options: Parameters<typeof failuresOf>[0]) => {
    const { failures, exchange } = failuresOf(options);
    return warningsOf(() => failures.fail(error, exchange));
  };

  test('is a process warning', async () => {
    expect(await failWith(down, {})).toEqual(['service_timeout']);
  });

  test.each([
    ['the site has onError', down, { onError: () => undefined }],
    ['the site has onEvent', down, { onEvent: () => undefined }],
    ['the user denied the request', denied, {}],
  ])('is no process warning where %s', async (_title, error, options) => {
    expect(await failWith(error, options)).toEqual([]);
  });
});

describe('an error after the response was sent', () => {
  test.each<[string, ErrorHandler | undefined]>([
    ['goes to next()', undefined],
    ['goes to next() and not to onError', () => Promise.reject(new Error('called'))],
  ])('%s, and nothing is sent', async (_title, onError) => {
    const { failures, exchange, res, next } = failuresOf({ onError: onError as ErrorHandler, headersSent: true });
    await warningsOf(() => failures.fail(down, exchange));
    await warningsOf(() => failures.failSignIn(down, { mode: 'page', returnTo: '/' }, exchange));
    expect(next.mock.calls).toEqual([[down], [down]]);
    expect([res.setHeader, res.end].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});
