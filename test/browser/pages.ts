import type { Locator, Page } from 'playwright-core';

/** Fills in the provider's login page. */
export async function logInAs(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill('clinician');
  await page.getByRole('button', { name: /sign in|log in/i }).click();
}

/** From the site's sign-in button to the site again, by the provider's two pages. */
export async function signInAs(page: Page, username: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
  await logInAs(page, username);
  await approve(page);
}

export async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: /approve|allow/i }).click();
}

export async function deny(page: Page): Promise<void> {
  await page.getByRole('button', { name: /deny/i }).click();
}

export function heading(page: Page): Promise<string | null> {
  return page.locator('h1').textContent();
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

/** @returns what the profile page shows: its sections, each with its labels and their values. */
export async function curriculumOn(page: Page): Promise<Record<string, Lines>> {
  const articles = await page.locator('article').all();
  const sections = articles.map(async (article) => [await article.locator('h2').textContent(), await linesOf(article)]);
  return Object.fromEntries(await Promise.all(sections));
}

/** Presses Tab until the thing of that name has the focus, as somebody without a mouse does. */
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
