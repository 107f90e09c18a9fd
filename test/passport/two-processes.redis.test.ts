import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import session from 'express-session';
import { RedisTokenStore } from 'passport-clinician/redis';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { provider } from '../helpers/provider.js';
import { sameOriginForm } from '../integration/site.js';
import { strategySite } from '../integration/strategy-site.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

/** Two processes of a site that has only the strategy, with one session store and Redis. */
async function processes(flow: 'openid' | 'profile') {
  const store = new session.MemoryStore();
  const open = async () => {
    const tokenStore = new RedisTokenStore({ client: await redis.client() });
    const site = strategySite(provider, { flow, tokenStore, session: { store } });
    site.app.get('/now', site.clinician.requireLogin({ recheckAfter: 0 }), (_req, res) => void res.send('now'));
    return site;
  };
  const [one, other] = [await open(), await open()];
  const browser = supertest.agent(one.app);
  const page = await signIn(browser, provider, { as: 'verified' });
  expect(page.status).toBe(200);
  const cookies = browser.jar.getCookies({ domain: '127.0.0.1', path: '/', script: false, secure: false });
  /** A request of the same browser to the other process. */
  const atOther = (method: 'get' | 'post', path: string) =>
    supertest(other.app)[method](path).set('Cookie', cookies.toValueString());
  return { browser, atOther, other };
}

describe.each(['openid', 'profile'] as const)(
  'two processes of a site with only the strategy, in the %s flow',
  (flow) => {
    test('share a login, its verification and its tokens', async () => {
      const { browser, atOther } = await processes(flow);
      await browser.get('/notes').expect(200, 'notes');
      await atOther('get', '/notes').expect(200, 'notes');
      expect((await atOther('get', '/profile').expect(200)).body.verified).toBe(true);
    });

    test('end a login that one of them signs out', async () => {
      const { browser, atOther } = await processes(flow);
      await browser.get('/now').expect(200);
      await atOther('post', '/auth/logout').set(sameOriginForm);
      expect(revocations()).toBe(1);
      await browser.get('/now').expect(401);
    });

    test('revoke the tokens before, when the other one finishes a further login', async () => {
      const { browser, atOther, other } = await processes(flow);
      const started = await atOther('get', '/auth/login').expect(302);
      const back = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
      const agent = supertest.agent(other.app);
      const cookies = [
        ...(started.headers['set-cookie'] as unknown as string[]),
        String(started.request.get('Cookie')),
      ];
      agent.set('Cookie', cookies.map((line) => line.split(/; (?=Path)/)[0]).join('; '));
      await agent.get(back.pathname + back.search).expect(302);
      expect(revocations()).toBe(1);
      await browser.get('/now').expect(401);
    });

    test('end every login of a user when one of them erases the data of the user', async () => {
      const { browser, other } = await processes(flow);
      await browser.get('/now').expect(200);
      const { sub, id } = provider.clinicians.get('verified');
      await other.clinician.forget(flow === 'openid' ? sub : String(id));
      await browser.get('/now').expect(401);
    });
  },
);
