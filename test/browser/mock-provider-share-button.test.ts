import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import clientScript from '../../lib/html/browser/share.js?text';
import { shareButton } from '../../lib/html/buttons.js';
import { ENGLISH } from '../../lib/html/texts.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { listen, visit } from './harness.js';
import { logInAs } from './pages.js';

let provider: MockProvider;
let server: Awaited<ReturnType<typeof listen>>;
let site: string;

const SHARED = {
  url: 'https://clinic.example/a?b=c&d=e#f',
  message: 'Two\nlines, "quotes" & 100%',
  subject: `O'Neill <guideline>`,
};
const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** A page with three buttons and a policy without inline styles. */
function page(): string {
  const share = `${provider.apiURL}/inbox/conversations/new_message`;
  const data = Object.entries(SHARED).map(([name, value]) => `data-${name}="${attribute(value)}"`);
  return `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
<p><a id="all" class="service-share-button" href="${share}" ${data.join(' ')}>Share this guideline</a></p>
<p><a id="bare" class="service-share-button" href="${share}"></a></p>
<p><a id="query" class="service-share-button" href="${share}?subject=Hello" data-message="There">Share</a></p>
<p><a id="repeated" class="service-share-button" href="${share}?subject=Old&amp;x=1" data-subject="New">Share</a></p>
<p><a id="long" class="service-share-button" href="${share}">Diesen Artikel mit einem Kollegen teilen</a></p>
<p><a id="other" href="${share}">Not a button</a></p>
<script async src="${provider.shareScriptURL}"></script></html>`;
}

const STYLESHEET = `:root { color-scheme: light dark; } ${readFileSync('lib/html/browser/styles.css', 'utf8')}`;

/** A page with the share button of passport-clinician. @param script the path of the service's script, or '' */
function packagePage(script: string | null): string {
  const scriptURL = script === null ? undefined : new URL(script, provider.shareScriptURL).href;
  const button = shareButton({ label: ENGLISH.share, ...SHARED }, { apiURL: provider.apiURL, scriptURL });
  return `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,"><style>${STYLESHEET}</style><script src="/client.js" defer></script><main><h1>A site</h1><p>${button}</p></main></html>`;
}

beforeAll(async () => {
  provider = await startMockProvider({ apiPort: 0 });
  const hash = `sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}`;
  const { origin } = new URL(provider.shareScriptURL);
  const policy = `default-src 'none'; img-src data:; style-src '${hash}'; script-src 'self' ${origin}`;
  server = await listen(() => (req, res) => {
    res.setHeader('content-type', 'text/html').setHeader('content-security-policy', policy);
    const url = new URL(req.url ?? '/', 'http://site.example');
    if (url.pathname === '/client.js') res.end(clientScript);
    else res.end(url.pathname === '/' ? page() : packagePage(url.searchParams.get('script')));
  });
  site = `${server.origin}/`;
});
afterEach(() => provider.reset());
afterAll(async () => {
  server.stop();
  await provider.stop();
});

/** @returns width and height in points: a point is 4/3 of a pixel */
async function sizeOf(button: Locator): Promise<number[]> {
  const { width, height } = (await button.boundingBox()) ?? { width: 0, height: 0 };
  return [width, height].map((pixels) => Math.round(pixels * 7.5) / 10);
}

/** @returns the lines of the label */
function linesOf(button: Locator): Promise<number> {
  return button.evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element.querySelector('span') ?? element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
}

async function expectDraft(at: Page, draft: typeof SHARED): Promise<void> {
  await at.getByRole('heading', { name: 'New message' }).waitFor();
  expect(await at.getByLabel('Subject').inputValue()).toBe(draft.subject);
  expect(await at.getByLabel('Message').inputValue()).toBe(draft.message);
  expect(await at.getByRole('link', { name: draft.url }).getAttribute('href')).toBe(draft.url);
}

test('the link becomes a button of 140 by 30 points, under a strict policy', () =>
  visit(async ({ page: tab }) => {
    await tab.goto(site);
    await tab.locator('#all span').waitFor();
    for (const id of ['all', 'bare', 'query', 'repeated', 'long']) {
      expect(await sizeOf(tab.locator(`#${id}`))).toEqual([140, 30]);
      expect(await tab.locator(`#${id}`).getAttribute('rel')).toBe('noopener');
    }
    const outside = `[...document.querySelectorAll('a > span')].filter((part) => {
      const [inner, outer] = [part.getBoundingClientRect(), part.parentElement.getBoundingClientRect()];
      return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom;
    }).length`;
    expect(await tab.evaluate(outside)).toBe(0);
    expect(await tab.getByRole('link', { name: 'Share this guideline' }).count()).toBe(1);
    expect(await tab.locator('#bare').textContent()).toBe('Share');
    expect(await tab.locator('#other span').count()).toBe(0);
    expect(await tab.locator('#query').getAttribute('href')).toMatch(/new_message\?subject=Hello&message=There$/);
    expect(await tab.locator('#bare').getAttribute('href')).toMatch(/new_message$/);
    expect(await tab.locator('#repeated').getAttribute('href')).toMatch(/new_message\?x=1&subject=New$/);
  }));

test('a click opens a new message with the shared values, which arrives in the inbox when sent', () =>
  visit(async ({ page: tab }) => {
    await tab.goto(site);
    await tab.locator('#all span').waitFor();
    const [opened] = await Promise.all([tab.waitForEvent('popup'), tab.click('#all')]);
    await logInAs(opened, 'verified');
    await expectDraft(opened, SHARED);
    expect(await opened.evaluate('opener')).toBeNull();
    await opened.getByLabel('To').fill('connected');
    await opened.getByRole('button', { name: 'Send' }).click();
    await opened.getByText('Your message was sent.').waitFor();
    await opened.getByRole('heading', { name: SHARED.subject }).waitFor();
    expect(provider.inbox.messages()).toEqual([
      expect.objectContaining({ from: 'verified', to: 'connected', ...SHARED }),
    ]);
  }));

test.each([
  ['with the script of the service', '/button?script=', true],
  ['with a script that does not load', '/button?script=/missing.js', true],
  ['without that script, in a browser without scripts', '/button?script=', false],
])("this package's button %s has 140 by 30 points, one line, and opens each value once", (_, path, javaScriptEnabled) =>
  visit(
    async ({ page: tab, expectStatus }) => {
      expectStatus('404 /missing.js');
      await tab.goto(new URL(path, site).href);
      if (javaScriptEnabled && !path.includes('missing')) await tab.locator('a span').waitFor();
      const button = tab.getByRole('link', { name: 'Share with a colleague' });
      expect(await button.count()).toBe(1);
      expect(await sizeOf(button)).toEqual([140, 30]);
      expect(await linesOf(button)).toBe(1);
      const [opened] = await Promise.all([tab.waitForEvent('popup'), button.click()]);
      const { searchParams } = new URL((await button.getAttribute('href')) ?? '');
      expect([...searchParams]).toEqual(Object.entries(SHARED));
      await logInAs(opened, 'verified');
      await expectDraft(opened, SHARED);
    },
    { javaScriptEnabled },
  ),
);
