import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { signIn, signOut } from 'passport-clinician/testing';
import request from 'supertest/index.js';
import { provider } from '../helpers/provider.js';
import { fixedResponses, site } from './sites.js';

const postLogoutRedirectURI = 'http://127.0.0.1:5001/auth/logged-out';

const providerRequests = (): string[] => provider.requests.map(({ method, path }) => `${method} ${path}`);

describe('signOut', () => {
  test('signs out at the site and at the provider, and ends at the site', async () => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const response = await signOut(agent, provider);
    expect(response.status).toBe(200);
    expect(response.text).toMatch(/signed out/i);
    expect((await agent.get('/')).body).toEqual({ signedIn: false });
    expect(providerRequests()).toEqual(expect.arrayContaining(['POST /oauth/revoke', 'GET /oauth/logout']));
    await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?prompt=none' });
    expect(provider.problems.at(-1)?.error).toBe('login_required');
  });

  test('submits a form, as same-origin', async () => {
    const pages = express();
    pages.post(
      '/auth/logout',
      (req, res) => void res.json([req.headers['content-type'], req.headers['sec-fetch-site']]),
    );
    const response = await signOut(request.agent(pages), provider);
    expect(response.body).toEqual(['application/x-www-form-urlencoded', 'same-origin']);
  });

  test('rejects with the requests when the provider refuses', async () => {
    const location = `${provider.issuer}/oauth/logout?post_logout_redirect_uri=${encodeURIComponent(postLogoutRedirectURI)}`;
    const agent = request.agent(fixedResponses({ '/auth/logout': [303, { location }] }));
    await expect(signOut(agent, provider)).rejects.toThrow(
      /^Could not sign out: the provider did not redirect back to the site: The provider responded with 400.*POST \/auth\/logout: 303 -> /s,
    );
  });
});
