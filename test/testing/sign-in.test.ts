import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest/index.js';
import { takePrinted } from '../helpers/printed.js';
import { provider } from '../helpers/provider.js';
import { authorizationRequest, fixedResponses, site } from './sites.js';

describe('signIn', () => {
  test('follows the redirects to the provider and back, and the agent is signed in', async () => {
    const agent = request.agent(site(provider));
    const response = await signIn(agent, provider, { as: 'verified' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ signedIn: true });
    await agent.get('/notes').expect(200);
  });

  test('starts at a page that requires a login, and ends there', async () => {
    const agent = request.agent(site(provider)).set('Accept', 'text/html');
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/notes' });
    expect(response.body).toEqual({ verified: 'verified' });
  });

  test('of many agents at once, and several times at once of one agent, signs each of them in', async () => {
    const app = site(provider);
    const agents = Array.from({ length: 12 }, (_, index) => ({
      agent: request.agent(app),
      as: index % 2 ? 'pending' : 'verified',
    }));
    const [{ agent, as }] = agents as [(typeof agents)[0]];
    const all = [...agents, { agent, as }, { agent, as }];
    const ends = await Promise.all(all.map((one) => signIn(one.agent, provider, { as: one.as })));
    expect(ends.map(({ body }) => body)).toEqual(all.map(() => ({ signedIn: true })));
    const shown = await Promise.all(agents.map((one) => one.agent.get('/notes')));
    expect(shown.map(({ body }) => body.verified)).toEqual(agents.map((one) => one.as));
  });

  test('returns the response of the site after a denial', async () => {
    const agent = request.agent(site(provider));
    const response = await signIn(agent, provider, { as: 'verified', deny: true });
    expect(response.status).toBe(403);
    expect(takePrinted()).toEqual([expect.stringContaining('passport-clinician [access_denied]: A sign-in failed.')]);
    expect((await agent.get('/')).body).toEqual({ signedIn: false });
  });
});

describe('signIn rejects with the requests', () => {
  const failure = async (server: ReturnType<typeof fixedResponses>, as = 'verified'): Promise<string> => {
    const error: unknown = await signIn(request.agent(server), provider, { as }).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : 'it did not fail';
  };
  const toProvider = (parameters = {}): string => authorizationRequest(provider, parameters);

  test('when the site returns a page, with its text', async () => {
    const page = express().get('/auth/login', (_req, res) => {
      res.send('<head><title>x</title></head><h1>The service</h1> <p>is down.</p>');
    });
    expect(await failure(createServer(page))).toMatch(/but returned a page: "The service is down\."/);
  });

  test('when the site redirects to another origin', async () => {
    const server = fixedResponses({ '/auth/login': [302, { location: 'https://elsewhere.example/login' }] });
    expect(await failure(server)).toMatch(/redirected to https:\/\/elsewhere\.example, which is neither/);
  });

  test('when the site redirects in a loop', async () => {
    const server = fixedResponses({
      '/auth/login': [302, { location: '/login' }],
      '/login': [302, { location: '/auth/login' }],
    });
    expect(await failure(server)).toMatch(/more than 10 times in a row/);
  });

  test('when the provider refuses the request', async () => {
    const location = toProvider({ client_id: 'unknown' });
    const message = await failure(fixedResponses({ '/auth/login': [302, { location }] }));
    expect(message).toMatch(/did not redirect back to the site/);
    expect(message).toMatch(
      /\nThe provider refused:\n {2}request 1, \/oauth\/authorize: invalid_client: .*\(client-id-known;/,
    );
  });

  test('when the site redirects to the provider again', async () => {
    const again = { location: toProvider() };
    const server = fixedResponses({ '/auth/login': [302, again], '/auth/callback': [302, again] });
    expect(await failure(server)).toMatch(/to the provider again/);
  });

  test('without secrets', async () => {
    const again = { location: toProvider({ state: 'planted-state', nonce: 'planted-nonce' }) };
    const message = await failure(fixedResponses({ '/auth/login': [302, again], '/auth/callback': [302, again] }));
    expect(message).toContain('/auth/callback?code=[masked]&session_state=[masked]&state=[masked]: 302 -> ');
    expect(message).not.toMatch(/planted/);
  });
});
