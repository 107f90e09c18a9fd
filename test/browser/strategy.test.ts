import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { Passport } from 'passport';
import type { Browser } from 'playwright-core';
import { ClinicianStrategy, type FlowName, MemoryTokenStore } from '../../lib/index.js';
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
      routes: { login: '/auth/login' },
      tokenStore: new MemoryTokenStore(),
    },
    (_accessToken: string, _refreshToken: string, profile: { id: string; displayName: string }) => ({
      id: profile.id,
      name: profile.displayName,
    }),
  );
  const passport = new Passport();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  app.use(helmet());
  app.use(session({ secret, resave: false, saveUninitialized: false }), passport.session(), strategy.middleware());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician', { failureRedirect: '/denied' }), (req, res) => {
    res.redirect(req.authInfo?.returnTo ?? '/');
  });
  app.get('/denied', (_req, res) => void res.status(403).send(page('Denied')));
  app.get('/notes', strategy.requireVerified(), (_req, res) => void res.send(page('Notes')));
  app.get('/', (req, res) => {
    const { name } = { name: 'no user', ...req.user } as { name: string };
    const form = '<form method="post" action="/auth/logout"><button>Sign out</button></form>';
    res.send(`${page(`Hello, ${name}`)}${form}`);
  });
  async function stop(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await strategy.close();
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

  test('a verified clinician is led from a guarded page to the sign-in and back, and signs out', () =>
    visit(browser, async ({ page, screenshot }) => {
      await page.goto(`${site.origin}/notes`);
      await logInAs(page, 'verified');
      await approve(page);
      await expectHeading(page, 'Notes');
      await page.goto(site.origin);
      await expectHeading(page, 'Hello, Vera Castellanos, MD');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectHeading(page, 'You are signed out');
      await screenshot(`strategy-${flow}-signed-out`);
      await page.goto(site.origin);
      await expectHeading(page, 'Hello, no user');
      // The session at the service has ended with the ID Token of Form B only.
      await page.goto(`${site.origin}/notes`);
      if (flow === 'openid') await page.getByLabel('User name').waitFor();
      else await expectHeading(page, 'Notes');
    }));

  test('a pending clinician sees a page that says so', () =>
    visit(browser, async ({ page, expectStatus }) => {
      expectStatus('403 /notes');
      await page.goto(`${site.origin}/notes`);
      await logInAs(page, 'pending');
      await approve(page);
      await expectHeading(page, 'Your verification is in progress');
      await page.goto(site.origin);
      expect(await page.locator('h1').textContent()).not.toBe('Hello, no user');
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
