import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provider } from '../helpers/provider.js';
import { authorizeURL } from '../mock-provider/wire.js';
import { listen, visit } from './harness.js';
import { approving, userOf } from './pages.js';

/** Two sites that respond to every address with an empty page. */
let sites: Awaited<ReturnType<typeof listen>>[];
const PAGE = '<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,"></html>';

beforeAll(async () => {
  const site = () => listen(() => (_req, res) => void res.setHeader('content-type', 'text/html').end(PAGE));
  sites = [await site(), await site()];
});
afterAll(() => {
  for (const { stop } of sites) stop();
});

const originOf = (index: number) => sites[index]?.origin as string;

/** Signs in for a client on this origin, and opens its page. @returns the message that it posts to the frame: client_id and session_state */
async function signIn(page: Page, origin: string, username = 'verified'): Promise<string> {
  const client = provider.clients.openid;
  const request = authorizeURL(provider, client, { redirect_uri: `${origin}/callback`, scope: 'openid' });
  const callback = await userOf(page).authorize(request, approving(username));
  await page.goto(callback.href);
  return `${client.clientID} ${callback.searchParams.get('session_state')}`;
}

/** Adds the provider's frame to the page if it has none, and posts a message to it. @returns the response */
function sendMessage(page: Page, message: unknown): Promise<unknown> {
  return page.evaluate(
    `(async ([provider, message]) => {
      let frame = document.querySelector('iframe');
      if (!frame) {
        frame = Object.assign(document.createElement('iframe'), { hidden: true, src: provider + '/oauth/session_state' });
        await new Promise((loaded) => { frame.onload = loaded; document.body.append(frame); });
      }
      return new Promise((done) => {
        addEventListener('message', ({ data, origin, source }) => {
          done(origin === provider && source === frame.contentWindow ? data : 'a response of another window');
        }, { once: true });
        frame.contentWindow.postMessage(message, provider);
      });
    })(${JSON.stringify([provider.issuer, message])})`,
  );
}

async function signOut(page: Page): Promise<void> {
  await page.goto(`${provider.issuer}/oauth/sign-out`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
}

test('responds unchanged on the origin of the redirect URI, and changed after another user signed in in another tab', () =>
  visit(async ({ page, newTab }) => {
    const message = await signIn(page, originOf(0));
    expect(await sendMessage(page, message)).toBe('unchanged');
    expect(await sendMessage(page, message)).toBe('unchanged');
    const tab = await newTab();
    await signOut(tab);
    expect(await sendMessage(page, message)).toBe('changed');
    const newer = await signIn(tab, originOf(0), 'connected');
    expect(await sendMessage(page, message)).toBe('changed');
    expect(await sendMessage(page, newer)).toBe('unchanged');
  }));

test('responds changed on another origin and for another client', () =>
  visit(async ({ page }) => {
    const message = await signIn(page, originOf(0));
    const [, state] = message.split(' ');
    expect(await sendMessage(page, `${provider.clients.profile.clientID} ${state}`)).toBe('changed');
    expect(await sendMessage(page, `unknown ${state}`)).toBe('changed');
    expect(await sendMessage(page, message.replace(/\..*/, '.othersalt'))).toBe('changed');
    await page.goto(originOf(1));
    expect(await sendMessage(page, message)).toBe('changed');
    expect(await sendMessage(page, message)).toBe('changed');
  }));

test('responds error to a malformed message, and then to a valid one', () =>
  visit(async ({ page }) => {
    const message = await signIn(page, originOf(0));
    const [client, state] = message.split(' ') as [string, string];
    const [hash] = state.split('.');
    const malformed = [
      ...[null, 42, { client, state }, [message], '', ' ', client, state, `${client} `, ` ${state}`],
      ...[`${client}  ${state}`, `${message} `, `${client} ${hash}`, `${client} ${hash}.`, `${client} .${hash}`],
      ...[`${client} ${state}.more`, `${'x'.repeat(100_000)} ${state}`],
    ];
    for (const wrong of malformed) expect([wrong, await sendMessage(page, wrong)]).toEqual([wrong, 'error']);
    expect(await sendMessage(page, message)).toBe('unchanged');
  }));

test('without the browser state cookie, responds changed, or error where the browser blocks cookies in frames', () =>
  visit(async ({ page }) => {
    const message = await signIn(page, originOf(0));
    await page.context().clearCookies();
    expect(await sendMessage(page, message)).toBe('changed');
    await page.addInitScript('document.hasStorageAccess = async () => false');
    await page.reload();
    expect(await sendMessage(page, message)).toBe('error');
  }));

test('responds only to the window that sent the message, and not to a frame without an origin', () =>
  visit(async ({ page }) => {
    const message = await signIn(page, originOf(0));
    expect(await sendMessage(page, message)).toBe('unchanged');
    const sandboxed = `<script>
      onmessage = () => parent.postMessage('response', '*');
      parent.frames[0].postMessage(${JSON.stringify(message)}, '*');
      parent.postMessage('sent', '*');
    </script>`;
    await page.evaluate(
      `(async (srcdoc) => {
        window.received = [];
        const sent = new Promise((done) => addEventListener('message', ({ data }) => received.push(data) && data === 'sent' && done()));
        document.body.append(Object.assign(document.createElement('iframe'), { sandbox: 'allow-scripts', srcdoc }));
        await sent;
      })(${JSON.stringify(sandboxed)})`,
    );
    expect(await sendMessage(page, message)).toBe('unchanged');
    expect(await page.evaluate('received')).toEqual(['sent', 'unchanged']);
  }));

test('responds error without crypto.subtle, as in an insecure context', () =>
  visit(async ({ page }) => {
    const message = await signIn(page, originOf(0));
    await page.addInitScript(`Object.defineProperty(crypto, 'subtle', { value: undefined })`);
    await page.reload();
    expect(await sendMessage(page, message)).toBe('error');
  }));
