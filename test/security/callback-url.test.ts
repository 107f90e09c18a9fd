import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { cookieName, navigation, type SiteOptions, sameOriginScript, siteFor } from '../integration/site.js';

/** Denies a sign-in at the provider. @returns the path of the callback, not requested yet. */
async function denied(options: SiteOptions = {}, parameters = '') {
  const agent = supertest.agent(siteFor(provider, options).app);
  const { headers } = await agent
    .get(`/auth/login?returnTo=%2Fnotes${parameters}`)
    .set({ ...navigation, 'Sec-Fetch-Site': 'same-origin' })
    .expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', deny: true }));
  return { agent, callback: back.pathname + back.search };
}

describe('a failed sign-in', () => {
  test('is shown at a URL without the authorization response, which can be reloaded', async () => {
    const { agent, callback } = await denied();
    const response = await agent.get(callback).set(navigation).expect(302);
    expect(response.headers.location).toBe('/auth/callback');
    expect(response.text).toBe('');
    for (let views = 0; views < 2; views++) {
      const page = await agent.get('/auth/callback').set(navigation).expect(403);
      expect(page.text).toContain('The user denied the request');
      expect(page.text).toContain('href="/auth/login?returnTo=%2Fnotes"');
      expect(page.headers['cache-control']).toBe('no-store');
    }
  });

  test('is saved in a sealed cookie, which only this browser has', async () => {
    const { agent, callback } = await denied();
    const { headers } = await agent.get(callback).set(navigation);
    const cookies = String(headers['set-cookie']);
    expect(cookies).toContain(`${cookieName(provider, 'failed-3000')}=`);
    // Sealed text can contain any word of five letters, but no slash.
    expect(cookies).not.toMatch(/denied|(?:\/|%2F)notes/i);
    const other = await supertest(siteFor(provider).app).get('/auth/callback').set(navigation).expect(403);
    expect(other.text).toContain('<code>transaction_missing</code>');
    const forged = supertest(siteFor(provider).app).get('/auth/callback').set(navigation);
    await forged.set('Cookie', `${cookieName(provider, 'failed-3000')}=forged`).expect(403);
  });

  test.each(['signs in', 'signs in and out'])('is not shown after a user %s in the same browser', async (action) => {
    const { agent, callback } = await denied();
    await agent.get(callback).set(navigation).expect(302);
    await signIn(agent, provider, { as: 'verified' });
    if (action === 'signs in and out') await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    const page = await agent.get('/auth/callback').set(navigation);
    expect(page.text).not.toContain('The user denied the request');
    expect(page.text).not.toContain('notes');
    expect(page.text.includes('<title>You are signed in - ')).toBe(action === 'signs in');
  });

  test('is not saved where the site has onError', async () => {
    const { agent, callback } = await denied({ onError: (error, _req, res) => void res.status(418).send(error.code) });
    await agent.get(callback).set(navigation).expect(418, 'access_denied');
    await agent.get('/auth/callback').set(navigation).expect(418, 'transaction_missing');
  });
});

test('HEAD works as GET without a body, but does not use up an authorization response', async () => {
  const { agent, callback } = await denied();
  for (const path of ['/auth/logged-out', '/auth/clinician.js', '/auth/clinician.css', '/auth/session-check']) {
    const { text } = await agent.head(path).expect(200);
    expect(text ?? '').toBe('');
  }
  await agent.head('/auth/login').expect(302);
  expect((await agent.head(callback).expect(405)).headers.allow).toBe('GET');
  expect((await agent.head('/auth/logout').expect(405)).headers.allow).toBe('POST');
  // The response is not used up.
  expect((await agent.get(callback).expect(403)).text).toContain('access_denied');
});
