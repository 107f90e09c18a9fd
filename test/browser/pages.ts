import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BrowserUser } from '../helpers.js';

/** Fills in and submits the provider's login page. */
export async function logInAs(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill('clinician');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in from the site's sign-in button, through the provider's login and consent pages, back to the site. */
export async function signInAs(page: Page, username: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
  await logInAs(page, username);
  await approve(page);
}

/** A user whose requests have no page, and whose cookies are those of the browser profile of a page. */
export function userOf(page: Page): BrowserUser {
  return new BrowserUser(undefined, async (request) => {
    const response = await page.request.fetch(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      data: Buffer.from(await request.arrayBuffer()),
      maxRedirects: 0,
    });
    const headers = response.headersArray().map(({ name, value }): [string, string] => [name, value]);
    return new Response(await response.body(), { status: response.status(), headers });
  });
}

/** The fields of the provider's login and consent pages of a user who signs in and approves. */
export function approving(username: string): Record<string, string> {
  return { username, password: 'clinician', decision: 'approve' };
}

/** Signs in like signInAs(), with requests only: without a page this needs a tenth of the processor time. */
export async function signInByRequests(page: Page, site: string, username: string): Promise<void> {
  const { url, status } = await userOf(page).visit(`${site}/auth/login`, approving(username));
  expect([url.href, status]).toEqual([`${site}/`, 200]);
}

/** Submits the provider's consent page and waits for the redirect to the site. */
async function decide(page: Page, button: RegExp): Promise<void> {
  const { origin } = new URL(page.url());
  await page.getByRole('button', { name: button }).click();
  await page.waitForURL((url) => url.origin !== origin);
}

export function approve(page: Page): Promise<void> {
  return decide(page, /approve/i);
}

export function deny(page: Page): Promise<void> {
  return decide(page, /deny/i);
}

/** Waits for the page with this heading, and until it has loaded: a heading can be found before the stylesheet and the text below. */
export async function expectHeading(page: Page, text: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name: text, exact: true });
  await heading.waitFor().catch(() => undefined);
  expect(await page.locator('h1').textContent()).toBe(text);
  await page.waitForLoadState('load');
}

/** Presses Tab until the control with this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate<string>(
      `(({ labels, textContent }) => labels?.[0]?.textContent ?? textContent)(document.activeElement)`,
    );
    if (name.test(label)) return;
  }
  throw new Error(`Tab never reached ${name} on ${page.url()}`);
}
