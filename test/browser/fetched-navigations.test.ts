import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import type { Page } from 'playwright-core';
import type { ClinicianLogin } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { newProfile } from './harness.js';
import { type OwnSite, startOwnSite } from './own-site.js';
import { approve, expectHeading, logInAs, signInByRequests } from './pages.js';

/** Libraries that fetch the page of a link or a form, with what makes them do so. */
const LIBRARIES = {
  'htmx 4': ['htmx.org/dist/htmx.js', 'hx-boost:inherited="true"'],
  'htmx 2': ['htmx-2/dist/htmx.js', 'hx-boost="true"'],
  Turbo: ['@hotwired/turbo/dist/turbo.es2017-umd.js', ''],
} as const;

describe.each(Object.entries(LIBRARIES))('with %s', (name, [script, attributes]) => {
  const isTurbo = name === 'Turbo';
  let site: OwnSite;
  beforeAll(async () => {
    site = await startOwnSite(provider, addRoutes);
  });
  afterAll(() => site.stop());

  function addRoutes(app: Express, clinician: ClinicianLogin): void {
    const head = `<head><title>Site</title><script src="/library/${script}"></script></head>`;
    const buttons = [clinician.signInButton({ returnTo: '/here?a=1' }), clinician.signOutButton()].join('');
    const body = `<a href="/notes?a=1">Notes</a> <a href="/auth/logout">Leave?</a>
      <form action="/notes"><input type="hidden" name="q" value="1"><button>Search</button></form>
      <form method="post" action="/things"><button>Send</button></form>
      <p id="part"><button hx-get="/part" hx-target="#part">Part</button></p>`;
    const show = (heading: string) =>
      `<!doctype html><html lang="en">${head}<body ${attributes}><h1>${heading}</h1>${buttons}${body}</body></html>`;
    app.use('/library', express.static('node_modules'));
    app.get('/here', (_req, res) => void res.send(show('Here')));
    app.get('/notes', clinician.requireVerified(), (_req, res) => void res.send(show('Notes')));
    app.post('/things', clinician.requireLogin(), (_req, res) => res.redirect(303, '/notes'));
    app.get('/part', clinician.requireLogin(), (_req, res) => void res.send('A part'));
  }

  const click = (page: Page, text: string) => page.getByRole('button', { name: text, exact: true }).click();

  test('each way to a guarded page leads a signed-out user to the service, and then to that page', async () => {
    const page = await (await newProfile()).newPage();
    const expectPage = async (path: string, heading: string) => {
      await page.waitForURL(site.origin + path);
      await expectHeading(page, heading);
    };
    const open = async () => {
      await page.context().clearCookies({ name: 'connect.sid' }); // the session at the service continues
      await page.goto(`${site.origin}/here`);
    };
    await open();
    await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
    await logInAs(page, 'verified');
    await approve(page);
    await expectPage('/here?a=1', 'Here');
    await open();
    await page.getByRole('link', { name: 'Notes' }).click();
    await expectPage('/notes?a=1', 'Notes');
    await open();
    await click(page, 'Search');
    await expectPage('/notes?q=1', 'Notes');
    await open();
    if (isTurbo) {
      await click(page, 'Send');
      await expectHeading(page, 'Your form was not sent');
    } else {
      for (const button of ['Send', 'Part']) {
        await open();
        const returned = page.waitForEvent('load');
        await click(page, button);
        await returned;
        expect(page.url()).toBe(`${site.origin}/here`);
      }
    }
    await page.context().close();
  });

  test('a guarded link says to a user who is not verified why it is refused', async () => {
    const page = await (await newProfile()).newPage();
    await signInByRequests(page, site.origin, 'pending');
    await page.goto(`${site.origin}/here`);
    await page.getByRole('link', { name: 'Notes' }).click();
    await expectHeading(page, 'Your verification is in progress');
    await page.context().close();
  });

  test('a link to the sign-out leads to the page that asks, and its form shows that the user is signed out', async () => {
    const page = await (await newProfile()).newPage();
    await signInByRequests(page, site.origin, 'verified');
    await page.goto(`${site.origin}/here`);
    await page.getByRole('link', { name: 'Leave?' }).click();
    await expectHeading(page, 'Sign out?');
    await page.goto(`${site.origin}/here`);
    await click(page, 'Sign out');
    await expectHeading(page, 'You are signed out');
    expect(new URL(page.url()).pathname).toBe('/auth/logged-out');
    await page.goto(site.origin);
    expect(await page.locator('body').textContent()).toBe('out');
    await page.context().close();
  });
});
