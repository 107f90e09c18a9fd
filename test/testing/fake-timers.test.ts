import { createServer } from 'node:http';
import { afterEach, expect, jest, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician';
import type { MockProvider } from 'passport-clinician/mock-provider';
import { signIn, signOut, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';
import { takePrinted } from '../helpers/printed.js';
import { site } from './sites.js';

afterEach(() => void jest.useRealTimers());

/** Passport signs in, at `/passport`. */
function passportSite({ issuer, apiURL, clients: { openid } }: MockProvider) {
  const clinician = clinicianLogin({
    ...{ issuer, apiURL, clientID: openid.clientID, clientSecret: openid.clientSecret, scope: 'openid basic' },
    callbackURL: 'http://127.0.0.1:5001/passport/callback',
    secret: 'only for this test, and long enough for a key',
  });
  const own = new passport.Passport();
  own.use(clinician.strategy);
  own.serializeUser((user, done) => done(null, user));
  own.deserializeUser((user: Express.User, done) => done(null, user));
  return express()
    .use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }))
    .use(own.initialize(), own.session(), clinician)
    .get('/passport', own.authenticate('clinician'))
    .get('/passport/callback', own.authenticate('clinician', { successRedirect: '/notes' }))
    .get('/notes', clinician.requireVerified(), (_req, res) => void res.send('notes'));
}

test.each([
  ['the drop-in', site, '/auth/login'],
  ['Passport', passportSite, '/passport'],
] as const)('with the fake timers of a test %s signs in and out', async (_title, createSite, loginPath) => {
  jest.useFakeTimers();
  await withMockProvider(async (provider) => {
    const agent = request.agent(createSite(provider));
    await signIn(agent, provider, { as: 'verified', loginPath });
    await agent.get('/notes').expect(200);
    await signOut(agent, provider);
    provider.faults.next('delay', { endpoint: '/oauth/authorize', delay: 1 });
    await signIn(agent, provider, { as: 'pending', loginPath });
  });
});

test('a site that waits for a fake timer fails the sign-in with the reason', async () => {
  jest.useFakeTimers();
  const app = express().get('/auth/login', (_req, res) => void setTimeout(() => res.redirect('/'), 1));
  const server = createServer(app).listen(0, '127.0.0.1');
  const failed = withMockProvider((provider) => signIn(request.agent(server), provider, { as: 'verified' }));
  await expect(failed).rejects.toThrow(/^Fake timers stop the site/);
  server.close().closeAllConnections();
});

test('a test that sets the date moves the site and the provider: the sign-in succeeds, and its tokens are valid', async () => {
  jest.useFakeTimers({ now: Date.UTC(1995, 1, 3) });
  await withMockProvider(async (provider) => {
    const agent = request.agent(passportSite(provider));
    await signIn(agent, provider, { as: 'verified', loginPath: '/passport' });
    await agent.get('/notes').expect(200);
    expect(provider.clock.now()).toBe(Date.UTC(1995, 1, 3));
    jest.setSystemTime(Date.UTC(1995, 1, 3, 1)); // the access token has expired
    await agent.get('/notes').expect(200);
    jest.setSystemTime(Date.UTC(1996, 1, 3));
    await agent.get('/notes').expect(401);
    expect(takePrinted()).toEqual([expect.stringContaining('[login_expired]')]);
  });
});
