import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { authorizeURL } from '../mock-provider/wire.js';
import { type Servers, type Visit, visit, withServers } from './harness.js';
import { approve, approving, expectHeading, logInAs, signInAs, signInByRequests, userOf } from './pages.js';

/** The frame of a service whose cookies the browser blocks in frames, and that does not detect this. */
const ALWAYS_CHANGED = `<script>addEventListener('message', (e) => e.source.postMessage('changed', e.origin))</script>`;
const OTHER_SITE = 'http://127.0.0.1:1/callback';

const stateOf = (page: Page) =>
  page
    .frames()
    .find((frame) => frame.url().endsWith('/auth/session-check'))
    ?.locator('[data-session-state]')
    .getAttribute('data-session-state');
const silentRequests = ({ provider }: Servers) =>
  provider.requests.filter(({ path, query }) => path === '/oauth/authorize' && query.prompt === 'none').length;
const userID = (page: Page) =>
  page.evaluate(`fetch('/api/me').then((response) => response.json()).then(({ user }) => user?.id)`);

/** Waits for a condition. The content security policy of the site refuses page.waitForFunction(). */
async function until(page: Page, condition: string): Promise<void> {
  // A page that continues by itself ends the evaluation.
  while (!(await page.evaluate(condition).catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits until the session check has received `unchanged` for the session_state of the page. */
async function unchanged(page: Page): Promise<void> {
  await until(
    page,
    `document.querySelector('iframe.clinician-session-check')?.contentDocument?.querySelector('[data-session-state]')
      ?.dataset.sessionState === localStorage.getItem('clinician-session-check /auth/session-check')`,
  );
}

async function signInOnPages(page: Page, site: string, username: string): Promise<void> {
  await page.goto(site);
  await signInAs(page, username);
  await page.waitForURL(`${site}/`);
}

/** Signs in and opens the account page. A test can move the clock of the page forward. */
async function openAccount({ page }: Visit, { site }: Servers, signIn = signInByRequests): Promise<void> {
  await page.clock.install();
  await page.context().addInitScript(`window.received = [];
    for (const type of ['clinician:session-changed', 'clinician:signed-out'])
      document.addEventListener(type, () => window.received.push(type));`);
  await signIn(page, site, 'verified');
  await page.goto(`${site}/account`);
  await unchanged(page);
}

/** Lets the page detect the change, and waits for the event. */
async function detectChange(page: Page): Promise<void> {
  const reported = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.clock.fastForward(45_000);
  expect(new URL((await reported).url()).pathname).toBe('/auth/session-check');
  await until(page, `received.includes('clinician:session-changed')`);
}

/** Signs in at the provider for another site, in the same browser. */
async function signInElsewhere(page: Page, { provider }: Servers, username: string): Promise<void> {
  const url = authorizeURL(provider, provider.clients.profile, {
    redirect_uri: OTHER_SITE,
    scope: 'basic',
    prompt: 'login',
  });
  const callback = await userOf(page).authorize(url, approving(username));
  expect(callback.searchParams.has('code')).toBe(true);
}

/** Removes the session at the service, as after a sign-out in another tab. */
async function signOutElsewhere(page: Page): Promise<void> {
  for (const { name } of await page.context().cookies()) {
    if (name.startsWith('clinician_mock_')) await page.context().clearCookies({ name });
  }
}

/** Fails for an authorization request in a frame. */
function refuseFramedRequests(page: Page): () => void {
  const framed: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/oauth/authorize') && request.frame() !== page.mainFrame()) framed.push(request.url());
  });
  return () => expect(framed).toEqual([]);
}

const check = (
  run: (visit: Visit, servers: Servers) => Promise<void>,
  settings: Parameters<typeof withServers>[0] = {},
) =>
  withServers(settings, (servers) =>
    visit(async (opened) => {
      const expectNoFramedRequest = refuseFramedRequests(opened.page);
      await run(opened, servers);
      expectNoFramedRequest();
    }),
  );

test.each(['lax', 'strict'] as const)(
  'after a sign-out at the service, the next navigation signs out here, with a session that is SameSite=%s',
  (sameSite) =>
    check(
      async (opened, servers) => {
        const { page } = opened;
        // With SameSite=Strict, a page of the site continues the sign-in.
        await openAccount(opened, servers, sameSite === 'strict' ? signInOnPages : signInByRequests);
        await signOutElsewhere(page);
        await detectChange(page);
        // The page stays until the user navigates.
        expect([page.url(), silentRequests(servers)]).toEqual([`${servers.site}/account`, 0]);
        await page.getByRole('link', { name: 'Notes' }).click();
        await page.getByLabel('User name').waitFor();
        expect(silentRequests(servers)).toBe(1);
        await page.goto(servers.site);
        await expectHeading(page, 'Notes from the ward, for clinicians only');
      },
      { sameSite },
    ),
);

test('a new session of the same user keeps the login, and the check continues with its session_state', () =>
  check(async (opened, servers) => {
    const { page } = opened;
    await openAccount(opened, servers);
    const [user, state] = [await userID(page), await stateOf(page)];
    await signOutElsewhere(page);
    await signInElsewhere(page, servers, 'verified');
    await detectChange(page);
    await page.getByRole('link', { name: 'Notes' }).click();
    await page.waitForURL(`${servers.site}/notes`);
    await unchanged(page);
    expect(await userID(page)).toBe(user);
    expect(await stateOf(page)).not.toBe(state);
    await page.clock.fastForward(120_000);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.waitForURL(`${servers.site}/account`);
    expect(silentRequests(servers)).toBe(1);
    // The next change is detected too.
    await unchanged(page);
    await signOutElsewhere(page);
    await detectChange(page);
  }));

test('other open pages are loaded again when the login has ended', () =>
  check(async (opened, servers) => {
    const { page, newTab } = opened;
    await openAccount(opened, servers);
    const other = await newTab();
    await other.goto(servers.site);
    await unchanged(other);
    await expectHeading(other, 'Welcome, Vera Castellanos, MD');
    await signOutElsewhere(page);
    await detectChange(page);
    await until(other, `received.includes('clinician:session-changed')`);
    await page.getByRole('link', { name: 'Notes' }).click();
    await page.getByLabel('User name').waitFor();
    await other.clock.fastForward(45_000);
    await expectHeading(other, 'Notes from the ward, for clinicians only');
  }));

test('with third-party cookies blocked, the login is checked once, and the user remains signed in', () =>
  // On two sites the browser does not send the provider's SameSite=Lax cookies in the frame.
  check(
    async ({ page }, servers) => {
      await page
        .context()
        .route('**/oauth/session_state*', (route) => route.fulfill({ contentType: 'text/html', body: ALWAYS_CHANGED }));
      // Each page reports once, as soon as it is loaded.
      const reported = () =>
        page.waitForResponse(
          (response) => response.request().method() === 'POST' && response.url().includes('/auth/session-check'),
        );
      await page.goto(`${servers.site}/account`);
      await logInAs(page, 'verified');
      const open = async (path: string, navigate: () => Promise<void>) => {
        await Promise.all([reported(), page.waitForURL(`${servers.site}${path}`), navigate()]);
      };
      await open('/account', () => approve(page));
      for (const name of ['Notes', 'Account', 'Notes']) {
        await open(`/${name.toLowerCase()}`, () => page.getByRole('link', { name }).click());
      }
      expect(silentRequests(servers)).toBe(1);
      expect(await userID(page)).toBeDefined();
    },
    { providerHost: 'localhost' },
  ));
