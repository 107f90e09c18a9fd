import { beforeEach, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import { type ClinicianLogin, clinicianLogin } from 'passport-clinician';
import { resetForTest, signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { provider } from '../helpers/provider.js';

let clinician: ClinicianLogin;
let agent: ReturnType<typeof request.agent>;
/** The codes of the site's events, as in its log. */
let logged: (string | undefined)[];

beforeEach(() => {
  const secret = 'only for this test, and long enough for a key';
  const { issuer, apiURL, clock, clients } = provider;
  const { clientID, clientSecret } = clients.openid;
  const callbackURL = 'http://127.0.0.1:5001/auth/callback';
  const app = express();
  logged = [];
  clinician = clinicianLogin({
    ...{ issuer, apiURL, clientID, clientSecret, callbackURL, secret, clock, scope: 'openid basic' },
    onEvent: ({ code }) => void logged.push(code),
  });
  app.use(session({ secret, resave: false, saveUninitialized: false }));
  app.use(clinician);
  app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('notes'));
  app.get('/cv', clinician.requireLogin(), async (req, res) => res.json(await clinician.api(req).profile()));
  app.use(clinician.errorHandler());
  agent = request.agent(app);
});

test('denied: the user does not approve the application', async () => {
  const { status, body } = await signIn(agent, provider, { as: 'verified', deny: true });
  expect([status, body.code]).toEqual([403, 'access_denied']);
  await agent.get('/notes').expect(401);
});

test('unverified: the service is still verifying the user', async () => {
  await signIn(agent, provider, { as: 'pending' });
  const { status, body } = await agent.get('/notes');
  expect([status, body.code]).toEqual([403, 'verification_pending']);
  provider.clock.advance('3 days');
  await signIn(agent, provider, { as: 'pending' });
  await agent.get('/notes').expect(200);
});

test.each([
  ['providerDown', 'service_error'],
  ['providerUnreachable', 'service_unreachable'],
] as const)('%s: no sign-in starts, and a page that needs the provider fails', async (fault, code) => {
  await signIn(agent, provider, { as: 'verified' });
  provider.faults.always(fault);
  resetForTest(clinician); // removes the metadata, which the site has cached
  for (const path of ['/auth/login', '/cv']) {
    const { status, body } = await agent.get(path);
    expect([path, status, body.code]).toEqual([path, 503, code]);
  }
  provider.faults.clear();
  await agent.get('/cv').expect(200);
});

test('expired: the access token is refreshed, and a login that is too old ends', async () => {
  await signIn(agent, provider, { as: 'verified' });
  provider.clock.advance('1 hour');
  await agent.get('/notes').expect(200);
  provider.clock.advance('30 days');
  const { status, body } = await agent.get('/notes');
  expect([status, body.code, logged.at(-1)]).toEqual([401, 'sign_in_required', 'login_expired']);
});

test('revoked while signed in: the next look at the profile ends the login', async () => {
  await signIn(agent, provider, { as: 'verified' });
  provider.revokeGrants({ username: 'verified' });
  resetForTest(clinician); // or provider.clock.advance('5 minutes')
  const { status, body } = await agent.get('/notes');
  expect([status, body.code, logged.at(-1)]).toEqual([401, 'grant_ended', 'invalid_grant']);
});

test('429: the rate limit of the user is used up', async () => {
  await signIn(agent, provider, { as: 'verified' });
  provider.faults.next('rateLimited', { window: '2 minutes' });
  const { status, body, headers } = await agent.get('/cv');
  expect([status, body.code, Number(headers['retry-after'])]).toEqual([503, 'rate_limited', expect.closeTo(120, -1)]);
  provider.clock.advance('3 minutes');
  await agent.get('/cv').expect(200);
});

test('changed user: a refresh returns the tokens of another user', async () => {
  await signIn(agent, provider, { as: 'verified' });
  provider.expireGrants({ username: 'verified', tokens: 'access' });
  provider.faults.next('refreshWrongSubject');
  const { status, body } = await agent.get('/cv');
  expect([status, body.code]).toEqual([502, 'id_token_subject_changed']);
  await agent.get('/notes').expect(401);
});

test('changed user: another user who signs in with the same browser must confirm it', async () => {
  await signIn(agent, provider, { as: 'verified' });
  const { headers } = await agent.get('/auth/login');
  const callback = new URL(await provider.signIn(String(headers.location), { as: 'pending' }));
  const { status, body } = await agent.get(callback.pathname + callback.search).redirects(1);
  expect([status, body.code]).toEqual([403, 'user_change_unconfirmed']);
  await agent.get('/notes').expect(200); // the first user
});

test.each([
  ['badSignature', 'id_token_signature_invalid'],
  ['wrongKeys', 'id_token_signature_invalid'],
  ['unknownKid', 'id_token_key_unknown'],
] as const)('wrong key, %s: a forged ID Token does not sign in', async (fault, code) => {
  provider.faults.always(fault);
  const { status, body } = await signIn(agent, provider, { as: 'verified' });
  expect([status, body.code]).toEqual([502, code]);
  await agent.get('/notes').expect(401);
});
