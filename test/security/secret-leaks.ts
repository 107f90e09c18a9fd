import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Store } from 'express-session';
import supertest, { type Response } from 'supertest';
import { createFetch, type Fetch } from '../../lib/http.js';
import type { TokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { textOf } from '../helpers/response-text.js';
import { navigation, sameOriginScript, sealingSecret, siteFor } from '../integration/site.js';

/** The stores of a site. */
export interface Stores {
  tokenStore: TokenStore;
  /** @default express-session's own store, in memory */
  sessions?: Store;
  /** @returns the contents of the stores, as text. */
  contents(): Promise<string>;
}

const pageHeaders = { ...navigation, ...sameOriginScript };

const realFetch = createFetch({});

/** Collects the secrets that the site and the service exchange. No output may contain them. */
class Wire {
  readonly secrets = new Set<string>([sealingSecret]);
  readonly fetch: Fetch = async (input, init) => {
    const sent = new URLSearchParams(String(init?.body ?? ''));
    for (const name of ['code', 'code_verifier', 'refresh_token', 'token', 'client_secret']) this.#add(sent.get(name));
    this.#add(new Headers(init?.headers as Record<string, string>).get('authorization')?.split(' ')[1]);
    const response = await realFetch(input, init);
    if (!String(input).endsWith('/oauth/token')) return response;
    const text = await textOf(response);
    const { access_token, refresh_token, id_token } = JSON.parse(text) as Record<string, string>;
    for (const token of [access_token, refresh_token, id_token]) this.#add(token);
    const headers = { 'content-type': response.headers.get('content-type') ?? '' };
    return new globalThis.Response(text, { status: response.status, headers });
  };

  #add(value: string | null | undefined): void {
    if (value) this.secrets.add(value);
  }
}

const silentLogin = '/auth/login?returnTo=%2F&prompt=none';
const popupLogin = '/auth/login?display=popup';

/** Uses every feature of a site, captures all of its output, and searches it for secrets. */
export function testSecretLeaks(storesName: string, open: () => Promise<Stores>): void {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider();
  });
  afterAll(() => provider.stop());

  describe.each(['openid', 'profile'] as const)(`with ${storesName}, in the %s flow`, (flow) => {
    test('no event, log line, page, header, session or store contains a token, code, verifier or secret', async () => {
      const wire = new Wire();
      wire.secrets.add(provider.clients[flow].clientSecret);
      const outputs: string[] = [];
      const capture = (value: unknown) =>
        void outputs.push(typeof value === 'string' ? value : inspect(value, { depth: 9 }));
      process.env.DEBUG = 'clinician:*';
      const stderr = jest
        .spyOn(process.stderr, 'write')
        .mockImplementation((line) => Boolean(outputs.push(String(line))));
      const warnings = jest
        .spyOn(process, 'emitWarning')
        .mockImplementation(((...args: unknown[]) => capture(args)) as never);
      try {
        const { tokenStore, sessions: store, contents } = await open();
        const puts = jest.spyOn(tokenStore, 'put');
        const swaps = jest.spyOn(tokenStore, 'swap');
        const options = { flow, tokenStore, fetch: wire.fetch, onEvent: capture, clock: provider.clock };
        const site = siteFor(provider, { ...options, ...(store && { session: { store } }) });
        const { app, clinician } = site;
        const signedIn = clinician.requireLogin();
        app.get('/token', (req, res) => void res.send(clinician.csrfToken(req)));
        app.get('/colleagues', signedIn, async (req, res) => {
          res.json([await clinician.api(req).colleagues().page(1), await clinician.api(req).rateLimit()]);
        });
        app.post('/refresh', signedIn, async (req, res) => void res.json(await clinician.grant(req).refresh()));
        app.get('/state', signedIn, async (req, res) => void res.json(await clinician.grant(req).state()));
        app.post('/agree', signedIn, async (req, res) => {
          const { id } = req.user as { id: string };
          await clinician.profiles.recordAgreement(id, 'I agree.');
          await clinician.profiles.save(id, await clinician.api(req).profile());
          res.json(await clinician.profiles.get(id));
        });
        const captureStores = async () => {
          capture(await contents());
          capture(await new Promise((resolve) => site.sessions.all((_error, all) => resolve(JSON.stringify(all)))));
        };
        const captureResponse = (response: Response): void => {
          capture(response.headers);
          capture(response.text);
        };
        const signInAs = async (agent = supertest.agent(app), loginPath = '/auth/login', as = 'verified') => {
          captureResponse((await signIn(agent, provider, { as, loginPath })) as Response);
          return agent;
        };

        const agent = await signInAs();
        for (const path of ['/', '/me', '/notes', '/profile', '/colleagues', '/state', '/token', '/auth/session-check'])
          captureResponse(await agent.get(path).set(pageHeaders));
        captureResponse(await agent.post('/refresh').set(pageHeaders));
        captureResponse(await agent.post('/agree').set(pageHeaders));
        await captureStores();
        for (const loginPath of [popupLogin, silentLogin]) await signInAs(agent, loginPath);
        captureResponse(await agent.post('/auth/session-check').set(pageHeaders));
        agent.set({ Accept: 'text/html', 'Sec-Fetch-Dest': 'document' });
        await signInAs(agent, flow === 'openid' ? '/me' : '/auth/login');
        provider.clock.advance('2 hours');
        captureResponse(await agent.get('/profile').set(pageHeaders));
        for (const fault of ['badSignature', 'malformedJSON', 'serverError', 'reset', 'htmlInsteadOfJSON'] as const) {
          provider.faults.next(fault);
          await signInAs();
          provider.faults.next(fault);
          captureResponse(await agent.post('/refresh').set(pageHeaders));
          provider.faults.clear();
          provider.clock.advance('1 minute');
        }
        captureResponse((await signIn(supertest.agent(app), provider, { as: 'connected', deny: true })) as Response);
        captureResponse(await agent.get('/auth/callback?code=x&state=y').set(pageHeaders));
        const other = await signInAs(supertest.agent(app), popupLogin, 'minimal');
        await captureStores();
        const leaving = await signInAs();
        captureResponse(await leaving.post('/auth/logout').set(pageHeaders));
        captureResponse(await other.post('/auth/forget').set(pageHeaders));
        await captureStores();
        capture([puts.mock.calls, swaps.mock.calls, clinician, clinician.strategy]);
        capture(JSON.stringify([provider.requests, provider.problems]));
      } finally {
        stderr.mockRestore();
        warnings.mockRestore();
        process.env.DEBUG = '';
      }
      const output = outputs.join('\n');
      for (const event of ['signed_in', 'refreshed', 'signed_out', 'revoked', 'forgotten', 'sign_in_failed'])
        expect(output).toContain(`clinician:${event} {`);
      expect(output).toContain('I agree.');
      expect(wire.secrets.size).toBeGreaterThan(30);
      expect([...wire.secrets].filter((secret) => output.includes(secret))).toEqual([]);
    });
  });
}
