import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { provider } from '../helpers/provider.js';
import { launch, newProfile } from './harness.js';
import { type OwnSite, startOwnSite } from './own-site.js';
import { signInByRequests } from './pages.js';

let browser: Browser;
let site: OwnSite;
let page: Page;
/** HTML of a user that the site shows. */
let markup = '';

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  site = await startOwnSite(provider, (app, clinician) => {
    const script = `<script src="${clinician.clientScriptURL}" defer></script>`;
    app.get('/post', (_req, res) => void res.send(`<!doctype html><title>Post</title>${script}${markup}`));
    app.get('/later', (_req, res) => void res.send(`<!doctype html><title>Post</title>${script}`));
    app.get('/framed', (_req, res) => void res.send(clinician.sessionCheckFrame()));
    app.get('/target', (_req, res) => void res.send('<!doctype html><title>Target</title>'));
  });
  page = await (await newProfile(browser)).newPage();
  await page.route('http://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body: 'evil' }));
});
afterEach(async () => {
  await page.context().close();
  site.stop();
});

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

describe('HTML of a user on a page with the client script', () => {
  const cases: [string, string, string][] = [
    ['the form of a logout', '/post', FORM],
    ['the end of a popup', '/post', POPUP],
    ['the frame of the service', '/post', FRAME],
    ['the frame of the session check', '/post', SESSION],
    [
      'that frame without an address, and the form',
      '/post',
      `<iframe class="clinician-session-check"></iframe>${FORM}`,
    ],
    ['all attributes', '/post', ATTRIBUTES],
    ['all, with names of members of the document', '/post', NAMES + ATTRIBUTES],
    ['all, with a base address', '/post', `<base href="/elsewhere/">${ATTRIBUTES}`],
    ['all, with every file of the package as a script', '/post', ATTRIBUTES + SCRIPTS],
    ['all, inserted later', '/later', NAMES + ATTRIBUTES],
  ];

  test.each(cases)('%s: nothing is submitted, requested, framed or opened', async (_, path, html) => {
    markup = html;
    await signInByRequests(page, site.origin, 'verified');
    const requested: string[] = [];
    const navigated: string[] = [];
    page.on('framenavigated', (frame) => frame === page.mainFrame() && navigated.push(frame.url()));
    page.on('request', (request) => requested.push(`${request.method()} ${request.url()}`));
    await page.goto(site.origin + path);
    if (path === '/later') {
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(html)})`);
    }
    for (const message of ['signed-out /target', 'signed-out ', 'signed-in /target', 'session-changed /target'])
      await page.evaluate(`new BroadcastChannel('clinician').postMessage('${message}')`);
    // The form has a field with the name of a method of elements.
    if (html.includes(FORM)) await page.locator('form:has(input)').click({ force: true });
    expect(await page.evaluate(`fetch('/').then((response) => response.text())`)).toBe('in');
    const loaded = ['/target', ...SCRIPTS.matchAll(/\/auth\/[\w.-]+/g)].map((file) => `GET ${file}`);
    const own = requested.map((line) => line.replace(site.origin, ''));
    const expected = [`GET ${path}`, 'GET /', ...loaded];
    expect(own.filter((line) => !expected.includes(line))).toEqual([]);
    expect([navigated, page.context().pages().length]).toEqual([[site.origin + path], 1]);
    expect(await page.getByText('then').count()).toBe(html.includes(OTHERS) ? 1 : 0);
  });
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
    const inside = [popup.url(), await popup.evaluate('history.length'), popup.frames().length, await popup.content()];
    await popup.close();
    return [seen, ...inside];
  }
  const signedOut = await openFromOtherSite();
  await signInByRequests(page, site.origin, 'verified');
  expect(await openFromOtherSite()).toEqual(signedOut);
});
