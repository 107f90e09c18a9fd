import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from './site.js';

/** @returns the same object, and the names of its called methods in order. */
function recorded<T extends object>(target: T): { proxy: T; calls: string[] } {
  const calls: string[] = [];
  const proxy = new Proxy(target, {
    get(of, name) {
      const value = Reflect.get(of, name, of) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return (value as (...args: unknown[]) => unknown).apply(of, args);
      };
    },
  });
  return { proxy, calls };
}

describe.each(['openid', 'profile'] as const)('a guard with a fresh result in the %s flow', (flow) => {
  async function signedIn() {
    const { proxy: tokenStore, calls: tokenCalls } = recorded(new MemoryTokenStore());
    let now = provider.clock.now();
    const clock = { now: () => now };
    const site = siteFor(provider, { flow, tokenStore, clock });
    site.app.get('/scoped', site.clinician.requireScope('colleagues'), (_req, res) => void res.send('scoped'));
    const sessionCalls: string[] = [];
    for (const name of ['get', 'set', 'destroy', 'touch'] as const) {
      const original = site.sessions[name].bind(site.sessions) as (...args: unknown[]) => void;
      site.sessions[name] = (...args: unknown[]) => {
        sessionCalls.push(name);
        original(...args);
      };
    }
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    const clearCalls = () => {
      tokenCalls.length = 0;
      sessionCalls.length = 0;
    };
    clearCalls();
    return { agent, tokenCalls, sessionCalls, clearCalls, advance: (ms: number) => (now += ms) };
  }

  test('requests nothing from the service or the token store, and no more from the session store than express-session does', async () => {
    const { agent, tokenCalls, sessionCalls, clearCalls } = await signedIn();
    await agent.get('/').expect(200, 'in');
    const byExpressSession = [...sessionCalls];
    const requestsBefore = provider.requests.length;
    for (const path of ['/me', '/notes', '/scoped', '/deep/x']) {
      clearCalls();
      await agent.get(path).expect(200);
      expect(sessionCalls).toEqual(byExpressSession);
      expect(tokenCalls).toEqual([]);
    }
    expect(provider.requests.length).toBe(requestsBefore);
  });

  test('reads the token store once when its result is older than recheckAfter', async () => {
    const { agent, tokenCalls, advance } = await signedIn();
    advance(5 * 60 * 1000 + 1);
    await agent.get('/scoped').expect(200);
    expect(tokenCalls).toEqual(['get']);
    await agent.get('/scoped').expect(200);
    await agent.get('/me').expect(200);
    expect(tokenCalls).toEqual(['get']);
  });
});
