import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type BrowserSite, startBrowserSite } from '../interop/sites/oidc-client-ts.js';
import { type Visit, visit } from './harness.js';
import { approve, expectHeading, logInAs } from './pages.js';

let provider: MockProvider;
let site: BrowserSite;

beforeAll(async () => {
  provider = await startMockProvider({ apiPort: 0 });
  site = await startBrowserSite(provider);
});
afterEach(() => provider.reset());
afterAll(async () => {
  site.stop();
  await provider.stop();
});

interface User {
  access_token: string;
  refresh_token: string;
  session_state: string;
  scope: string;
  profile: { sub: string; name?: string };
}

async function signIn(page: Page): Promise<User> {
  await page.goto(site.origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await logInAs(page, 'verified');
  await approve(page);
  await expectHeading(page, 'Signed in');
  return page.evaluate('manager.getUser()');
}

async function statusOf({ access_token }: User): Promise<number> {
  const headers = { authorization: `Bearer ${access_token}` };
  return (await fetch(`${provider.apiURL}/api/v1/users/current`, { headers })).status;
}

/** Signs in silently in a hidden frame. @returns the name of the error */
function signInSilently(page: Page): Promise<string> {
  return page.evaluate(`manager.signinSilent({ forceIframeAuth: true }).then(() => 'signed in', ({ name }) => name)`);
}

function expectRefusedFrames({ expectStatus, expectFrameRefusals }: Visit): void {
  expectStatus('400 /'); // the browser hides the address of the refused document
  expectFrameRefusals();
}

/** Waits for a sign-out. The library reports each message that was under way when the first response came: on a busy machine two. */
async function expectSignedOut(page: Page): Promise<void> {
  await page.waitForFunction(`events.includes('signed out')`);
  expect(new Set(await page.evaluate<string[]>('events'))).toEqual(new Set(['signed out']));
}

/** Waits for a number of responses of the provider's frame, from now on. */
async function expectReplies(page: Page, reply: string, times: number): Promise<void> {
  await page.evaluate('void replies.splice(0)');
  await page.waitForFunction(`replies.length >= ${times}`);
  expect(new Set(await page.evaluate<string[]>('replies'))).toEqual(new Set([reply]));
}

describe('oidc-client-ts in a browser, at the mock provider', () => {
  test('signs in with PKCE, reads userinfo, refreshes and revokes', () =>
    visit(async ({ page }) => {
      const user = await signIn(page);
      const { sub } = user.profile;
      expect(sub).toMatch(/^[0-9a-f-]{36}$/);
      expect(user).toMatchObject({ scope: 'openid basic', profile: { name: expect.any(String) } });
      expect(await statusOf(user)).toBe(200);

      const refreshed = await page.evaluate<User>('manager.signinSilent()');
      expect(refreshed.profile.sub).toBe(sub);
      expect([await statusOf(user), await statusOf(refreshed)]).toEqual([401, 200]);

      await page.evaluate('manager.revokeTokens()');
      expect(await statusOf(refreshed)).toBe(401);
    }));

  test('signs in silently in the window, not in a hidden frame, which is refused', () =>
    visit(async (refused) => {
      expectRefusedFrames(refused);
      const { page } = refused;
      await signIn(page);
      expect(await signInSilently(page)).toBe('ErrorTimeout');
      expect(provider.problems.map(({ rule }) => rule)).toEqual(['authorization-not-framed']);
      await page.evaluate(`void manager.signinRedirect({ prompt: 'none' })`);
      await page.waitForURL(`${site.origin}/`);
      await expectHeading(page, 'Signed in');
    }));

  test('signs out at the provider and returns with its state; no user is signed in there', () =>
    visit(async ({ page }) => {
      await signIn(page);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectHeading(page, 'Signed out with state: from the button');
      expect(new URL(page.url()).pathname).toBe('/bye');
      expect(await page.evaluate('manager.getUser()')).toBeNull();
      await page.evaluate(`void manager.signinRedirect({ prompt: 'none' })`);
      await expectHeading(page, 'ErrorResponse: No user is signed in');
    }));

  test('its session monitor reports no change, then a sign-out in another tab', () =>
    visit(async (refused) => {
      expectRefusedFrames(refused);
      const { page, newTab } = refused;
      await signIn(page);
      await expectReplies(page, 'unchanged', 3);
      expect(await page.evaluate('events')).toEqual([]);

      const tab = await newTab();
      await tab.goto(`${provider.issuer}/oauth/sign-out`);
      await tab.getByRole('button', { name: 'Sign out' }).click();
      await expectSignedOut(page);
    }));
});
