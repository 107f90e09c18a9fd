import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';

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

/** Waits for the page with this heading. */
export async function expectHeading(page: Page, text: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name: text, exact: true });
  await heading.waitFor({ timeout: 5_000 }).catch(() => undefined);
  expect(await page.locator('h1').textContent()).toBe(text);
}

type Lines = Record<string, string[]>;

async function linesOf(article: Locator): Promise<Lines> {
  const rows = await article.locator('dl > div').all();
  const lines = rows.map(async (row) => [
    await row.locator('dt').textContent(),
    await row.locator('dd').allTextContents(),
  ]);
  return Object.fromEntries(await Promise.all(lines));
}

/** @returns the sections of the profile page, each with its labels and their values */
export async function profileOn(page: Page): Promise<Record<string, Lines>> {
  const articles = await page.locator('article').all();
  const sections = articles.map(async (article) => [await article.locator('h2').textContent(), await linesOf(article)]);
  return Object.fromEntries(await Promise.all(sections));
}

/** Presses Tab until the control with this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) === 0) continue;
    const label = await focused.evaluate((element) => {
      const labels = (element as { labels?: ArrayLike<{ textContent: string | null }> }).labels;
      return labels?.[0]?.textContent ?? element.textContent ?? '';
    });
    if (name.test(label)) return;
  }
  throw new Error(`Tab never reached ${name} on ${page.url()}`);
}
