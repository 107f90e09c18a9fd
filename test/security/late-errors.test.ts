import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import express, { type Response } from 'express';
import session from 'express-session';
import supertest, { type Test } from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { type LoginPath, siteOf } from '../integration/login-paths.js';
import { navigation, sameOriginForm } from '../integration/site.js';

// test/sign-in/failing-steps.test.ts has the steps of a callback. Jest fails a test that leaves a rejection unhandled.

type Agent = ReturnType<typeof supertest.agent>;

/** A site that responds by a timeout as soon as a store is called. Then the store fails. */
function lateSite(path: LoginPath) {
  const late = { isOn: false };
  let response: Response | undefined;
  const respond = async () => {
    if (!late.isOn) return;
    if (!response?.headersSent) response?.status(503).send('timeout');
    await nextTurn();
    throw new Error('the store is down');
  };
  class Sessions extends session.MemoryStore {
    override destroy(id: string, done?: (error?: unknown) => void): void {
      respond().then(() => super.destroy(id, done), done);
    }
    override set(id: string, data: session.SessionData, done?: (error?: unknown) => void): void {
      respond().then(() => super.set(id, data, done), done);
    }
  }
  class Tokens extends MemoryTokenStore {
    override async get(grantID: string) {
      await respond();
      return await super.get(grantID);
    }
  }
  const stores = { tokenStore: new Tokens({ clock: provider.clock }), session: { store: new Sessions() } };
  const site = siteOf(provider, path, { ...stores, clock: provider.clock, onEvent: () => undefined });
  const app = express().use((_req, res, next) => {
    response = res;
    next();
  }, site.app);
  return { agent: supertest.agent(app), late, errors: site.errors };
}

const REQUESTS: [string, (agent: Agent) => Test, string][] = [
  ['a guard', (agent) => agent.get('/me').set(navigation), 'token_store_unavailable'],
  ['a logout', (agent) => agent.post('/auth/logout').set(sameOriginForm), 'session_unavailable'],
];
const cases = (['drop-in', 'Passport first'] as const).flatMap((path) =>
  REQUESTS.map(([name, request, code]) => ({ path, name, request, code })),
);

test.each(cases)(
  '$name whose store fails after the response was sent ends no process, and the site receives the error: $path',
  async ({ path, request, code }) => {
    const { agent, late, errors } = lateSite(path);
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('6 minutes');
    late.isOn = true;
    await request(agent).expect(503, 'timeout');
    while (errors.length === 0) await nextTurn();
    late.isOn = false;
    expect(errors).toEqual([expect.objectContaining({ code })]);
    await agent.get('/').expect(200);
  },
);
