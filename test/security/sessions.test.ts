import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { SignInEvent } from '../../lib/index.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, sameOriginForm, sealingSecret, siteFor } from '../integration/site.js';

describe('signing out', () => {
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
