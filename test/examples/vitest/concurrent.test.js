import { signIn, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';
import { expect, test } from 'vitest';
import { site } from './site.js';

test.concurrent('a service with a fault does not sign in', () =>
  withMockProvider(async (provider) => {
    provider.faults.always('serverError', { endpoint: '/oauth/token' });
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/notes').expect(401);
  }));

test.concurrent('a pending clinician is verified after three days', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'pending' });
    provider.clock.advance('4 days');
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(200);
    expect(provider.logins).toHaveLength(2);
  }));
