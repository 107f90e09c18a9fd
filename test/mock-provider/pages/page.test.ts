import { beforeAll, describe, expect, test } from '@jest/globals';
import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import {
  authorizePath,
  callback,
  heading,
  type PageResponse,
  profileFlowPath,
  unescapeHTML,
  Visitor,
} from '../visitor.js';
import { REDIRECT_URI } from '../wire.js';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

let hostileClient: { clientID: string };
beforeAll(() => {
  hostileClient = provider.registerClient({
    clientID: 'strange',
    name: HOSTILE,
    flow: 'openid',
    scope: 'openid basic email',
    redirectURIs: [REDIRECT_URI],
  } as Parameters<MockProvider['registerClient']>[0]);
});

/** @returns the elements that the provider's pages do not have. */
function unexpectedElements({ text }: PageResponse): string[] {
  return text.match(/<(script|img|iframe|object|embed|base|marquee)\b[^>]*>|<[^<>]*\son[a-z]+=|javascript:/gi) ?? [];
}

/** @returns tags with a stray quote or bracket after their last attribute: a value ended its attribute. */
function brokenTags({ text }: PageResponse): string[] {
  const tags = text.match(/<[a-z][^>]*>/gi) ?? [];
  return tags.filter(
    (tag) => !/^<[a-z][a-z0-9]*(\s+[a-z-]+(="[^"<>]*")?)*\s*>$/i.test(tag) && !/^<(path|rect|svg)/.test(tag),
  );
}

function expectInert(page: PageResponse): void {
  const strangers = unexpectedElements(page).filter((found) => !unescapeHTML(found).includes('&'));
  expect({ strangers, broken: brokenTags(page) }).toEqual({ strangers: [], broken: [] });
}

describe('values on a page are text', () => {
  test('for a hostile client name, login_hint, state and clinician, from login to consent', async () => {
    const visitor = new Visitor(provider);
    const request = { client_id: hostileClient.clientID, scope: 'openid email' };
    const sent = { login_hint: HOSTILE, state: HOSTILE, nonce: HOSTILE };
    const login = await visitor.get(authorizePath(provider, { ...request, ...sent }));
    expect(heading(login)).toBe('Sign in');
    expect(login.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const consent = await visitor.signIn(login, 'hostile');
    expect(consent.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    for (const page of [login, consent]) expect(page.text.match(/<script|<img|<svg onload/g)).toBeNull();
    for (const page of [login, consent]) expect(brokenTags(page)).toEqual([]);
    const back = await visitor.submit(consent, { decision: 'approve' });
    expect(callback(back).get('state')).toBe(HOSTILE);
  });

  test('for a hostile username and registration, which are shown as entered', async () => {
    const visitor = new Visitor(provider);
    const credentials = { username: HOSTILE, password: 'x' };
    const wrong = await visitor.submit(await visitor.get(authorizePath(provider)), credentials);
    expect(brokenTags(wrong)).toEqual([]);
    expect(wrong.text).not.toContain('<script');
    const create = await visitor.get(authorizePath(provider, { prompt: 'create' }));
    const names = ['firstName', 'lastName', 'npi', 'credentials', 'specialty', 'email', 'password'];
    const again = await visitor.submit(create, Object.fromEntries(names.map((name) => [name, HOSTILE])));
    expect(again.status).toBe(400);
    expect(brokenTags(again)).toEqual([]);
    expect(again.text).not.toContain('<script');
    expect(unescapeHTML(/id="firstName"[^>]*value="([^"]*)"/.exec(again.text)?.[1] ?? '')).toBe(HOSTILE);
  });
});

describe('every page', () => {
  const pages: [string, (visitor: Visitor) => Promise<PageResponse>][] = [
    ['login', (visitor) => visitor.get(authorizePath(provider))],
    [
      'wrong password',
      async (visitor) => visitor.submit(await visitor.get(authorizePath(provider)), { username: 'x' }),
    ],
    ['consent', async (visitor) => visitor.signIn(await visitor.get(authorizePath(provider)), 'verified')],
    [
      'verification',
      async (visitor) => visitor.signIn(await visitor.get(profileFlowPath(provider, { type: 'verify' })), 'pending'),
    ],
    ['error', (visitor) => visitor.get('/oauth/authorize')],
    ['sign out', (visitor) => visitor.get('/oauth/sign-out')],
    [
      'signed out',
      async (visitor) => {
        await visitor.signIn(await visitor.get('/oauth/sign-in'), 'verified');
        return visitor.submit(await visitor.get('/oauth/sign-out'), {});
      },
    ],
    ['sign in to the inbox', (visitor) => visitor.get('/oauth/sign-in')],
    ['inbox', async (visitor) => visitor.signIn(await visitor.get('/oauth/sign-in'), 'verified')],
  ];

  test.each(pages)(
    '%s: is not stored, not framed, without scripts, and its policy allows the redirect to the client',
    async (_, show) => {
      const page = await show(new Visitor(provider));
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('access-control-allow-origin')).toBeNull();
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/form-action|unsafe-inline|script-src/);
      expectInert(page);
      expect(page.text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(page.text.match(/<h1[ >]/g)).toHaveLength(1);
      expect(page.text).toContain('<link rel="icon" href="/oauth/logo.svg"');
      expect(page.text).not.toMatch(/ style=|<style/);
    },
  );

  test('has HEAD, except where GET can issue a code', async () => {
    const head = (path: string) => fetch(provider.issuer + path, { method: 'HEAD' });
    const page = await head('/oauth/sign-out');
    expect([page.status, await page.text()]).toEqual([200, '']);
    const resumed = await head('/oauth/resume?interaction=x');
    expect([resumed.status, resumed.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
