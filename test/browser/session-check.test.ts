import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launch, startWorld, visit, type World } from './harness.js';
import { approve, logInAs, signInAs } from './pages.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
}, 60_000);
afterAll(() => browser.close());

async function inWorld(
  settings: Parameters<typeof startWorld>[0],
  journey: (world: World) => Promise<void>,
): Promise<void> {
  const world = await startWorld(settings);
  try {
    await journey(world);
  } finally {
    await world.stop();
  }
}

/** What a service says whose cookies the browser keeps from frames, and that does not notice it. */
const ALWAYS_CHANGED = `<script>addEventListener('message', (e) => e.source.postMessage('changed', e.origin))</script>`;

/** The answer to the look at the service, past the going-on page of a strict session. Its text may be gone with the frame. */
const lookedInto = (page: Page) =>
  page.waitForResponse((answer) => {
    const { pathname, searchParams } = new URL(answer.url());
    return pathname === '/auth/callback' && searchParams.get('error') === 'login_required' && answer.status() === 200;
  });
interface Me {
  user?: { id: string };
}

const whoIs = (page: Page) =>
  page.evaluate(`fetch('/api/me').then((answer) => answer.json()).then(({ user }) => user?.id)`);
const asksWithoutQuestion = ({ provider }: World) =>
  provider.requests.filter(({ path, query }) => path === '/oauth/authorize' && query.prompt === 'none').length;

test.each(['lax', 'strict'] as const)(
  'attack 230: where third-party cookies are blocked, a change is looked into once and ends no session (%s)',
  (sameSite) =>
    // Two sites: what the provider set as SameSite=Lax does not travel into the frame.
    inWorld({ sameSite, providerHost: 'localhost' }, (world) =>
      visit(browser, async ({ page }) => {
        await page
          .context()
          .route('**/oauth/session_state*', (route) =>
            route.fulfill({ contentType: 'text/html', body: ALWAYS_CHANGED }),
          );
        await page.clock.install();
        await page.goto(`${world.site}/account`);
        const found = lookedInto(page);
        await logInAs(page, 'verified');
        await approve(page);
        await page.waitForURL(`${world.site}/account`);
        await found;
        expect(asksWithoutQuestion(world)).toBe(1);
        expect(await whoIs(page)).toBeDefined();
        await page.clock.fastForward(120_000);
        expect(asksWithoutQuestion(world)).toBe(1);
        expect(page.url()).toBe(`${world.site}/account`);
        expect(await whoIs(page)).toBeDefined();
      }),
    ),
  20_000,
);

test(
  'attack 230: somebody else at the service ends the login here, and is whom the page is shown to next',
  () =>
    inWorld({}, async (world) => {
      const { issuer, clients } = world.provider;
      let other: unknown;
      await visit(browser, async ({ page }) => {
        await page.goto(world.site);
        await signInAs(page, 'connected');
        other = await whoIs(page);
      });
      await visit(browser, async ({ page, newTab }) => {
        await page.clock.install();
        await page.goto(world.site);
        await signInAs(page, 'verified');
        const first = await whoIs(page);
        expect(first).not.toBe(other);
        await page.goto(`${world.site}/account`);
        while (!(await page.evaluate(`localStorage.getItem('clinician-session-check')`)))
          await page.evaluate('Promise.resolve()');

        // Somebody else uses another site, in the same browser.
        const elsewhere = 'http://127.0.0.1:1/elsewhere';
        const tab = await newTab();
        await tab.route(`${elsewhere}*`, (route) =>
          route.fulfill({ contentType: 'text/html', body: '<h1>There</h1>' }),
        );
        const asked = { response_type: 'code', client_id: clients.profile.clientID, redirect_uri: elsewhere };
        const query = new URLSearchParams({ ...asked, scope: 'basic', prompt: 'login' });
        await tab.goto(`${issuer}/oauth/authorize?${query}`);
        await logInAs(tab, 'connected');
        await approve(tab);
        await page.clock.fastForward(45_000);
        // Past the page: in between nobody is signed in, and the browser would complain of the 401.
        const { request } = page.context();
        let me: Me;
        do me = (await (await request.get(`${world.site}/api/me`)).json()) as Me;
        while (me.user?.id !== other);
      });
    }),
  30_000,
);
