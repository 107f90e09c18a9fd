import { inspect } from 'node:util';
import { jest } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { createFetch, type Fetch } from '../../lib/http.js';
import { MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { sealingSecret, siteFor } from '../journeys/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

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

describe.each(['openid', 'profile'] as const)('attack 198 in the %s flow', (flow) => {
  test('no event, log line, page, body, header, session or store holds a token, code, verifier or secret', async () => {
    const wire = new Wire();
    wire.secrets.add(provider.clients[flow].clientSecret);
    const seen: string[] = [];
    const see = (value: unknown) => void seen.push(typeof value === 'string' ? value : inspect(value, { depth: 9 }));
    process.env.DEBUG = 'clinician:*';
    const writing = jest.spyOn(process.stderr, 'write').mockImplementation((line) => Boolean(seen.push(String(line))));
    const warning = jest
      .spyOn(process, 'emitWarning')
      .mockImplementation(((...words: unknown[]) => see(words)) as never);
    try {
      const tokenStore = new MemoryTokenStore();
      const puts = jest.spyOn(tokenStore, 'put');
      const swaps = jest.spyOn(tokenStore, 'swap');
      const site = siteFor(provider, { flow, tokenStore, fetch: wire.fetch, onEvent: see });
      site.app.get('/token', (req, res) => void res.send(site.clinician.csrfToken(req)));
      site.app.post('/refresh', async (req, res) => void res.json(await site.clinician.grant(req).refresh()));
      site.app.get('/state', async (req, res) => void res.json(await site.clinician.grant(req).state()));
      const sessions = async () =>
        see(await new Promise((resolve) => site.sessions.all((_error, all) => resolve(JSON.stringify(all)))));
      const look = (answer: Response): void => {
        // Where the logout leads to, the ID Token goes along: the service asks for it (spec, /oauth/logout).
        const { location, 'set-cookie': cookies, ...headers } = answer.headers;
        see(headers);
        see(String(cookies));
        see(answer.text);
        if (!String(location).startsWith(`${provider.issuer}/oauth/logout`)) see(String(location));
      };

      const agent = supertest.agent(site.app);
      look((await signIn(agent, provider, { as: 'verified' })) as Response);
      for (const path of ['/', '/me', '/notes', '/profile', '/state', '/token', '/auth/session-check'])
        look(await agent.get(path).set(asPage));
      look(await agent.post('/refresh').set(asPage));
      await sessions();
      for (const fault of ['badSignature', 'malformedJSON', 'serverError', 'reset', 'htmlInsteadOfJSON'] as const) {
        provider.faults.next(fault);
        look((await signIn(supertest.agent(site.app), provider, { as: 'verified' })) as Response);
        provider.faults.clear();
      }
      look(await agent.get('/auth/callback?code=x&state=y').set(asPage));
      look(await agent.get('/auth/login?prompt=none').set(asPage));
      const other = supertest.agent(site.app);
      await signIn(other, provider, { as: 'minimal' });
      look(await agent.post('/auth/logout').set(asPage));
      look(await other.post('/auth/forget').set(asPage));
      await sessions();
      see([puts.mock.calls, swaps.mock.calls, site.clinician, site.clinician.strategy]);
    } finally {
      writing.mockRestore();
      warning.mockRestore();
      process.env.DEBUG = '';
    }
    const all = seen.join('\n');
    for (const word of ['signed_in', 'refreshed', 'signed_out', 'revoked', 'forgotten', 'sign_in_failed'])
      expect(all).toContain(`clinician:${word} {`);
    expect(wire.secrets.size).toBeGreaterThan(12);
    expect([...wire.secrets].filter((secret) => all.includes(secret))).toEqual([]);
  });
});
