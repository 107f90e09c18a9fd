import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { clinicianLogin, deny, type LoginOptions, type SignInEvent } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret, siteFor } from './site.js';

const fromOtherSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site' };
const fromOwnPage = { ...navigation, 'Sec-Fetch-Site': 'same-origin' };

type Agent = ReturnType<typeof supertest.agent>;

/** @returns a site whose route /offer/:plan starts a login with data of the site, and what onSignIn has received. */
function shop({ onSignIn, ...options }: SiteOptions = {}) {
  const received: unknown[] = [];
  const site = siteFor(provider, {
    ...options,
    clock: provider.clock,
    onSignIn: async (event: SignInEvent) => {
      received.push(event.state);
      return onSignIn ? onSignIn(event as never) : { id: event.identity.id };
    },
  });
  site.app.get('/offer/:plan', (req, res, next) => {
    const returnTo = String(req.query.returnTo ?? '/welcome');
    site.clinician.login(req, res, { state: { plan: req.params.plan }, returnTo }).catch(next);
  });
  return { ...site, received, agent: supertest.agent(site.app) };
}

/** Starts a login at a path and answers at the service. @returns the path of the callback */
async function answered(
  agent: Agent,
  path: string,
  answer: object,
  headers: Record<string, string> = fromOwnPage,
): Promise<string> {
  const { headers: sent } = await agent.get(path).set(headers).expect(302);
  const { pathname, search } = new URL(
    await provider.signIn(sent.location as string, { as: 'verified', browser: agent, ...answer }),
  );
  return pathname + search;
}

/** Declines a login. @returns the text of its page, and where its first link to the login leads */
async function declined(agent: Agent, path: string) {
  const callback = await answered(agent, path, { deny: true });
  const { text } = await agent.get(callback).set(navigation).redirects(1).expect(403);
  const [, link = ''] = /href="(\/auth\/login[^"]*)"/.exec(text) ?? [];
  return { text, link: link.replaceAll('&amp;', '&') };
}

/** @returns a site whose route /offer starts a login with these options. */
function siteWith(login: LoginOptions, options: SiteOptions = {}) {
  const { app, clinician } = siteFor(provider, options);
  app.get('/offer', (req, res, next) => void clinician.login(req, res, login).catch(next));
  return supertest.agent(app);
}

/** @returns the parameters of the authorization request that a path starts. */
async function requestOf(agent: Agent, path: string, headers: Record<string, string> = fromOwnPage) {
  const { headers: sent } = await agent.get(path).set(headers).expect(302);
  return Object.fromEntries(new URL(sent.location as string).searchParams);
}

