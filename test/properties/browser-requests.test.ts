import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import supertest, { type Response } from 'supertest';
import { ERROR_SECTIONS } from '../../lib/errors/error-codes.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import { returnToPathsOf } from '../../lib/sign-in/return-to.js';
import { navigation, type Site } from '../integration/site.js';
import { hostileTest } from '../security/hostile-service.js';
import { anyJSON, anyText, headerText } from './inputs.js';
import { testProperty } from './property.js';

const hostile = hostileTest();
const CODES = new Set(ERROR_SECTIONS.flatMap(([, codes]) => Object.keys(codes)));
let shared: Promise<Site> | undefined;
/** @returns the site of all properties. A user has signed in, so that the secrets are known which no response may contain. */
function openSite(): Promise<Site> {
  shared ??= (async () => {
    const site = hostile.site();
    await hostile.signIn(site);
    return site;
  })();
  return shared;
}

/** A request of a browser may fail, but not by an exception that this package did not expect. */
function expectTyped({ status, body, text }: Response): void {
  if (status < 500) return;
  const { code } = body as { code?: string };
  if (code === undefined || code === 'site_error') throw new Error(`status ${status}: ${text.slice(0, 500)}`);
  expect(CODES.has(code) || /^[a-z][a-z0-9_]{0,63}$/.test(code)).toBe(true);
}

const expectSignedOut = async (agent: ReturnType<typeof supertest.agent>) =>
  expect((await agent.get('/')).text).toBe('out');

const parameter = fc.tuple(
  fc.oneof(
    fc.constantFrom('code', 'state', 'error', 'error_description', 'iss', 'session_state', 'id_token', 'response'),
    anyText,
  ),
  fc.oneof(fc.constantFrom('x', '', 'access_denied', 'login_required', 'https://evil.example'), anyText),
);
const query = fc.oneof(
  fc.array(parameter, { maxLength: 6 }).map((all) => new URLSearchParams(all).toString()),
  fc.string({ unit: fc.constantFrom(...'aces=&%+;[]0{}|^#?/~!*'), maxLength: 200 }).map((text) => encodeURI(text)),
);

describe('an authorization response', () => {
  testProperty(
    'without a code of the service signs no user in',
    fc.tuple(query, fc.boolean(), fc.boolean()),
    async ([text, hasState, isPage]) => {
      const agent = supertest.agent((await openSite()).app);
      const { headers } = await agent.get('/auth/login');
      const state = new URL(headers.location as string).searchParams.get('state') as string;
      const target = `/auth/callback?${text}${hasState ? `&state=${state}` : ''}`;
      expectTyped(await agent.get(target).set(isPage ? navigation : {}));
      await expectSignedOut(agent);
    },
    { runs: 30 },
  );
});

describe('cookies', () => {
  const name = fc.oneof(
    fc.constantFrom('clinician-failed', 'clinician-silent', 'connect.sid', '__proto__', '__Host-clinician-failed'),
    fc
      .string({ unit: fc.constantFrom(...'abcABC012-_.~!"(),/:<>@[]{}'), maxLength: 30 })
      .map((text) => `clinician-tx-${text}`),
    headerText,
  );
  const cookies = fc.oneof(
    fc.array(fc.tuple(name, headerText)).map((all) => all.map((pair) => pair.join('=')).join('; ')),
    headerText,
    fc.tuple(name, fc.integer({ min: 1, max: 400 })).map(([one, count]) => `${one}=x; `.repeat(count).slice(0, 12_000)),
  );

  testProperty(
    'that are not of this package sign no user in and cause no error of the site',
    fc.tuple(
      cookies,
      fc.constantFrom('/', '/auth/login?returnTo=%5C', '/auth/callback?state=x&code=y', '/me', '/auth/session-check'),
    ),
    async ([cookie, path]) => {
      const response = await supertest((await openSite()).app)
        .get(path)
        .set('Cookie', cookie);
      expect(response.status).toBeLessThan(500);
      if (path === '/') expect(response.text).toBe('out');
    },
    { runs: 60 },
  );
});

describe('returnTo', () => {
  const origin = 'https://app.example';
  const returnToPath = returnToPathsOf({ origin, callbackPath: '/a', routes: resolveRoutes('/a') });
  const piece = fc.constantFrom(
    ...['/', '//', '\\', '%2f', '%5c', '..', '.', '@', ':', '#', '?', '\t', '\n', '\u2044', '%00', 'a'],
    ...['evil.example', 'http:'],
  );
  const path = fc.oneof(
    anyText,
    fc.array(piece).map((all) => all.join('')),
    fc.array(piece).map((all) => `/${all.join('')}`),
    fc.webUrl(),
  );

  testProperty(
    'is a path that a browser resolves to the origin of the site',
    fc.oneof(path, anyJSON),
    (requested) => {
      const result = returnToPath(requested);
      expect(new URL(result, origin).origin).toBe(origin);
      expect(new URL(result, 'https://app.example/auth/callback?x').origin).toBe(origin);
      // As a browser with a legacy parser would resolve it, and after one more decoding.
      expect(result).toMatch(/^\/(?![/\\])/);
      expect(decodeURIComponent(new URL(result, origin).pathname)).toMatch(/^\/(?![/\\])/);
      expect(returnToPath(result)).toBe(result);
    },
    { runs: 300 },
  );
});
