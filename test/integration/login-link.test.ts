import { describe, expect, test } from '@jest/globals';
import { Passport } from 'passport';
import supertest from 'supertest';
import type { SignInButtonOptions } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { withNodeEnv } from '../helpers.js';
import { navigation, type SiteOptions, siteFor } from './site.js';

const byDefault: SiteOptions = { scope: 'openid basic', optionalScope: 'colleagues email' };

/** Requests a link to the login route. @returns the parameters of the authorization request */
async function parametersOf(link: string, options: SiteOptions = byDefault): Promise<Record<string, string>> {
  const { headers } = await supertest(siteFor(provider, options).app).get(link).expect(302);
  return Object.fromEntries(new URL(headers.location as string).searchParams);
}

/** The path of the link in a sign-in button. */
function linkOf(button: SignInButtonOptions, options: SiteOptions = byDefault): string {
  const [, href = ''] = /href="([^"]+)"/.exec(siteFor(provider, options).clinician.signInButton(button)) ?? [];
  return href.replaceAll('&amp;', '&');
}

describe('a link to the login route', () => {
  test('can have every option that is safe, in the names of clinician.login()', async () => {
    const link = '/auth/login?prompt=login%20consent&maxAge=90999&display=page&scope=email';
    expect(await parametersOf(link)).toMatchObject({
      prompt: 'login consent',
      max_age: '90',
      display: 'page',
      scope: 'openid basic email',
    });
  });

  test('of a sign-in button has the options of the button', async () => {
    const link = linkOf({ prompt: 'create consent', maxAge: 1000, scope: 'colleagues' });
    expect(await parametersOf(link)).toMatchObject({
      prompt: 'create consent',
      max_age: '1',
      scope: 'openid basic colleagues',
    });
    expect(await parametersOf(linkOf({ type: 'verify' }, { flow: 'profile' }), { flow: 'profile' })).toMatchObject({
      type: 'verify',
    });
  });

  test.each([
    '/auth/login?idTokenHint=a.b.c&id_token_hint=a.b.c&extra=x&state=planted&nonce=planted&redirect_uri=x&max_age=0',
    '/auth/login?iss=https://planted.example&target_link_uri=https://planted.example',
    '/auth/login?prompt=&maxAge=&display=&scope=',
    '/auth/login?promt=login',
  ])('ignores unknown and empty parameters in production: %s', async (link) => {
    const sent = await withNodeEnv('production', () => parametersOf(link, { ...byDefault, onEvent: () => undefined }));
    expect(Object.keys(sent).sort()).toEqual([
      ...['client_id', 'code_challenge', 'code_challenge_method', 'nonce', 'redirect_uri', 'response_type'],
      ...['scope', 'state'],
    ]);
    expect([sent.scope, JSON.stringify(sent)]).toEqual(['openid basic', expect.not.stringMatching(/planted|a\.b\.c/)]);
  });

  test.each([
    ['prompt=select_account', 'prompt'],
    ['prompt=none%20login', 'prompt'],
    ['prompt=login&prompt=none', 'prompt'],
    ['prompt=login%0aconsent', 'prompt'],
    ['display=touch', 'display'],
    ['type=verify', 'type'],
    ['maxAge=soon', 'maxAge'],
    ['maxAge=-1', 'maxAge'],
    ['maxAge=1e9', 'maxAge'],
    ['scope=search', 'scope'],
    ['scope=openid%20basic%20phone', 'scope'],
  ])('is refused with %s', async (query, name) => {
    const agent = supertest(siteFor(provider, byDefault).app);
    const { body } = await agent.get(`/auth/login?${query}`).expect(400);
    expect(body).toMatchObject({ code: 'login_link_invalid', detail: expect.stringContaining(`'${name}'`) });
    const page = await agent.get(`/auth/login?returnTo=%2Fnotes&${query}`).set(navigation).expect(400);
    expect(page.text).toContain('Please sign in');
    expect(page.text).toContain('href="/auth/login?returnTo=%2Fnotes"');
    expect(page.headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['promt=login', "'promt'", "Did you mean 'prompt'?"],
    ['utm_source=mail&next=%2Fnotes', "'next'", "Did you mean 'returnTo'?"],
    ['ReturnUrl=%2Fnotes', "'ReturnUrl'", "Did you mean 'returnTo'?"],
  ])('is refused in development with %s, which production ignores', async (query, name, fix) => {
    const { body } = await supertest(siteFor(provider, byDefault).app).get(`/auth/login?${query}`).expect(400);
    expect(body).toMatchObject({ code: 'login_link_invalid', detail: expect.stringContaining(name) });
    expect(body.detail).toContain(fix);
    const live = await withNodeEnv('production', () => siteFor(provider, { ...byDefault, onEvent: () => undefined }));
    await supertest(live.app).get(`/auth/login?${query}`).expect(302);
  });

  test.each<Record<string, string>>([
    { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-mode': 'same-origin', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'x-requested-with': 'XMLHttpRequest' },
    { 'x-turbo-request-id': '1', 'turbo-frame': 'part' },
    { 'hx-request': 'true' },
  ])('is refused for a script or an element, which cannot follow the redirect: %j', async (headers) => {
    const { app, clinician } = siteFor(provider, byDefault);
    app.get('/more', clinician.login);
    app.use(clinician.errorHandler());
    const passport = new Passport().use(clinician.strategy);
    app.get('/passport', passport.authenticate('clinician'));
    app.use(clinician.errorHandler());
    for (const path of ['/auth/login?returnTo=/notes', '/more', '/passport']) {
      const { body, headers: sent } = await supertest(app).get(path).set(headers).expect(400);
      expect(body).toMatchObject({ code: 'login_link_invalid', detail: expect.stringContaining('location.assign()') });
      expect(sent['set-cookie']).toBeUndefined();
    }
  });

  test('that htmx fetches leads the window to the sign-in', async () => {
    const { app } = siteFor(provider, byDefault);
    const boosted = { 'hx-request': 'true', 'hx-boosted': 'true', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    const { headers } = await supertest(app).get('/auth/login?returnTo=/notes').set(boosted).expect(400);
    expect(headers['hx-redirect']).toBe('/auth/login?returnTo=/notes');
  });

  test.each<Record<string, string>>([
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' },
    // The fetch of Node, in a test.
    { 'sec-fetch-mode': 'cors' },
    // The window of an app for Android.
    { 'x-requested-with': 'com.example.app', accept: 'text/html' },
  ])('starts the sign-in for %j', async (headers) => {
    const { app } = siteFor(provider, byDefault);
    await supertest(app).get('/auth/login').set(headers).expect(302);
  });

  test('may have parameters that a mail, a search engine or the site adds', async () => {
    const added = 'utm_source=mail&utm_campaign=spring&fbclid=x&gclid=y&lang=nl&tenant=%3Cb%3E&[x]=1';
    expect(await parametersOf(`/auth/login?${added}&prompt=login`)).toMatchObject({ prompt: 'login' });
  });

  test('adds its scope to that of the site and of the current login, and reduces neither', async () => {
    const agent = supertest.agent(siteFor(provider, byDefault).app);
    await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?scope=colleagues' });
    expect((await agent.get('/me')).body.scope).toEqual(['openid', 'basic', 'colleagues']);
    const { headers } = await agent.get('/auth/login?scope=email').expect(302);
    expect(new URL(headers.location as string).searchParams.get('scope')).toBe('openid basic colleagues email');
    expect(await parametersOf('/auth/login?scope=openid')).toMatchObject({ scope: 'openid basic' });
    const again = await agent.get('/auth/login?scope=openid&prompt=login').expect(302);
    expect(new URL(again.headers.location as string).searchParams.get('scope')).toBe('openid basic colleagues');
    const plain = await agent.get('/auth/login').set('Sec-Fetch-Site', 'same-origin').expect(302);
    expect(new URL(plain.headers.location as string).searchParams.get('scope')).toBe('openid basic colleagues');
  });
});

test.each<SignInButtonOptions>([{ prompt: 'none login' }, { type: 'verify' }, { maxAge: -1 }, { scope: 'search' }])(
  'signInButton() throws for %j',
  (button) => {
    const [name = ''] = Object.keys(button);
    expect(() => siteFor(provider, byDefault).clinician.signInButton(button)).toThrow(`'${name}'`);
  },
);
