import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { defaultClients } from '../../lib/mock-provider/options/default-clients.js';
import { takePrinted } from '../helpers/printed.js';
import { provider } from '../helpers/provider.js';
import { authorizeURL, codeOf, redeem, registerStrict, tokensOf } from '../mock-provider/wire.js';
import { visit, withServers } from './harness.js';
import { approving, tabTo, userOf } from './pages.js';

async function open(page: Page, issuer = provider.issuer, fragment = ''): Promise<void> {
  await page.goto(`${issuer}/${fragment}`);
  await page.getByText('Live', { exact: true }).waitFor();
}

const login = (page: Page, number: number): Locator => page.getByRole('article', { name: `Login ${number}` });
const titleOf = (page: Page, number: number, title: string) =>
  login(page, number).locator('.title .badge').filter({ hasText: title }).waitFor();

const OPEN_ALL = `for (const one of document.querySelectorAll('details')) one.open = true`;

/** Waits until an element shows a text. */
const expectText = (element: Locator, text: string | RegExp) => element.filter({ hasText: text }).first().waitFor();

test('shows why a login failed: what was sent, the reason, the fix and the rule', () =>
  visit(async ({ page, newTab, expectStatus }) => {
    expectStatus('400 /oauth/authorize');
    const { openid } = provider.clients;
    const client = registerStrict(provider, 'openid', { clientID: 'strict-site' });
    await open(page);
    await expectText(page.locator('.empty'), `its issuer must be ${provider.issuer}.`);
    const other = await newTab();
    await other.goto(authorizeURL(provider, client, { redirect_uri: 'http://127.0.0.1:5001/callbak' }));
    await titleOf(page, 1, 'Refused');
    await expectText(login(page, 1).locator('.status'), 'redirect_uri');
    await expectText(login(page, 1).locator('.rule'), 'redirect-uri-exact-match');
    await login(page, 1)
      .getByText(/parameters$/)
      .click();
    await expectText(login(page, 1).locator('.values dd'), 'http://127.0.0.1:5001/callbak');

    await redeem(provider, openid, await codeOf(provider, openid), { code_verifier: undefined });
    await titleOf(page, 2, 'Refused');
    await expectText(login(page, 2).locator('.status .reason'), 'code_verifier');
    await expectText(login(page, 2).locator('.fix'), 'Fix: ');
    await expectText(login(page, 2).locator('.rule'), 'RFC 7636 section 4.6');
    const steps = await login(page, 2).locator('.purpose').allTextContents();
    expect(steps).toEqual(['Requests a login', 'Submits the password', 'Continues', 'Approves', 'Redeems the code']);
    const bad = login(page, 2).locator('.exchange.bad');
    expect([await bad.count(), await bad.locator('.response').textContent()]).toEqual([1, 'Response: 400refused']);
    await expectText(page.locator('#announcement'), 'Login 2: Refused');
  }));

