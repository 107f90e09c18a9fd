import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { answers, authorizationRequest, site } from './sites.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.stop());

describe('signIn', () => {
  test('goes to the provider and back, and the agent is signed in from then on', async () => {
    const agent = request.agent(site(provider));
    const response = await signIn(agent, provider, { as: 'verified' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ signedIn: true });
    await agent.get('/notes').expect(200);
  });

  test('begins at any page that sends people to sign in, and ends there', async () => {
    const agent = request.agent(site(provider)).set('Accept', 'text/html');
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/notes' });
    expect(response.body).toEqual({ verified: 'verified' });
  });

  test('two people at two agents do not meet', async () => {
    const app = site(provider);
    const [first, second] = [request.agent(app), request.agent(app)];
    await signIn(first, provider, { as: 'verified' });
    await signIn(second, provider, { as: 'pending' });
    expect((await first.get('/notes')).body.verified).toBe('verified');
    expect((await second.get('/notes')).body.verified).toBe('pending');
  });

  test('a denial is an answer of the site, not an error of the test', async () => {
    const agent = request.agent(site(provider));
    const response = await signIn(agent, provider, { as: 'verified', deny: true });
    expect(response.status).toBe(403);
    expect((await agent.get('/')).body).toEqual({ signedIn: false });
  });

  test('signs in at a site that runs already, given by its address', async () => {
    const server = site(provider).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as { port: number };
      const response = await signIn(request.agent(`http://127.0.0.1:${port}`), provider, { as: 'verified' });
      expect(response.body).toEqual({ signedIn: true });
    } finally {
      server.close();
    }
  });
});

describe('signIn tells what it saw', () => {
  const failure = async (server: ReturnType<typeof answers>, as = 'verified'): Promise<string> => {
    const error: unknown = await signIn(request.agent(server), provider, { as }).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : 'it did not fail';
  };
  const toProvider = (parameters = {}): string => authorizationRequest(provider, parameters);

  test('when the site has no such route', async () => {
    expect(await failure(answers({}))).toMatch(/did not redirect to the provider.*\n {2}GET \/auth\/login: 404$/);
  });

  test('when the site shows a page, with the words on it', async () => {
    const page = express().get('/auth/login', (_req, res) => {
      res.send('<head><title>x</title></head><h1>The service</h1> <p>is down.</p>');
    });
    expect(await failure(createServer(page))).toMatch(/answered itself, saying "The service is down\."/);
  });

  test('when the site sends people elsewhere', async () => {
    const server = answers({ '/auth/login': [302, { location: 'https://elsewhere.example/login' }] });
    expect(await failure(server)).toMatch(/redirected to https:\/\/elsewhere\.example, which is neither/);
  });

  test('when the site goes round in circles', async () => {
    const server = answers({
      '/auth/login': [302, { location: '/login' }],
      '/login': [302, { location: '/auth/login' }],
    });
    expect(await failure(server)).toMatch(/more than 10 times in a row/);
  });

  test('when a cookie could not come back', async () => {
    const headers = { location: toProvider(), 'set-cookie': '__Host-login=1; Path=/; Secure; HttpOnly' };
    expect(await failure(answers({ '/auth/login': [302, headers] }))).toMatch(/cookie "__Host-login" is Secure/);
  });

  test('when the provider refuses the request', async () => {
    const location = toProvider({ client_id: 'nobody' });
    const said = await failure(answers({ '/auth/login': [302, { location }] }));
    expect(said).toMatch(/did not send the clinician back/);
    expect(said).toMatch(
      /\nThe provider refused:\n {2}request 1, \/oauth\/authorize: invalid_client: .*\(client-id-known;/,
    );
  });

  test('when nobody is called so, before anything is asked', async () => {
    expect(await failure(answers({}), 'veryfied')).toBe(
      'There is no clinician "veryfied". Did you mean verified? There are: verified, pending, minimal, connected, hostile.',
    );
  });

  test('when the site sends people to the provider again', async () => {
    const again = { location: toProvider() };
    const server = answers({ '/auth/login': [302, again], '/auth/callback': [302, again] });
    expect(await failure(server)).toMatch(/to the provider again after the callback/);
  });

  test('and never what is secret', async () => {
    const again = { location: toProvider({ state: 'planted-state', nonce: 'planted-nonce' }) };
    const said = await failure(answers({ '/auth/login': [302, again], '/auth/callback': [302, again] }));
    expect(said).toContain('/auth/callback?code&session_state&state: 302 -> ');
    expect(said).not.toMatch(/planted/);
  });
});
