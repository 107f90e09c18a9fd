import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { deny } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from './site.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('a clinician signs in', () => {
  test('in the openid flow: identified by sub, verified by the profile', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const page = await signIn(agent, provider, { as: 'verified' });
    expect(page.text).toBe('in');
    const { body } = await agent.get('/me').expect(200);
    expect(body).toMatchObject({ isAuthenticated: true, flow: 'openid', verified: true, verification: 'verified' });
    expect(body.scope).toEqual(expect.arrayContaining(['openid', 'basic', 'colleagues', 'email']));
    expect(body.identity.id).toMatch(UUID);
    expect(body.identity.serviceID).toMatch(/^\d{11}$/);
    expect(body.user).toEqual({ id: body.identity.id });
  });

  test('in the profile flow: identified by the integer id', async () => {
    const agent = supertest.agent(siteFor(provider, { flow: 'profile' }).app);
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get('/me').expect(200);
    expect(body).toMatchObject({ isAuthenticated: true, flow: 'profile', verified: true, verification: 'verified' });
    expect(body.identity.id).toMatch(/^\d{11}$/);
  });

  test('in both flows: with the same integer id of the service', async () => {
    const identityIn = async (flow: 'openid' | 'profile', as: string) => {
      const agent = supertest.agent(siteFor(provider, { flow }).app);
      await signIn(agent, provider, { as });
      return (await agent.get('/me').expect(200)).body.identity as { id: string; serviceID: string };
    };
    const [byUUID, byInteger] = [await identityIn('openid', 'verified'), await identityIn('profile', 'verified')];
    expect(byUUID.id).not.toBe(byInteger.id);
    expect(byUUID.serviceID).toBe(byInteger.id);
    expect(byInteger.serviceID).toBe(byInteger.id);
    expect((await identityIn('openid', 'minimal')).serviceID).not.toBe(byUUID.serviceID);
  });

  test('with only scope openid: the verification is unknown', async () => {
    const agent = supertest.agent(siteFor(provider, { scope: 'openid' }).app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/me').expect(200)).body).toMatchObject({
      verified: false,
      verification: 'unknown',
      scope: ['openid'],
    });
  });

  test('and onSignIn maps the clinician to a user of the site', async () => {
    const site = siteFor(provider, { onSignIn: ({ profile }) => ({ id: 7, name: profile?.fullName }) });
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get('/me').expect(200);
    expect(body.user).toEqual({ id: 7, name: provider.clinicians.get('verified').fullName });
  });

  test('and returns to the requested page in both flows', async () => {
    for (const flow of ['openid', 'profile'] as const) {
      const agent = supertest.agent(siteFor(provider, { flow }).app);
      const page = await signIn(agent, provider, {
        as: 'verified',
        loginPath: '/auth/login?returnTo=%2Fdeep%2Fthing%3Fa%3D1',
      });
      expect(page.text).toBe('deep /deep/thing?a=1');
    }
  });

  test('and the profile is read in camelCase', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get('/profile').expect(200);
    const { email, firstName, lastName } = provider.clinicians.get('verified');
    expect(body).toMatchObject({ firstName, lastName, email, verified: true });
  });
});

describe('a sign-in that is denied', () => {
  test('by the user: shows a page with a link to try again, and signs no user in', async () => {
    for (const flow of ['openid', 'profile'] as const) {
      const agent = supertest.agent(siteFor(provider, { flow }).app);
      await agent.get('/auth/login?returnTo=%2Fnotes');
      const url = (await agent.get('/auth/login?returnTo=%2Fnotes')).headers.location as string;
      const callback = new URL(await provider.signIn(url, { as: 'verified', deny: true }));
      const page = await agent
        .get(callback.pathname + callback.search)
        .set('Accept', 'text/html')
        .redirects(1);
      expect(page.status).toBe(403);
      expect(page.text).toContain('The user denied the request');
      expect(page.text).toContain('href="/auth/login?returnTo=%2Fnotes"');
      await agent.get('/me').expect(401);
    }
  });

  test('by the site: shows its reason, and revokes the tokens', async () => {
    const site = siteFor(provider, { onSignIn: () => deny('This site is for <surgeons>.') });
    const agent = supertest.agent(site.app).set('Accept', 'text/html');
    const page = await signIn(agent, provider, { as: 'verified' });
    expect(page.status).toBe(403);
    expect(page.text).toContain('This site is for &lt;surgeons&gt;.');
    await agent.get('/me').set('Accept', 'application/json').expect(401);
    const revoked = provider.requests.filter(({ path }) => path === '/oauth/revoke');
    expect(revoked).toHaveLength(1);
  });

  test.each([
    ['undefined', () => undefined, 'user_invalid'],
    ['an error', () => new Error('no such user'), 'site_error'],
    ['false', () => false, 'sign_in_refused'],
    ['a thrown error', () => Promise.reject(new Error('database down')), 'site_error'],
  ])('by onSignIn with %s: signs no user in', async (_name, onSignIn, code) => {
    const caught: string[] = [];
    const site = siteFor(provider, {
      onSignIn: onSignIn as () => never,
      onError: (error, _req, res) => {
        caught.push(error.code);
        res.status(error.status).end();
      },
    });
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    expect(caught).toEqual([code]);
    await agent.get('/me').expect(401);
  });
});
