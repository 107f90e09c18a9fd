import { createServer } from 'node:https';
import { describe, expect, test } from '@jest/globals';
import { signIn, signOut } from 'passport-clinician/testing';
import request from 'supertest/index.js';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { provider } from '../helpers/provider.js';
import { site } from './sites.js';

const callbackURL = 'https://127.0.0.1:5001/auth/callback';
const secure = { secure: true, sameSite: 'lax' } as const;

describe('a site whose callbackURL is on https', () => {
  test('behind a TLS proxy: an agent on http can sign in and out', async () => {
    const agent = request.agent(site(provider, { callbackURL, cookie: secure, trustProxy: true }));
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/notes').expect(200)).body).toEqual({ verified: 'verified' });
    await signOut(agent, provider);
    expect((await agent.get('/')).body).toEqual({ signedIn: false });
    await signIn(agent, provider, { as: 'pending' });
    expect((await agent.get('/notes').expect(200)).body).toEqual({ verified: 'pending' });
  });

  test('without trust proxy: the agent is not signed in, as behind a real proxy', async () => {
    const agent = request.agent(site(provider, { callbackURL, cookie: secure }));
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/')).body).toEqual({ signedIn: false });
  });

  test('on its own TLS server', async () => {
    const { key, good: cert, authority: ca } = testCertificates;
    const server = createServer({ key, cert }, site(provider, { callbackURL, cookie: secure }));
    const agent = request.agent(server, { ca });
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/notes').expect(200)).body).toEqual({ verified: 'verified' });
  });
});

describe('a SameSite=Strict session', () => {
  test('is signed in through the page that reloads itself', async () => {
    const agent = request.agent(site(provider, { cookie: { sameSite: 'strict' } }));
    const paths: string[] = [];
    agent.use(({ url }: { url: string }) => void paths.push(new URL(url).pathname));
    const response = await signIn(agent, provider, { as: 'verified' });
    expect(response.body).toEqual({ signedIn: true });
    expect(paths).toEqual(['/auth/login', '/auth/callback', '/auth/callback', '/']);
  });
});
