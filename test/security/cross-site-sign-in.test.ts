import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { LOGIN_PATHS, siteOf } from '../integration/login-paths.js';
import { navigation, refreshOf, sameOriginForm, siteFor } from '../integration/site.js';

type Agent = ReturnType<typeof supertest.agent>;
type Headers = Record<string, string>;

const from = (site: string): Headers => ({ ...navigation, 'Sec-Fetch-Site': site });
const crossSite = from('cross-site');
const sameOrigin = from('same-origin');
const oldBrowser = { Accept: 'text/html' };
const strict = { session: { cookie: { sameSite: 'strict' as const } } };
const link = '/auth/login?returnTo=%2Fme';
const QUESTION = '<h1>Sign in to this site?</h1>';

/** Starts a login with these headers, and signs in at the service. @returns the address of the response */
async function responseTo(agent: Agent, started: Headers, path = link, as = 'verified'): Promise<URL> {
  const { headers } = await agent.get(path).set(started).expect(302);
  return new URL(await provider.signIn(headers.location as string, { as }));
}
const callbackOf = ({ pathname, search }: URL) => pathname + search;

/** @returns the address of the button of the page that asks. */
function buttonOf(page: string): string {
  expect(page).toContain(QUESTION);
  expect(refreshOf(page)).toBe('');
  const [, address = ''] = /<a class="clinician-button[^>]* href="([^"]+)"><span>Continue</.exec(page) ?? [];
  return address.replaceAll('&amp;', '&');
}

async function expectSignedOut(agent: Agent): Promise<void> {
  await agent.get('/').expect(200, [false, null]);
}

describe.each(LOGIN_PATHS)('a login that another site has started, on a site that signs in by: %s', (path) => {
  const agentOf = (settings: Parameters<typeof siteOf>[2] = {}) =>
    supertest.agent(siteOf(provider, path, { onEvent: () => undefined, ...settings }).app);

  test.each([
    ['by a browser', crossSite, crossSite],
    ['by a sibling host', from('same-site'), crossSite],
    ['by an old browser', { ...oldBrowser, Referer: 'https://evil.example/' }, oldBrowser],
  ])('waits for a click with a SameSite=Strict session: %s', async (_name, started, returned) => {
    const agent = agentOf(strict);
    const callback = callbackOf(await responseTo(agent, started));
    const page = await agent.get(callback).set(returned).expect(200);
    await expectSignedOut(agent);
    // A link of another site cannot replace the click.
    const isOld = returned === oldBrowser;
    const button = buttonOf(page.text);
    if (!isOld) expect(buttonOf((await agent.get(button).set(crossSite).expect(200)).text)).toBe(button);
    await expectSignedOut(agent);
    const { headers } = await agent
      .get(button)
      .set(isOld ? oldBrowser : sameOrigin)
      .expect(302);
    expect(headers.location).toBe('/me');
    await agent.get('/me').expect(200);
  });

  test('waits for a click where the response arrives as a request of the user, as from an app', async () => {
    const agent = agentOf();
    const page = await agent.get(callbackOf(await responseTo(agent, crossSite))).set(from('none'));
    await agent.get(buttonOf(page.text)).set(sameOrigin).expect(302);
  });

  test.each(['cross-site', 'same-site'])('needs no page where the browser marks the callback as %s', async (site) => {
    const agent = agentOf();
    const callback = callbackOf(await responseTo(agent, crossSite));
    expect((await agent.get(callback).set(from(site)).expect(302)).headers.location).toBe('/me');
  });

  test('asks about the change of user after the click, and then continues without another one', async () => {
    const agent = agentOf(strict);
    await signIn(agent, provider, { as: 'verified' });
    // The browser omits the SameSite=Strict cookie: this request shows no user.
    const session = agent.jar.getCookie('connect.sid', {
      domain: '127.0.0.1',
      path: '/',
      secure: false,
      script: false,
    });
    agent.jar.setCookie('connect.sid=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/', '127.0.0.1', '/');
    const callback = callbackOf(await responseTo(agent, crossSite, link, 'connected'));
    const button = buttonOf((await agent.get(callback).set(crossSite)).text);
    agent.jar.setCookie(String(session), '127.0.0.1', '/');
    const asked = await agent.get(button).set(sameOrigin).redirects(1);
    expect(asked.text).toContain('<h1>Another user is signed in</h1>');
    const { headers } = await agent.post('/auth/login').type('form').set(sameOriginForm).expect(303);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'connected' }));
    const reloading = await agent.get(callbackOf(back)).set(crossSite).expect(200);
    await agent.get(refreshOf(reloading.text)).set(sameOrigin).expect(302);
    expect((await agent.get('/me').expect(200)).body.identity.id).toBe(provider.clinicians.get('connected').sub);
  });
});

test.each(LOGIN_PATHS)('the popup of another site names its returnTo to no page of the site: %s', async (path) => {
  const popup = '/auth/login?display=popup&returnTo=%2Fchange%2F';
  const returnTo = /data-return-to="([^"]*)"/;
  for (const [site, expected] of [
    ['cross-site', '/'],
    ['same-origin', '/change/'],
  ] as const) {
    const agent = supertest.agent(siteOf(provider, path).app);
    const { text } = await agent.get(callbackOf(await responseTo(agent, from(site), popup))).set(crossSite);
    expect(returnTo.exec(text)?.[1]).toBe(expected);
  }
  const agent = supertest.agent(siteOf(provider, path).app);
  await signIn(agent, provider, { as: 'verified' });
  expect(returnTo.exec((await agent.get(popup).set(crossSite).expect(200)).text)?.[1]).toBe('/');
});

describe.each(LOGIN_PATHS)('a login of the site itself, on a site that signs in by: %s', (path) => {
  test.each([sameOrigin, from('none'), oldBrowser])('continues without a click: %j', async (started: Headers) => {
    const agent = supertest.agent(siteOf(provider, path, strict).app);
    const page = await agent.get(callbackOf(await responseTo(agent, started))).set(crossSite);
    await agent.get(refreshOf(page.text)).set(sameOrigin).expect(302);
  });
});

test.each([
  ['strict', 'cross-site', 200],
  ['strict', 'same-origin', 302],
  ['lax', 'cross-site', 302],
] as const)(
  'signInSilently() with a SameSite=%s session, for a request that is %s: %i',
  async (sameSite, site, status) => {
    const { app, clinician } = siteFor(provider, { session: { cookie: { sameSite } } });
    app.get('/silent', clinician.signInSilently(), (_req, res) => void res.send('page'));
    const headers = { ...from(site), 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };
    await supertest(app).get('/silent').set(headers).expect(status);
  },
);
