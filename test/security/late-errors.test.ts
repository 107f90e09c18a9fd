import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from '@jest/globals';
import express, { type Response } from 'express';
import session from 'express-session';
import supertest, { type Test } from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { type LoginPath, siteOf } from '../integration/login-paths.js';
import { navigation, sameOriginForm, sameOriginScript } from '../integration/site.js';

// test/sign-in/failing-steps.test.ts has the steps of a callback. Jest fails a test that leaves a rejection unhandled.

type Agent = ReturnType<typeof supertest.agent>;

/** A site that responds by a timeout as soon as a store is called. @param isDown the call of the store fails then */
function lateSite(path: LoginPath, isDown: boolean) {
  const late = { isOn: false };
  let response: Response | undefined;
  const respond = async () => {
    if (!late.isOn) return;
    if (!response?.headersSent) response?.status(503).send('timeout');
    await nextTurn();
    if (isDown) throw new Error('the store is down');
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
  return { agent: supertest.agent(app), late };
}

const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' };
const REQUESTS: [string, (agent: Agent) => Test][] = [
  ['a guard', (agent) => agent.get('/me').set(navigation)],
  ['the middleware', (agent) => agent.get('/')],
  ['a logout', (agent) => agent.post('/auth/logout').set(sameOriginForm)],
  ['a session check', (agent) => agent.get('/').set(pageView)],
];
const cases = (['drop-in', 'Passport first'] as const).flatMap((path) =>
  REQUESTS.flatMap(([name, request]) => [false, true].map((isDown) => ({ path, name, request, isDown }))),
);

test.each(cases)(
  '$name that waits for a store (down: $isDown) after the response was sent ends no process, by: $path',
  async ({ path, name, request, isDown }) => {
    const { agent, late } = lateSite(path, isDown);
    await signIn(agent, provider, { as: 'verified' });
    if (name === 'a session check') await agent.post('/auth/session-check').set(sameOriginScript).expect(200);
    provider.clock.advance('6 minutes');
    late.isOn = true;
    await request(agent).expect(503, 'timeout');
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    late.isOn = false;
    await agent.get('/').expect(200);
  },
);
