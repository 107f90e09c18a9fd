import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provider } from '../helpers/provider.js';
import { newProfile, type Servers, startServers, visit } from './harness.js';
import { type OwnSite, startOwnSite } from './own-site.js';
import { logInAs, signInByRequests } from './pages.js';

/** Each attribute that a script of this package knows, or knew. */
const FORM = '<form data-clinician-submit method="post" action="/auth/forget"><input name="closest"></form>';
const FRAME = `<div data-clinician-session-check data-client-id="c" data-session-state="s" data-frame="http://evil.example/frame"></div>`;
const POPUP = '<div data-clinician-popup="signed-in" data-return-to="/target"></div>';
const SESSION = '<iframe class="clinician-session-check" src="/target"></iframe>';
const OTHERS = `<time data-clinician-time datetime="2020-01-01T00:00:00Z">then</time><p data-clinician-back hidden>back</p>`;
const ATTRIBUTES = OTHERS + POPUP + FRAME + SESSION + FORM;

/** Names that replace members of the document. */
const NAMES = ['currentScript', 'querySelector', 'querySelectorAll', 'dispatchEvent', 'addEventListener', 'readyState']
  .map((name) => `<form name="${name}" data-clinician-submit method="post" action="/auth/forget"></form>`)
  .join('');

/** Every file of this package's routes, loaded once more in the page. */
const SCRIPTS = ['clinician.js', 'pages.js', 'clinician.css', 'session-check', 'logged-out', 'logout', 'end-session']
  .map((name) => `<script src="/auth/${name}"></script>`)
  .join('');

describe('a site that shows HTML of a user', () => {
  let site: OwnSite;
  let page: Page;
  let markup = '';
  beforeAll(async () => {
    site = await startOwnSite(provider, (app, clinician) => {
      const script = `<script src="${clinician.clientScriptURL}" defer></script>`;
      app.get('/post', (_req, res) => void res.send(`<!doctype html><title>Post</title>${script}${markup}`));
      app.get('/framed', (_req, res) => void res.send(clinician.sessionCheckFrame()));
      app.get('/target', (_req, res) => void res.send('<!doctype html><title>Target</title>'));
    });
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    page = await (await newProfile()).newPage();
    await page.route('http://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body: 'evil' }));
  });
  afterEach(() => page.context().close());

  test.each([
    ['every attribute of the package, and names of members of the document', NAMES + ATTRIBUTES, ''],
    ['a base address', `<base href="/elsewhere/">${ATTRIBUTES}`, ''],
    ['every file of the package as a script', ATTRIBUTES + SCRIPTS, ''],
    ['attributes that are inserted later', '', NAMES + ATTRIBUTES],
  ])('with %s: nothing is submitted, requested, framed or opened', async (_, html, later) => {
    markup = html;
    await signInByRequests(page, site.origin, 'verified');
    const requested: string[] = [];
    const navigated: string[] = [];
    page.on('framenavigated', (frame) => frame === page.mainFrame() && navigated.push(frame.url()));
    page.on('request', (request) => requested.push(`${request.method()} ${request.url()}`));
    await page.goto(`${site.origin}/post`);
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(later)})`);
    for (const message of ['signed-out /target', 'signed-out ', 'signed-in /target', 'session-changed /target'])
      await page.evaluate(`new BroadcastChannel('clinician').postMessage('${message}')`);
    // The form has a field with the name of a method of elements.
    await page.locator('form:has(input)').click({ force: true });
    expect(await page.evaluate(`fetch('/').then((response) => response.text())`)).toBe('in');
    const loaded = ['/target', ...SCRIPTS.matchAll(/\/auth\/[\w.-]+/g)].map((file) => `GET ${file}`);
    const own = requested.map((line) => line.replace(site.origin, ''));
    const expected = ['GET /post', 'GET /', ...loaded];
    expect(own.filter((line) => !expected.includes(line))).toEqual([]);
    expect([navigated, page.context().pages().length]).toEqual([[`${site.origin}/post`], 1]);
    expect(await page.getByText('then').count()).toBe(1);
  });

  test.each([
    ['to another path', '/target?returnTo=//evil.example', '/target?returnTo=%2F%2Fevil.example&display=popup'],
    ['to another site', 'http://evil.example/', undefined],
    ['that is a script', "javascript:fetch('/auth/forget',{method:'POST'})", undefined],
  ])('a popup link %s leads only there, without an opener', async (_, href, opened) => {
    markup = `<base target="_self"><p><a data-clinician-display="popup" href="${href}">go</a></p>`;
    const before = site.requests.length;
    await page.goto(`${site.origin}/post`);
    const popup = opened && page.waitForEvent('popup');
    await page.getByText('go').click();
    const leading = popup ? await popup : page;
    if (opened) await leading.waitForURL(site.origin + opened);
    expect(await leading.evaluate('opener')).toBe(null);
    expect(page.context().pages()).toHaveLength(opened ? 2 : 1);
    expect(site.requests.slice(before).filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  test.each([
    ['the page of the session check', '/auth/session-check', '[opened.length, opened.closed]'],
    ['a page of the site with its frame', '/framed', '[opened.length, opened.frames[0].length]'],
  ])('%s looks the same to another site that opens it, signed in and signed out', async (_, path, visible) => {
    /** Opens it in a window from another site. @returns what that site can see, and the HTML of the page */
    async function openFromOtherSite(): Promise<unknown[]> {
      await page.goto('http://evil.example/');
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page.evaluate(`void (window.opened = open('${site.origin}${path}'))`),
      ]);
      await popup.waitForLoadState('load');
      const seen = await page.evaluate(visible);
      const inside = [
        popup.url(),
        await popup.evaluate('history.length'),
        popup.frames().length,
        await popup.content(),
      ];
      await popup.close();
      return [seen, ...inside];
    }
    const signedOut = await openFromOtherSite();
    await signInByRequests(page, site.origin, 'verified');
    expect(await openFromOtherSite()).toEqual(signedOut);
  });
});

describe('the reference site', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers.stop());

  test("a sign-in in a popup works with helmet's Cross-Origin-Opener-Policy", () =>
    visit(async ({ page }) => {
      const response = await page.goto(servers.site);
      expect(await response?.headerValue('cross-origin-opener-policy')).toBe('same-origin');
      const opening = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Sign in and stay here' }).click();
      const popup = await opening;
      await popup.waitForURL(`${servers.provider.issuer}/**`);
      expect(await popup.evaluate('window.opener')).toBeNull();
      const closing = popup.waitForEvent('close');
      await logInAs(popup, 'verified');
      await popup.getByRole('button', { name: /approve/i }).click();
      await closing;
      await page.getByText('You are signed in').waitFor();
    }));

  test('the Content-Security-Policy blocks an injected script', async () => {
    const context = await newProfile();
    const page = await context.newPage();
    const reported = page.waitForEvent('console');
    await page.goto(servers.site);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))`,
    );
    expect((await reported).text()).toContain('Content Security Policy');
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await context.close();
  });
});
