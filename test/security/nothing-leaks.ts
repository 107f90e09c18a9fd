import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Store } from 'express-session';
import supertest, { type Response } from 'supertest';
import { createFetch, type Fetch } from '../../lib/http.js';
import type { TokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { sealingSecret, siteFor } from '../integration/site.js';

/** Where a site keeps what it keeps. */
export interface Kept {
  tokenStore: TokenStore;
  /** @default express-session's own, in memory */
  sessions?: Store;
  /** @returns everything in it, as text. */
  everything(): Promise<string>;
}

const asPage = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' };

const real = createFetch({});

/** What travels between the site and the service, and so what must be seen nowhere else. */
class Wire {
  readonly secrets = new Set<string>([sealingSecret]);
  readonly fetch: Fetch = async (input, init) => {
    const sent = new URLSearchParams(String(init?.body ?? ''));
    for (const name of ['code', 'code_verifier', 'refresh_token', 'token', 'client_secret']) this.#note(sent.get(name));
    this.#note(new Headers(init?.headers as Record<string, string>).get('authorization')?.split(' ')[1]);
    const answer = await real(input, init);
    if (!String(input).endsWith('/oauth/token')) return answer;
    const text = await answer.text();
    const { access_token, refresh_token, id_token } = JSON.parse(text) as Record<string, string>;
    for (const token of [access_token, refresh_token, id_token]) this.#note(token);
    const { status, headers } = answer;
    return new globalThis.Response(text, { status, headers: Object.fromEntries(headers) }) as never;
  };

  #note(value: string | null | undefined): void {
    if (value) this.secrets.add(value);
  }
}

const silently = '/auth/login?returnTo=%2F&prompt=none';
const popup = '/auth/login?display=popup';
const sessionCheck = '/auth/login?prompt=none&frame=check';

/** Attack 198: goes through everything that a site does, and looks for what must be seen nowhere in all that could be seen. */
export function nothingLeaks(where: string, open: () => Promise<Kept>): void {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider();
  });
  afterAll(() => provider.stop());

  describe.each(['openid', 'profile'] as const)(`attack 198 with ${where}, in the %s flow`, (flow) => {
    test('no event, log line, page, body, header, session or store holds a token, code, verifier or secret', async () => {
      const wire = new Wire();
      wire.secrets.add(provider.clients[flow].clientSecret);
      const seen: string[] = [];
      const see = (value: unknown) => void seen.push(typeof value === 'string' ? value : inspect(value, { depth: 9 }));
      process.env.DEBUG = 'clinician:*';
      const writing = jest
        .spyOn(process.stderr, 'write')
        .mockImplementation((line) => Boolean(seen.push(String(line))));
      const warning = jest
        .spyOn(process, 'emitWarning')
        .mockImplementation(((...words: unknown[]) => see(words)) as never);
      try {
        const { tokenStore, sessions: store, everything } = await open();
        const puts = jest.spyOn(tokenStore, 'put');
        const swaps = jest.spyOn(tokenStore, 'swap');
        const options = { flow, tokenStore, fetch: wire.fetch, onEvent: see, clock: provider.clock };
        const site = siteFor(provider, { ...options, ...(store && { session: { store } }) });
        const { app, clinician } = site;
        const signedIn = clinician.requireLogin();
        app.get('/token', (req, res) => void res.send(clinician.csrfToken(req)));
        app.get('/colleagues', signedIn, async (req, res) => {
          res.json([await clinician.api(req).colleagues().page(1), await clinician.api(req).rateLimit()]);
        });
        app.post('/refresh', signedIn, async (req, res) => void res.json(await clinician.grant(req).refresh()));
        app.get('/state', signedIn, async (req, res) => void res.json(await clinician.grant(req).state()));
        app.post('/keep', signedIn, async (req, res) => {
          const { id } = req.user as { id: string };
          await clinician.profiles.recordAgreement(id, 'You may keep it.');
          await clinician.profiles.save(id, await clinician.api(req).profile());
          res.json(await clinician.profiles.get(id));
        });
        const stores = async () => {
          see(await everything());
          see(await new Promise((resolve) => site.sessions.all((_error, all) => resolve(JSON.stringify(all)))));
        };
        const look = (answer: Response): void => {
          // Where the logout leads to, the ID Token goes along: the service asks for it (spec, /oauth/logout).
          const { location, 'set-cookie': cookies, ...headers } = answer.headers;
          see(headers);
          see(String(cookies));
          see(answer.text);
          if (!String(location).startsWith(`${provider.issuer}/oauth/logout`)) see(String(location));
        };
        const enter = async (agent = supertest.agent(app), loginPath = '/auth/login', as = 'verified') => {
          look((await signIn(agent, provider, { as, loginPath })) as Response);
          return agent;
        };

        const agent = await enter();
        for (const path of ['/', '/me', '/notes', '/profile', '/colleagues', '/state', '/token', '/auth/session-check'])
          look(await agent.get(path).set(asPage));
        look(await agent.post('/refresh').set(asPage));
        look(await agent.post('/keep').set(asPage));
        await stores();
        for (const loginPath of [popup, silently, sessionCheck]) await enter(agent, loginPath);
        provider.clock.advance('2 hours');
        look(await agent.get('/profile').set(asPage));
        for (const fault of ['badSignature', 'malformedJSON', 'serverError', 'reset', 'htmlInsteadOfJSON'] as const) {
          provider.faults.next(fault);
          await enter();
          provider.faults.next(fault);
          look(await agent.post('/refresh').set(asPage));
          provider.faults.clear();
          provider.clock.advance('1 minute');
        }
        look((await signIn(supertest.agent(app), provider, { as: 'connected', deny: true })) as Response);
        look(await agent.get('/auth/callback?code=x&state=y').set(asPage));
        const other = await enter(supertest.agent(app), popup, 'minimal');
        await stores();
        const leaver = await enter();
        look(await leaver.post('/auth/logout').set(asPage));
        look(await other.post('/auth/forget').set(asPage));
        await stores();
        see([puts.mock.calls, swaps.mock.calls, clinician, clinician.strategy]);
        see(JSON.stringify([provider.requests, provider.problems]));
      } finally {
        writing.mockRestore();
        warning.mockRestore();
        process.env.DEBUG = '';
      }
      const all = seen.join('\n');
      for (const word of ['signed_in', 'refreshed', 'signed_out', 'revoked', 'forgotten', 'sign_in_failed'])
        expect(all).toContain(`clinician:${word} {`);
      expect(all).toContain('You may keep it.');
      expect(wire.secrets.size).toBeGreaterThan(30);
      expect([...wire.secrets].filter((secret) => all.includes(secret))).toEqual([]);
    });
  });
}
