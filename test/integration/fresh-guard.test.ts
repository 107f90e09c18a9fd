import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** @returns the same object, and the names of its methods in the order in which they are called. */
function counted<T extends object>(target: T): { spied: T; calls: string[] } {
  const calls: string[] = [];
  const spied = new Proxy(target, {
    get(of, name) {
      const value = Reflect.get(of, name, of) as unknown;
      if (typeof value !== 'function') return value;
      return (...words: unknown[]) => {
        calls.push(String(name));
        return (value as (...words: unknown[]) => unknown).apply(of, words);
      };
    },
  });
  return { spied, calls };
}

describe.each(['openid', 'profile'] as const)('a guard whose answer is fresh, in the %s flow', (flow) => {
  async function signedIn() {
    const { spied: tokenStore, calls: tokenCalls } = counted(new MemoryTokenStore());
    let now = provider.clock.now();
    const clock = { now: () => now };
    const site = siteFor(provider, { flow, tokenStore, clock });
    site.app.get('/scoped', site.clinician.requireScope('colleagues'), (_req, res) => void res.send('scoped'));
    const sessionCalls: string[] = [];
    for (const name of ['get', 'set', 'destroy', 'touch'] as const) {
      const act = site.sessions[name].bind(site.sessions) as (...words: unknown[]) => void;
      site.sessions[name] = (...words: unknown[]) => {
        sessionCalls.push(name);
        act(...words);
      };
    }
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    const quiet = () => {
      tokenCalls.length = 0;
      sessionCalls.length = 0;
    };
    quiet();
    return { agent, tokenCalls, sessionCalls, quiet, pass: (ms: number) => (now += ms) };
  }

  test('asks neither the service nor the token store, and the session store no more than express-session does', async () => {
    const { agent, tokenCalls, sessionCalls, quiet } = await signedIn();
    await agent.get('/').expect(200, 'in');
    const byExpressSession = [...sessionCalls];
    const asked = provider.requests.length;
    for (const path of ['/me', '/notes', '/scoped', '/deep/x']) {
      quiet();
      await agent.get(path).expect(200);
      expect(sessionCalls).toEqual(byExpressSession);
      expect(tokenCalls).toEqual([]);
    }
    expect(provider.requests.length).toBe(asked);
  });

  test('asks the token store once when its answer is older than maxAge, and then no more', async () => {
    const { agent, tokenCalls, pass } = await signedIn();
    pass(5 * 60 * 1000 + 1);
    await agent.get('/scoped').expect(200);
    expect(tokenCalls).toEqual(['get']);
    await agent.get('/scoped').expect(200);
    await agent.get('/me').expect(200);
    expect(tokenCalls).toEqual(['get']);
  });
});
