import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type SiteOptions, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };

async function denied(options: SiteOptions = {}, way = '') {
  const agent = supertest.agent(siteFor(provider, options).app);
  const { headers } = await agent.get(`/auth/login?returnTo=%2Fnotes${way}`).set(browser).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', deny: true }));
  return { agent, callback: back.pathname + back.search };
}

describe('attack 95: what a failed sign-in leaves in the address bar', () => {
  test('nothing: the page has an address of its own, says why, and says it again when it is loaded anew', async () => {
    const { agent, callback } = await denied();
    const answer = await agent.get(callback).set(browser).expect(302);
    expect(answer.headers.location).toBe('/auth/callback');
    expect(answer.text).toBe('');
    for (let views = 0; views < 2; views++) {
      const page = await agent.get('/auth/callback').set(browser).expect(403);
      expect(page.text).toContain('The user denied the request');
      expect(page.text).toContain('href="/auth/login?returnTo=%2Fnotes"');
      expect(page.headers['cache-control']).toBe('no-store');
    }
  });

  test('what is kept for it is sealed, and another browser has none of it', async () => {
    const { agent, callback } = await denied();
    const { headers } = await agent.get(callback).set(browser);
    const kept = String(headers['set-cookie']);
    expect(kept).toContain('clinician-failed=');
    expect(kept).not.toMatch(/denied|notes|access_denied/);
    const other = await supertest(siteFor(provider).app).get('/auth/callback').set(browser).expect(403);
    expect(other.text).toContain('Code: <code>state_missing</code>');
    const forged = supertest(siteFor(provider).app).get('/auth/callback').set(browser);
    await forged.set('Cookie', 'clinician-failed=forged').expect(403);
  });

  test.each(['signs in', 'signs in and out'])('nothing of it is left for whoever %s there afterwards', async (what) => {
    const { agent, callback } = await denied();
    await agent.get(callback).set(browser).expect(302);
    await signIn(agent, provider, { as: 'verified' });
    if (what === 'signs in and out') await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(204);
    const page = await agent.get('/auth/callback').set(browser);
    expect(page.text).not.toContain('The user denied the request');
    expect(page.text).not.toContain('notes');
    expect(page.text.includes('<title>You are signed in - ')).toBe(what === 'signs in');
  });

  test('a browser that keeps no cookies is told at once, and so is a script', async () => {
    const { callback } = await denied();
    const page = await supertest(siteFor(provider).app).get(callback).set(browser).expect(403);
    expect(page.text).toContain('transaction_missing');
    const script = await denied();
    const answer = await script.agent.get(script.callback).expect(403);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'access_denied' });
  });

  test('the site answers by itself, and no page of ours comes back later', async () => {
    const { agent, callback } = await denied({ onError: (error, _req, res) => void res.status(418).send(error.code) });
    await agent.get(callback).set(browser).expect(418, 'access_denied');
    await agent.get('/auth/callback').set(browser).expect(418, 'state_missing');
  });
});

test('the pages carry the name of the site, or its host where it has none, escaped', async () => {
  const titleOf = ({ text }: { text: string }) => /<title>(.*)<\/title>/.exec(text)?.[1];
  for (const [options, name] of [
    [{}, '127.0.0.1:3000'],
    [{ siteName: '<Hospital>' }, '&lt;Hospital&gt;'],
  ] as const) {
    const { agent, callback } = await denied(options);
    const failed = await agent.get(callback).set(browser).redirects(1);
    expect(titleOf(failed)).toBe(`You are not signed in - ${name}`);
    expect(failed.text).toContain(`<bdi>${name}</bdi>`);
    expect(titleOf(await agent.get('/auth/logged-out').set(browser))).toBe(`You are signed out - ${name}`);
  }
  expect(() => siteFor(provider, { siteName: '' })).toThrow("option 'siteName' must be a string");
});

test('HEAD is answered as GET is, without the body, but takes no answer of the service', async () => {
  const { agent, callback } = await denied();
  for (const path of ['/auth/logged-out', '/auth/clinician.js', '/auth/clinician.css', '/auth/session-check']) {
    const { text } = await agent.head(path).expect(200);
    expect(text ?? '').toBe('');
  }
  await agent.head('/auth/login').expect(302);
  expect((await agent.head(callback).expect(405)).headers.allow).toBe('GET');
  expect((await agent.head('/auth/logout').expect(405)).headers.allow).toBe('POST');
  // Still there to be taken.
  expect((await agent.get(callback).expect(403)).text).toContain('access_denied');
});

test('whoever tries again in a window of its own stays in one, so that the page that opened it hears of it', async () => {
  const { agent, callback } = await denied({}, '&display=popup');
  const page = await agent.get(callback).set(browser).redirects(1);
  expect(page.text).toContain('href="/auth/login?returnTo=%2Fnotes&amp;display=popup"');
});
