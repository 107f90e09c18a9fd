import { describe, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import type { TokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { sameOriginForm } from '../integration/site.js';
import { strategySite } from '../integration/strategy-site.js';

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

/** Two processes of a site that has only the strategy, with one session store and one database of tokens. */
async function processes(flow: 'openid' | 'profile', connect: () => Promise<TokenStore>) {
  const store = new session.MemoryStore();
  const start = async () => {
    const site = strategySite(provider, { flow, tokenStore: await connect(), session: { store } });
    site.app.get('/now', site.clinician.requireLogin({ recheckAfter: 0 }), (_req, res) => void res.send('now'));
    return site;
  };
  const [one, other] = [await start(), await start()];
  const browser = supertest.agent(one.app);
  const page = await signIn(browser, provider, { as: 'verified' });
  expect(page.status).toBe(200);
  const cookies = browser.jar.getCookies({ domain: '127.0.0.1', path: '/', script: false, secure: false });
  /** A request of the same browser to the other process. */
  const atOther = (method: 'get' | 'post', path: string) =>
    supertest(other.app)[method](path).set('Cookie', cookies.toValueString());
  return { browser, atOther, other };
}

/** @param connect returns a token store of another process on the same database */
export function testTwoProcesses(storeName: string, connect: () => Promise<TokenStore>): void {
  describe.each(['openid', 'profile'] as const)(
    `two processes of a site with only the strategy and ${storeName}, in the %s flow`,
    (flow) => {
      test('share a login, its verification and its tokens', async () => {
        const { browser, atOther } = await processes(flow, connect);
        await browser.get('/notes').expect(200, 'notes');
        await atOther('get', '/notes').expect(200, 'notes');
        expect((await atOther('get', '/profile').expect(200)).body.verified).toBe(true);
      });

      test('end a login that one of them signs out', async () => {
        const { browser, atOther } = await processes(flow, connect);
        await browser.get('/now').expect(200);
        await atOther('post', '/auth/logout').set(sameOriginForm);
        expect(revocations()).toBe(1);
        await browser.get('/now').expect(401);
      });

      test('revoke the tokens before, when the other one finishes a further login', async () => {
        const { browser, atOther, other } = await processes(flow, connect);
        const started = await atOther('get', '/auth/login').set('Sec-Fetch-Site', 'same-origin').expect(302);
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
        const { browser, other } = await processes(flow, connect);
        await browser.get('/now').expect(200);
        const { sub, id } = provider.clinicians.get('verified');
        await other.clinician.forget(flow === 'openid' ? sub : String(id));
        await browser.get('/now').expect(401);
      });
    },
  );
}