describe('a failed sign-in that is tried again', () => {
  test.each<[string, LoginOptions, SiteOptions, object]>([
    [
      'scope, prompt and maxAge',
      { scope: 'openid email', prompt: 'consent', maxAge: 60_000 },
      {},
      { scope: 'openid email', prompt: 'consent', max_age: '60' },
    ],
    ['type', { type: 'verify' }, { flow: 'profile' }, { type: 'verify' }],
  ])('keeps %s of the login', async (_names, login, options, expected) => {
    const agent = siteWith(login, options);
    const first = await requestOf(agent, '/offer');
    expect(first).toMatchObject(expected);
    const failed = new URLSearchParams({ error: 'access_denied', state: first.state as string });
    const { text } = await agent.get(`/auth/callback?${failed}`).set(navigation).redirects(1).expect(403);
    const [, link = ''] = /href="(\/auth\/login[^"]*)"/.exec(text) ?? [];
    const { state: _, ...second } = await requestOf(agent, link.replaceAll('&amp;', '&'));
    expect(second).toMatchObject(expected);
  });

  test('keeps the scope also as another user, who has to enter the password', async () => {
    const agent = siteWith({ scope: 'openid email', prompt: 'consent' }, { onSignIn: () => deny('Surgeons only') });
    const { text } = await agent
      .get(await answered(agent, '/offer', {}))
      .set(navigation)
      .redirects(1)
      .expect(403);
    const [, link = ''] = /href="([^"]+)"[^>]*>(?:<span>)?Use another account/.exec(text) ?? [];
    expect(await requestOf(agent, link.replaceAll('&amp;', '&'))).toMatchObject({
      scope: 'openid email',
      prompt: 'login',
    });
  });

  test('keeps the options of a link that could not start, and no other parameter', async () => {
    const { app } = siteFor(provider, { scope: 'openid', optionalScope: 'email', issuer: 'http://127.0.0.1:1' });
    const get = (query: string) => supertest(app).get(`/auth/login?${query}`).set(fromOwnPage);
    const { text } = await get('returnTo=/welcome&scope=email&prompt=login&maxAge=5&retry=1%22%3E&x=%22%3E').expect(
      503,
    );
    expect(text).toContain(
      'href="/auth/login?returnTo=%2Fwelcome&amp;scope=email&amp;prompt=login&amp;maxAge=5&amp;retry=1%22%3E"',
    );
    const refused = await get('scope=colleagues&prompt=login').expect(400);
    expect(refused.text).toContain('href="/auth/login?returnTo=%2F"');
  });

  test('keeps the state of the site, which its page does not contain', async () => {
    const { agent, received } = shop();
    let { text, link } = await declined(agent, '/offer/hospital');
    expect(text).not.toContain('hospital');
    expect(link).toMatch(/^\/auth\/login\?returnTo=%2Fwelcome&retry=\d+$/);
    // Also where it fails again.
    ({ text, link } = await declined(agent, link));
    await agent.get(await answered(agent, link, {})).expect('Location', '/welcome');
    expect(received).toEqual([{ plan: 'hospital' }]);
  });

  test('keeps the state also as another user, after a denial of the site', async () => {
    const { agent, received } = shop({ onSignIn: () => deny('Surgeons only') });
    const callback = await answered(agent, '/offer/practice', {});
    const { text } = await agent.get(callback).set(navigation).redirects(1).expect(403);
    const [, link = ''] = /href="([^"]+)"[^>]*>(?:<span>)?Use another account/.exec(text) ?? [];
    await agent.get(await answered(agent, link.replaceAll('&amp;', '&'), { as: 'minimal' }));
    expect(received).toEqual([{ plan: 'practice' }, { plan: 'practice' }]);
  });

  test('keeps the state where the login route of the site is one of Passport', async () => {
    const own = new passport.Passport();
    const app = express();
    const clinician = clinicianLogin(loginOptions(provider));
    own.use(clinician.strategy);
    own.serializeUser((user, done) => done(null, user));
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    app.get('/auth/login', own.authenticate('clinician'));
    app.get('/auth/callback', own.authenticate('clinician'), (req, res) => void res.json(req.authInfo?.state));
    app.use(clinician);
    app.get('/offer', (req, res, next) => void clinician.login(req, res, { state: 'hospital' }).catch(next));
    const agent = supertest.agent(app);
    const { link } = await declined(agent, '/offer');
    await agent.get(await answered(agent, link, {})).expect(200, '"hospital"');
  });

  test('gets no state where another sign-in has failed since', async () => {
    const { agent, received } = shop();
    const first = await declined(agent, '/offer/hospital');
    provider.clock.advance('1 second');
    const second = await declined(agent, '/offer/practice');
    await agent.get(await answered(agent, first.link, {}));
    expect(received).toEqual([undefined]);
    expect(second.link).not.toBe(first.link);
  });

  test.each([
    ['a link of another site', (link: string) => link, fromOtherSite],
    ['a link without the id of the failure', (link: string) => link.replace(/&retry=\d+/, ''), fromOwnPage],
    ['a link with another id', (link: string) => link.replace(/\d$/, 'x'), fromOwnPage],
  ])('does not get the state by %s', async (_name, change, headers) => {
    const { agent, received } = shop();
    const { link } = await declined(agent, '/offer/hospital');
    await agent
      .get(await answered(agent, change(link), {}, headers))
      .set(navigation)
      .expect(302);
    expect(received).toEqual([undefined]);
  });

  test('does not get the state in another browser, or after ten minutes', async () => {
    const { app, agent, received } = shop();
    const { link } = await declined(agent, '/offer/hospital');
    const other = supertest.agent(app);
    await other.get(await answered(other, link, {}));
    provider.clock.advance('11 minutes');
    await agent.get(await answered(agent, link, {}));
    expect(received).toEqual([undefined, undefined]);
  });

  test('keeps the path without the state where both do not fit into a cookie', async () => {
    const { agent } = shop({ onSignIn: () => deny('x'.repeat(900)) });
    const path = `/${'a'.repeat(400)}`;
    const callback = await answered(agent, `/offer/${'b'.repeat(500)}?returnTo=${path}`, {});
    const { text } = await agent.get(callback).set(navigation).redirects(1).expect(403);
    expect(text).toContain(`href="/auth/login?returnTo=${encodeURIComponent(path)}&amp;prompt=login"`);
  });
});