test('the values of an exchange are claims and JSON bodies, and a token or a code only after its button', () =>
  visit(async ({ page }) => {
    const code = await codeOf(provider, provider.clients.openid);
    const tokens = (await redeem(provider, provider.clients.openid, code)).json;
    const { number } = provider.requests.at(-1) as { number: number };
    await open(page, provider.issuer, `#request-${number}`);
    const claims = page.getByLabel(`ID Token claims of request ${number}`);
    await expectText(claims, `"sub": "${provider.clinicians.get('verified').sub}"`);
    await expectText(page.getByLabel(`Response of request ${number}`), '"access_token": "[masked]"');
    const secrets = [code, tokens.access_token, tokens.refresh_token, tokens.id_token];
    const shown = async () => {
      const text = await page.content();
      return secrets.filter((secret) => text.includes(secret));
    };
    expect(await shown()).toEqual([]);
    await page.getByRole('button', { name: `Show access_token in the body of request ${number}` }).click();
    const hide = page.getByRole('button', { name: `Hide access_token in the body of request ${number}` });
    await hide.waitFor();
    expect(await shown()).toEqual([tokens.access_token]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Hide');
    await hide.click();
    await page.getByRole('button', { name: `Show access_token in the body of request ${number}` }).waitFor();
    expect(await shown()).toEqual([]);
    await page.getByRole('button', { name: `Show code in the form of request ${number}` }).click();
    await expectText(page.locator('.selected dd code'), code);
  }));

test('a selected next response is queued, can be corrected, and is applied to the next login', () =>
  withServers({ signInBy: 'drop-in' }, (servers) =>
    visit(async ({ page }) => {
      const { faults } = servers.provider;
      await open(page, servers.provider.issuer);
      const next = page.getByLabel('Next response');
      const select = async (option: string, method: string) => {
        const called = page.waitForResponse(
          (response) => response.url().endsWith('/operations/faults') && response.request().method() === method,
        );
        await next.selectOption(option);
        await called;
        return faults.queued.map(({ name }) => name);
      };
      expect(await select('wrongNonce', 'POST')).toEqual(['wrongNonce']);
      expect(await select('correct', 'DELETE')).toEqual([]);
      expect(await select('badSignature', 'POST')).toEqual(['badSignature']);
      await userOf(page).visit(`${servers.site}/auth/login`, approving('verified'));
      await titleOf(page, 1, 'Completed with a fault');
      await expectText(login(page, 1).locator('.status'), 'The fault badSignature was applied to POST /oauth/token.');
      await page.waitForFunction("document.querySelector('#fault').value === ''");
      expect(takePrinted()).toEqual([expect.stringMatching(/^error: .* A sign-in failed\. The ID Token was rejected/)]);
      await page.goto('about:blank');
    }),
  ));

test('advancing the clock with the keyboard keeps the focus and expires a code, Freeze stops it, and Reset deletes the records', () =>
  visit(async ({ page }) => {
    const { profile } = provider.clients;
    const code = await codeOf(provider, profile);
    await open(page);
    expect(await page.getByRole('button', { name: 'Back to now' }).count()).toBe(0);
    await tabTo(page, /^\+1 hour/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Back to now' }).waitFor();
    await expectText(page.locator('.clock-status'), '1 hour ahead');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('+1 hour');
    expect((await redeem(provider, profile, code)).json.error).toBe('invalid_grant');
    await page.getByRole('button', { name: 'Freeze' }).click();
    await expectText(page.locator('.clock-status'), 'frozen');
    expect(provider.clock.isFrozen).toBe(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Freeze' }).waitFor();
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.locator('.empty').waitFor();
    await expectText(page.locator('.clock-status'), 'same as this machine');
    expect(provider.requests).toHaveLength(0);
  }));

test('hostile values of users and sites are shown as text', () =>
  visit(async ({ page }) => {
    const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    provider.clinicians.add({ username: evil, fullName: evil });
    await tokensOf(provider, provider.clients.openid, { as: evil, scope: 'openid basic email' });
    await tokensOf(provider, provider.clients.openid, { as: 'hostile', state: evil });
    await provider.fetch(
      `${provider.issuer}/oauth/authorize?client_id=${encodeURIComponent(evil)}&redirect_uri=javascript:alert(3)`,
    );
    for (const [fragment, number, text] of [
      ['#login-1', 1, evil],
      ['', 3, 'at [masked]'],
      [`#${encodeURIComponent(evil)}`, 3, 'at [masked]'],
    ] as const) {
      await open(page, provider.issuer, fragment);
      await expectText(login(page, number), text);
      await page.evaluate(OPEN_ALL);
      expect(await page.locator('img, svg[onload], script:not([src]), iframe').count()).toBe(0);
      expect(await page.locator('main [src], main [href]:not([href^="#"])').count()).toBe(0);
      await page.goto('about:blank'); // Another fragment alone loads no page.
    }
  }));

test('the page reports a provider that does not respond, and continues when it responds', () =>
  visit(async ({ page, expectStatus }) => {
    expectStatus('503 /_mock/inspector/state.json');
    await open(page);
    await page.route('**/state.json?*', (route) => route.fulfill({ status: 503 }));
    await expectText(page.locator('#live'), 'The provider does not respond');
    await page.unroute('**/state.json?*');
    await page.getByText('Live', { exact: true }).waitFor();
  }));

describe('the list of logins', () => {
  const row = (page: Page, text: string) => page.getByRole('link', { name: text });
  const onlyOpen = async (page: Page, number: number) => {
    await login(page, number).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    await page.locator(`.row[aria-current][href="#login-${number}"]`).waitFor();
  };
  const { openid } = defaultClients;

  test('opens each new login, until the user opens one', () =>
    visit(async ({ page }) => {
      await open(page);
      await tokensOf(provider, openid, { state: 'one' });
      await onlyOpen(page, 1);
      await tokensOf(provider, openid, { state: 'two', as: 'minimal' });
      await onlyOpen(page, 2);
      await row(page, '1 verified at').click();
      await onlyOpen(page, 1);
      expect(page.url()).toBe(`${provider.issuer}/#login-1`);
      await tokensOf(provider, openid, { state: 'three' });
      await row(page, '3 verified at').waitFor();
      await onlyOpen(page, 1);
      await page.goBack();
      await onlyOpen(page, 3);
      await page.goForward();
      await onlyOpen(page, 1);
      await row(page, 'Show each new login').click();
      await onlyOpen(page, 3);
    }));

  test('a link to a request opens it, and moves the focus to it', () =>
    visit(async ({ page }) => {
      await redeem(provider, openid, 'an unknown code');
      await tokensOf(provider, openid);
      const { number } = provider.requests.at(-1) as { number: number };
      await open(page, provider.issuer, `#request-${number}`);
      await page.locator('.exchange.selected', { hasText: 'Redeems the code' }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe(`request-${number}`);
      await page.goto(`${provider.issuer}/#request-1`);
      await page.locator('#other-requests .exchange.selected', { hasText: 'Redeems the code' }).waitFor();
      await expectText(page.locator('#other-requests .problem .reason'), /code/);
      await page.goto(`${provider.issuer}/#request-99`);
      await expectText(page.locator('#detail'), 'Nothing is recorded for #request-99');
    }));
});
