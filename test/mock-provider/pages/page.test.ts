import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, callback, heading, plain, REDIRECT_URI, type Shown, Visitor } from './visitor.js';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

let provider: MockProvider;
let strange: { clientID: string };
beforeAll(async () => {
  provider = await startMockProvider();
  strange = provider.registerClient({
    clientID: 'strange',
    name: HOSTILE,
    flow: 'openid',
    scope: 'openid basic email',
    redirectURIs: [REDIRECT_URI],
  } as Parameters<MockProvider['registerClient']>[0]);
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** The elements of a page that are not ours. */
function strangers({ text }: Shown): string[] {
  return text.match(/<(script|img|iframe|object|embed|base|marquee)\b[^>]*>|\son[a-z]+=|javascript:/gi) ?? [];
}

/** Tags whose quoting somebody broke out of have a stray quote or bracket after their last attribute. */
function brokenTags({ text }: Shown): string[] {
  const tags = text.match(/<[a-z][^>]*>/gi) ?? [];
  return tags.filter(
    (tag) => !/^<[a-z][a-z0-9]*(\s+[a-z-]+(="[^"<>]*")?)*\s*>$/i.test(tag) && !/^<(path|rect|svg)/.test(tag),
  );
}

function expectInert(page: Shown): void {
  expect({
    strangers: strangers(page).filter((found) => !plain(found).includes('&')),
    broken: brokenTags(page),
  }).toEqual({
    strangers: [],
    broken: [],
  });
}

describe('attack 159: whatever is written on a page is text', () => {
  test('a hostile client name, login_hint, state and clinician, from login to consent', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.get(
      authorizePath(provider, {
        client_id: strange.clientID,
        scope: 'openid email',
        login_hint: HOSTILE,
        state: HOSTILE,
        nonce: HOSTILE,
      }),
    );
    expect(heading(login)).toBe('Sign in');
    expect(login.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const consent = await visitor.signIn(login, 'hostile');
    expect(consent.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    for (const page of [login, consent]) expect(page.text.match(/<script|<img|<svg onload/g)).toBeNull();
    for (const page of [login, consent]) expect(brokenTags(page)).toEqual([]);
    const back = await visitor.submit(consent, { decision: 'approve' });
    expect(callback(back).get('state')).toBe(HOSTILE);
  });

  test('a hostile user name and registration come back as they were written', async () => {
    const visitor = new Visitor(provider);
    const wrong = await visitor.submit(await visitor.get(authorizePath(provider)), {
      username: HOSTILE,
      password: 'x',
    });
    expect(brokenTags(wrong)).toEqual([]);
    expect(wrong.text).not.toContain('<script');
    const create = await visitor.get(authorizePath(provider, { prompt: 'create' }));
    const fields = {
      firstName: HOSTILE,
      lastName: HOSTILE,
      npi: HOSTILE,
      credentials: HOSTILE,
      specialty: HOSTILE,
      email: HOSTILE,
    };
    const again = await visitor.submit(create, { ...fields, password: HOSTILE });
    expect(again.status).toBe(400);
    expect(brokenTags(again)).toEqual([]);
    expect(again.text).not.toContain('<script');
    expect(plain(/id="firstName"[^>]*value="([^"]*)"/.exec(again.text)?.[1] ?? '')).toBe(HOSTILE);
  });

  test('an error page shows nothing of the request', async () => {
    const page = await new Visitor(provider).get(
      authorizePath(provider, { redirect_uri: `https://evil.example/${HOSTILE}`, client_id: HOSTILE }),
    );
    expect(page.status).toBe(400);
    expect(page.location).toBe('');
    expect(page.text).not.toContain('evil.example');
    expectInert(page);
  });

  test('a name without end is cut', async () => {
    provider.clinicians.update('minimal', { fullName: 'x'.repeat(100_000) });
    const visitor = new Visitor(provider);
    const consent = await visitor.signIn(await visitor.get(authorizePath(provider)), 'minimal');
    expect(consent.text.length).toBeLessThan(10_000);
  });
});

describe('decision 8: every page', () => {
  const pages: [string, (visitor: Visitor) => Promise<Shown>][] = [
    ['login', (visitor) => visitor.get(authorizePath(provider))],
    [
      'wrong password',
      async (visitor) => visitor.submit(await visitor.get(authorizePath(provider)), { username: 'x' }),
    ],
    ['account creation', (visitor) => visitor.get(authorizePath(provider, { prompt: 'create' }))],
    ['consent', async (visitor) => visitor.signIn(await visitor.get(authorizePath(provider)), 'verified')],
    [
      'verification',
      async (visitor) => visitor.signIn(await visitor.get(authorizePath(provider, { type: 'verify' })), 'pending'),
    ],
    ['used up', (visitor) => visitor.get('/oauth/resume?interaction=x')],
    ['refused form', (visitor) => visitor.post('/oauth/consent', {})],
    ['error', (visitor) => visitor.get('/oauth/authorize')],
    ['sign out', (visitor) => visitor.get('/oauth/sign-out')],
    ['signed out', async (visitor) => visitor.submit(await visitor.get('/oauth/sign-out'), {})],
    ['sign in to the inbox', (visitor) => visitor.get('/oauth/sign-in')],
    ['inbox', async (visitor) => visitor.signIn(await visitor.get('/oauth/sign-in'), 'verified')],
  ];

  test.each(pages)(
    '%s: never stored, never framed, no script, and the redirect after it is let through',
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
      expect(page.text).not.toMatch(/ style=|<style/);
    },
  );

  test('the stylesheet and the mark are files of the provider, with an ETag', async () => {
    const visitor = new Visitor(provider);
    const page = await visitor.get(authorizePath(provider));
    for (const [, href] of page.text.matchAll(/<link rel="(?:stylesheet|icon)" href="([^"]*)"/g)) {
      const file = await visitor.get(href ?? '');
      expect(file.status).toBe(200);
      const known = { 'if-none-match': file.headers.get('etag') ?? '' };
      expect(await visitor.get(href ?? '', known)).toMatchObject({ status: 304, text: '' });
    }
  });

  test('decision 2: HEAD on a page gives its headers alone, and is refused where a code could come of it', async () => {
    const head = (path: string) => fetch(provider.issuer + path, { method: 'HEAD' });
    const page = await head('/oauth/sign-out');
    expect([page.status, await page.text()]).toEqual([200, '']);
    const resumed = await head('/oauth/resume?interaction=x');
    expect([resumed.status, resumed.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
