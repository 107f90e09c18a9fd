import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ClinicianLogin } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { launch, newProfile } from './harness.js';
import { type OwnSite, startOwnSite } from './own-site.js';
import { approve, expectHeading, logInAs, signInByRequests } from './pages.js';

/** Libraries that fetch the page of a link or a form, with what makes them do so. */
const LIBRARIES = {
  'htmx 4': ['htmx.org/dist/htmx.js', 'hx-boost:inherited="true"'],
  'htmx 2': ['htmx-2/dist/htmx.js', 'hx-boost="true"'],
  Turbo: ['@hotwired/turbo/dist/turbo.es2017-umd.js', ''],
} as const;

let browser: Browser;
let site: OwnSite;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
afterEach(async () => {
  await context.close();
  site.stop();
});

describe.each(Object.entries(LIBRARIES))('with %s', (name, [script, attributes]) => {
  const isTurbo = name === 'Turbo';

  function addRoutes(app: Express, clinician: ClinicianLogin): void {
    const head = `<head><title>Site</title><script src="/library/${script}"></script></head>`;
    const buttons = [
      clinician.signInButton({ returnTo: '/here?a=1' }),
      clinician.signOutButton(),
      clinician.shareButton({ message: 'x' }),
    ].join('');
    const body = `<a href="/notes?a=1">Notes</a> <a href="/auth/login?returnTo=/notes">Enter</a>
      <a href="/auth/logout">Leave?</a>
      <form action="/notes"><input type="hidden" name="q" value="1"><button>Search</button></form>
      <form method="post" action="/things"><button>Send</button></form>
      <form method="post" action="/auth/logout"><button>Leave</button></form>
      <p id="part"><button hx-get="/part" hx-target="#part">Part</button></p>`;
    const show = (heading: string) =>
      `<!doctype html><html lang="en">${head}<body ${attributes}><h1>${heading}</h1>${buttons}${body}</body></html>`;
    app.use('/library', express.static('node_modules'));
    app.get('/here', (_req, res) => void res.send(show('Here')));
    app.get('/notes', clinician.requireVerified(), (_req, res) => void res.send(show('Notes')));
    app.post('/things', clinician.requireLogin(), (_req, res) => res.redirect(303, '/notes'));
    app.get('/part', clinician.requireLogin(), (_req, res) => void res.send('A part'));
  }

  async function open(user?: string): Promise<void> {
    site = await startOwnSite(provider, addRoutes);
    context = await newProfile(browser);
    page = await context.newPage();
    if (user) await signInByRequests(page, site.origin, user);
    await page.goto(`${site.origin}/here`);
  }

  async function expectSignIn(path: string, heading: string): Promise<void> {
    await logInAs(page, 'verified');
    await approve(page);
    await expectHeading(page, heading);
    expect(page.url()).toBe(site.origin + path);
  }

  const click = (text: string) => page.getByRole('button', { name: text, exact: true }).click();

  test('the sign-in button leads to the service, and back', async () => {
    await open();
    await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
    await expectSignIn('/here?a=1', 'Here');
  });

  test('a guarded link leads to the sign-in, and then to its page', async () => {
    await open();
    await page.getByRole('link', { name: 'Notes' }).click();
    await expectSignIn('/notes?a=1', 'Notes');
  });

  test('a guarded form with GET leads to the sign-in, and then to its page', async () => {
    await open();
    await click('Search');
    await expectSignIn('/notes?q=1', 'Notes');
  });

  test('a link to the sign-out leads to the page that asks', async () => {
    await open('verified');
    await page.getByRole('link', { name: 'Leave?' }).click();
    await expectHeading(page, 'Sign out?');
  });

  test('a link to the sign-in without an attribute leads to the service', async () => {
    await open();
    await page.getByRole('link', { name: 'Enter' }).click();
    await expectSignIn('/notes', 'Notes');
  });

  test('a guarded link says to a user who is not verified why it is refused', async () => {
    await open('pending');
    await page.getByRole('link', { name: 'Notes' }).click();
    await expectHeading(page, 'Your verification is in progress');
  });

  test('a form of a signed-out user is not ignored', async () => {
    await open();
    await click('Send');
    if (isTurbo) await expectHeading(page, 'Your form was not sent');
    else await expectSignIn('/here', 'Here');
  });

  if (!isTurbo) {
    test('a guarded part of a page leads to the sign-in, and back to the page', async () => {
      await open();
      await click('Part');
      await expectSignIn('/here', 'Here');
      await click('Part');
      await page.getByText('A part').waitFor();
    });
  }

  test.each(['Sign out', 'Leave'])('the form "%s" shows that the user is signed out', async (button) => {
    await open('verified');
    await click(button);
    await expectHeading(page, 'You are signed out');
    expect(new URL(page.url()).pathname).toBe('/auth/logged-out');
    await page.goto(site.origin);
    expect(await page.locator('body').textContent()).toBe('out');
  });

  test('the share button opens the inbox of the service', async () => {
    await open('verified');
    const [opened] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Share' }).click()]);
    await opened.waitForURL((url) => url.href.startsWith(provider.issuer) || url.href.startsWith(provider.apiURL));
    await expectHeading(page, 'Here');
  });
});
