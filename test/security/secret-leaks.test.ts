import { inspect } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { captureOutput, secrets } from '../integration/capture-output.js';
import { navigation, sameOriginScript, sealingSecret, siteFor } from '../integration/site.js';

const pageHeaders = { ...navigation, ...sameOriginScript };
const silentLogin = '/auth/login?returnTo=%2F&prompt=none';
const popupLogin = '/auth/login?display=popup';

/** Uses every feature of a site, all of whose output is captured, and searched for secrets after the tests. */
test.each(['openid', 'profile'] as const)(
  'in the %s flow, no event, log line, page, header, session or stored token contains a token, code, verifier or secret',
  async (flow) => {
    const { clientID, clientSecret } = provider.clients[flow];
    for (const secret of [sealingSecret, clientSecret, btoa(`${clientID}:${clientSecret}`)]) secrets.add(secret);
    const names: string[] = [];
    const onEvent = (event: { name: string }) => {
      names.push(event.name);
      captureOutput('an event', event);
    };
    const tokenStore = new MemoryTokenStore();
    const puts = jest.spyOn(tokenStore, 'put');
    const swaps = jest.spyOn(tokenStore, 'swap');
    const options = { flow, tokenStore, onEvent, clock: provider.clock };
    const site = siteFor(provider, options);
    const { app, clinician } = site;
    const savings = jest.spyOn(site.sessions, 'set');
    const signedIn = clinician.requireLogin();
    app.get('/colleagues', signedIn, async (req, res) => {
      res.json([await clinician.api(req).colleagues().page(1), await clinician.api(req).rateLimit()]);
    });
    app.post('/refresh', signedIn, async (req, res) => void res.json(await clinician.grant(req).refresh()));
    app.get('/state', signedIn, async (req, res) => void res.json(await clinician.grant(req).state()));
    const captureSessions = async () => {
      captureOutput('the sessions', await new Promise((resolve) => site.sessions.all((_error, all) => resolve(all))));
    };
    const signInAs = async (agent = supertest.agent(app), loginPath = '/auth/login', as = 'verified') => {
      await signIn(agent, provider, { as, loginPath });
      return agent;
    };

    const agent = await signInAs();
    for (const path of ['/', '/me', '/notes', '/profile', '/colleagues', '/state', '/auth/session-check'])
      await agent.get(path).set(pageHeaders);
    await agent.post('/refresh').set(pageHeaders);
    await captureSessions();
    for (const loginPath of [popupLogin, silentLogin]) await signInAs(agent, loginPath);
    await agent.post('/auth/session-check').set(pageHeaders);
    agent.set({ Accept: 'text/html', 'Sec-Fetch-Dest': 'document' });
    await signInAs(agent, flow === 'openid' ? '/me' : '/auth/login');
    provider.clock.advance('2 hours');
    await agent.get('/profile').set(pageHeaders);
    for (const fault of ['badSignature', 'malformedJSON', 'serverError', 'reset', 'htmlInsteadOfJSON'] as const) {
      provider.faults.next(fault);
      await signInAs();
      provider.faults.next(fault);
      await agent.post('/refresh').set(pageHeaders);
      provider.faults.clear();
      provider.clock.advance('1 minute');
    }
    await signIn(supertest.agent(app), provider, { as: 'connected', deny: true });
    await agent.get('/auth/callback?code=x&state=y').set(pageHeaders);
    const other = await signInAs(supertest.agent(app), popupLogin, 'minimal');
    await captureSessions();
    const leaving = await signInAs();
    // This login remains in the stores: a refresh above may have ended the others.
    await signInAs();
    await other.post('/auth/forget').set(pageHeaders);
    provider.faults.always('unavailable', { endpoint: '/oauth/revoke' });
    await leaving.post('/auth/logout').set(pageHeaders);
    await captureSessions();
    provider.clock.advance('1 minute');
    await clinician.health();
    await clinician.close();
    captureOutput('the calls of the store', [puts.mock.calls, swaps.mock.calls, clinician, clinician.strategy]);
    captureOutput('the records of the provider', JSON.stringify([provider.requests, provider.problems]));
    // Service spec, "Limits": only the id of the user and tokens are stored.
    const stored = inspect([puts.mock.calls, swaps.mock.calls, ...savings.mock.calls.map(([, one]) => one)], {
      depth: 9,
    });
    const user = provider.clinicians.get('verified');
    expect(stored).toContain(String(flow === 'openid' ? user.sub : user.id));
    for (const name of ['npi', 'lastName', 'email', 'specialty'] as const) {
      expect([name, stored]).not.toEqual([name, expect.stringContaining(String(user[name]))]);
    }
    expect(secrets.size).toBeGreaterThan(30);
    expect(names).toEqual(
      expect.arrayContaining([...['signed_in', 'signed_out', 'forgotten', 'sign_in_failed', 'revocation_failed']]),
    );
  },
);
