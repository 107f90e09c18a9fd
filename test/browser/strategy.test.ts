import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { Passport } from 'passport';
import type { Browser } from 'playwright-core';
import { ClinicianStrategy, type FlowName, type PassportProfile } from '../../lib/index.js';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { takePrinted } from '../helpers/printed.js';
import { launch, visit } from './harness.js';
import { approve, deny, expectHeading, logInAs } from './pages.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const page = (text: string) => `<!doctype html><html lang="en"><title>Site</title><h1>${text}</h1>`;

/** A site with Passport and `new ClinicianStrategy()`, without the drop-in. */
async function startSite(flow: FlowName) {
  const provider = await startMockProvider();
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { issuer, apiURL } = provider;
  const { clientID, clientSecret } = provider.clients[flow];
  const secret = 'planted-sealing-secret-0123456789-0123456789';
  const strategy = new ClinicianStrategy(
    {
      ...{ issuer, apiURL, clientID, clientSecret, flow, secret },
      callbackURL: `${origin}/auth/callback`,
      scope: flow === 'openid' ? 'openid basic' : 'basic',
    },
    (
      _accessToken: string,
      refreshToken: string,
      params: { id_token?: string },
      { id, displayName: name }: PassportProfile,
      done: (error: unknown, user: object) => void,
    ) => done(null, { id, name, refreshToken, idToken: params.id_token }),
  );
  const passport = new Passport();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  app.use(helmet({ contentSecurityPolicy: { directives: { 'form-action': ["'self'", issuer] } } }));
  app.use(session({ secret, resave: false, saveUninitialized: false }), passport.session());
  app.get('/auth/login', passport.authenticate('clinician', { returnTo: '/notes' }));
  app.get('/auth/callback', passport.authenticate('clinician', { failureRedirect: '/denied' }), (req, res) => {
    res.redirect(req.authInfo?.returnTo ?? '/');
  });
  app.get('/denied', (_req, res) => void res.status(403).send(page('Denied')));
  app.get('/notes', (req, res) => (req.user ? res.send(page('Notes')) : res.redirect('/auth/login')));
  app.post('/sign-out', async (req, res, next) => {
    const { refreshToken, idToken } = req.user as { refreshToken: string; idToken?: string };
    await strategy.revoke(refreshToken);
    const url = idToken && (await strategy.endSessionURL({ idToken, postLogoutRedirectURI: `${origin}/bye` }));
    req.logout((error) => (error ? next(error) : res.redirect(url ?? '/bye')));
  });
  app.get('/bye', (_req, res) => void res.send(page('Signed out')));
  app.get('/', (req, res) => {
    const { name } = { name: 'no user', ...req.user } as { name: string };
    const form = '<form method="post" action="/sign-out"><button>Sign out</button></form>';
    res.send(`${page(`Hello, ${name}`)}${form}`);
  });
  async function stop(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await provider.stop();
  }
  return { origin, provider, stop };
}

describe.each(['openid', 'profile'] as const)('by ClinicianStrategy without the drop-in, in the %s flow', (flow) => {
  let site: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    site = await startSite(flow);
  });
  afterEach(() => site.provider.reset());
  afterAll(() => site.stop());

  test('a clinician is led from a page to the sign-in and back, and signs out', () =>
    visit(browser, async ({ page, screenshot }) => {
      await page.goto(`${site.origin}/notes`);
      await logInAs(page, 'verified');
      await approve(page);
      await expectHeading(page, 'Notes');
      await page.goto(site.origin);
      await expectHeading(page, 'Hello, Vera Castellanos, MD');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectHeading(page, 'Signed out');
      await screenshot(`strategy-${flow}-signed-out`);
      await page.goto(site.origin);
      await expectHeading(page, 'Hello, no user');
      // The session at the service has ended with the ID Token of Form B only.
      await page.goto(`${site.origin}/notes`);
      if (flow === 'openid') await page.getByLabel('User name').waitFor();
      else await expectHeading(page, 'Notes');
    }));

  test('a denial ends on the page of failureRedirect, and a forged callback too', () =>
    visit(browser, async ({ page, expectStatus }) => {
      expectStatus('403 /denied');
      await page.goto(`${site.origin}/auth/login`);
      await logInAs(page, 'verified');
      await deny(page);
      await expectHeading(page, 'Denied');
      await page.goto(`${site.origin}/auth/callback?code=forged&state=forged`);
      await expectHeading(page, 'Denied');
      expect(takePrinted()).toMatchObject([
        expect.stringContaining('[access_denied]'),
        expect.stringContaining('[transaction_missing]'),
      ]);
      await page.goto(site.origin);
      await expectHeading(page, 'Hello, no user');
    }));
});
