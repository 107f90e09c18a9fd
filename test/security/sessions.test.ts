import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import supertest from 'supertest';
import { type ClinicianError, clinicianLogin, type SignInEvent } from '../../lib/index.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import {
  loginOptions,
  navigation,
  sameOriginForm,
  sameOriginScript,
  sealingSecret,
  siteFor,
} from '../integration/site.js';

describe('signing out', () => {
  test.each([
    ['with its default settings', {}],
    ['with another name and settings', { name: 'my.site', cookie: { path: '/', sameSite: 'strict', maxAge: 1e6 } }],
  ] as const)('removes the session cookie from the browser, %s', async (_name, settings) => {
    for (const path of ['/auth/logout', '/auth/forget']) {
      const { app } = siteFor(provider, { session: settings });
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      const name = 'name' in settings ? settings.name : 'connect.sid';
      const cookies = () => agent.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false });
      expect(cookies().map((cookie) => cookie.name)).toContain(name);
      const { headers } = await agent.post(path).set(sameOriginScript).expect(200);
      const removed = (headers['set-cookie'] as unknown as string[]).find((line) => line.startsWith(`${name}=;`));
      expect(removed).toContain('Max-Age=0; Path=/; HttpOnly');
      if ('cookie' in settings) expect(removed).toContain('SameSite=Strict');
    }
  });

  test.each(['/auth/logout', '/auth/forget'])('at %s redirects to no address of the request', async (path) => {
    const agent = supertest.agent(siteFor(provider, { postLogoutRedirectURI: false }).app);
    await signIn(agent, provider, { as: 'verified' });
    const address = 'https://evil.example/';
    const query = new URLSearchParams({ returnTo: address, post_logout_redirect_uri: address, url: address });
    const form = { ...sameOriginForm, Host: 'evil.example', Referer: address, 'X-Forwarded-Host': 'evil.example' };
    const { headers } = await agent.post(`${path}?${query}`).type('form').set(form).send(query.toString()).expect(303);
    expect(headers.location).toBe('/auth/logged-out');
    const { text } = await agent.get(`/auth/logged-out?${query}`).set(form).expect(200);
    expect(text).not.toContain('evil.example');
  });

  test('does nothing by GET: a browser gets a page that asks, a script gets 405', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/auth/logout').expect(405)).headers.allow).toBe('POST');
    const fromOtherSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site', Referer: 'https://evil.example/' };
    for (const path of ['/auth/logout', '/auth/logout?returnTo=https://evil.example']) {
      const { headers, text } = await agent.get(path).set(fromOtherSite).expect(200);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(text).toContain('<form method="post" action="/auth/logout">');
      expect(text).not.toMatch(/<script|http-equiv="refresh"|evil/);
    }
    await agent.get('/me').expect(200);
  });

  test('reports a failure of the session store', async () => {
    const { app, sessions } = siteFor(provider);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    sessions.destroy = (_id, done) => done?.(new Error('store down'));
    const response = await agent.post('/auth/logout').set(sameOriginScript).expect(503);
    expect(JSON.parse(response.text)).toMatchObject({ code: 'session_unavailable', retryable: true });
  });
});

describe('a site without a session', () => {
  test('fails before the code is used, and says what to add', async () => {
    const clinician = clinicianLogin({ ...loginOptions(provider), onEvent: () => undefined });
    const app = express().use(clinician);
    app.get('/me', clinician.requireLogin());
    app.use(((error: ClinicianError, _req, res, _next) => void res.json({ code: error.code })) as ErrorRequestHandler);
    const agent = supertest.agent(app);
    const login = await agent.get('/auth/login').expect(500);
    expect(JSON.parse(login.text)).toMatchObject({ code: 'session_missing' });
    await expect(signIn(agent, provider, { as: 'verified' })).rejects.toThrow('did not redirect to the provider');
    expect(provider.requests.filter(({ path }) => path === '/oauth/token')).toEqual([]);
    const logout = await agent.post('/auth/logout').set(sameOriginScript).expect(500);
    expect(JSON.parse(logout.text)).toMatchObject({
      code: 'session_missing',
      detail: expect.stringContaining('app.use'),
    });
    expect((await agent.get('/me')).body).toEqual({ code: 'session_missing' });
  });
});

test('the second user of one browser gets no data of the first', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  await signIn(agent, provider, { as: 'verified' });
  const first = (await agent.get('/me')).body;
  await signOut(agent, provider);
  await signIn(agent, provider, { as: 'pending' });
  const second = (await agent.get('/me')).body;
  expect(second.identity.id).not.toBe(first.identity.id);
  expect(second).toMatchObject({ verified: false, verification: 'pending' });
  await agent.get('/notes').expect(403);
});

test('req.clinician contains no token, and its grant id is in no copy of it that is printed or sent to a browser', async () => {
  const { app } = siteFor(provider);
  const printed: string[] = [];
  app.get('/print', (req, res) => {
    const { clinician: logins } = req.session as unknown as { clinician: Record<string, string> };
    const { grantID } = JSON.parse(Object.values(logins)[0] as string) as { grantID: string };
    const { clinician } = req;
    printed.push(
      ...[JSON.stringify(clinician), JSON.stringify({ ...clinician }), JSON.stringify(structuredClone(clinician))],
      ...[inspect(clinician, { depth: 20, getters: true }), inspect(Object.values(clinician))],
    );
    expect(clinician.grantID).toBe(grantID);
    res.send(grantID);
  });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  const { text: grantID } = await agent.get('/print').expect(200);
  const fields = ['isAuthenticated', 'identity', 'flow', 'scope', 'verified', 'verification'];
  for (const text of printed.slice(0, 3)) expect(Object.keys(JSON.parse(text))).toEqual(fields);
  for (const text of printed) expect(text).not.toContain(grantID);
});

test('the session contains no token and no profile, and printed objects contain no secret', async () => {
  let signInEvent: SignInEvent | undefined;
  const { app, sessions, clinician } = siteFor(provider, {
    onSignIn: (event) => {
      signInEvent = event;
      return { id: event.identity.id };
    },
  });
  await signIn(supertest.agent(app), provider, { as: 'verified' });
  const saved = await new Promise<unknown>((resolve) => sessions.all((_error, all) => resolve(all)));
  const [session] = Object.values(saved as Record<string, { clinician: Record<string, string> }>);
  expect(Object.values(session?.clinician ?? {}).map((login) => Object.keys(JSON.parse(login)).sort())).toEqual([
    ['authenticatedAt', 'grantID', 'id', 'scope', 'serviceID', 'sessionState', 'since'],
  ]);

  // The user has only the id of the service, which is in the session once.
  const { tokens, identity } = signInEvent as SignInEvent;
  expect(JSON.stringify(saved).split(identity.id)).toHaveLength(2);
  const issued = [tokens.accessToken, tokens.refreshToken, tokens.idToken].map((token) => token?.reveal());
  const secrets = [sealingSecret, provider.clients.openid.clientSecret, ...issued] as string[];
  const printed = [
    JSON.stringify(saved),
    inspect(clinician, { depth: 20, showHidden: true }),
    inspect(clinician.strategy, { depth: 20, showHidden: true }),
    JSON.stringify(clinician.strategy),
    inspect(tokens, { depth: 20 }),
    JSON.stringify(tokens),
  ];
  expect(secrets.every((secret) => secret.length > 15)).toBe(true);
  for (const text of printed) for (const secret of secrets) expect(text).not.toContain(secret);
  expect(JSON.stringify(saved)).not.toContain(provider.clinicians.get('verified').email);
});
