import { createServer } from 'node:https';
import { expect, test } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { provider } from '../helpers/provider.js';
import { cookieName, navigation, sameOriginForm, siteFor } from '../integration/site.js';

/** The cookies of this package, each with the longest lifetime in seconds. */
const LIFETIMES: Readonly<Record<string, number>> = {
  tx: 1800,
  failed: 600,
  'signed-in': 120,
  silent: 600,
  logout: 600,
  'end-session': 60,
};

/** Uses each feature of a site that sets a cookie. @returns the Set-Cookie lines of this package */
async function cookiesOfEachFeature(origin: string, isTLS: boolean): Promise<string[]> {
  const { app, clinician } = siteFor(provider, { callbackURL: `${origin}/auth/callback` });
  app.get('/silent', clinician.signInSilently(), (_req, res) => void res.send('page'));
  const { key, good: cert, authority: ca } = testCertificates;
  const agent = isTLS ? supertest.agent(createServer({ key, cert }, app), { ca }) : supertest.agent(app);
  const lines: string[] = [];
  const record = async (pending: Promise<Response>): Promise<Response> => {
    const response = await pending;
    lines.push(...((response.headers['set-cookie'] ?? []) as string[]));
    return response;
  };
  const get = (path: string, headers: object = {}) => record(agent.get(path).set({ ...navigation, ...headers }));
  const post = (path: string, body = '') => record(agent.post(path).set(sameOriginForm).type('form').send(body));
  const signIn = async (loginPath: string, settings: { deny?: boolean } = {}) => {
    const { headers } = await get(loginPath);
    return new URL(await provider.signIn(headers.location as string, { as: 'verified', ...settings }));
  };
  await get('/silent', { 'Sec-Fetch-Dest': 'document' });
  const denied = await signIn('/auth/login', { deny: true });
  await get(denied.pathname + denied.search);
  const signedIn = await signIn('/auth/login');
  await get(signedIn.pathname + signedIn.search);
  await post('/auth/logout');
  return lines.filter((line) => line.includes('clinician-'));
}

test.each([
  ['https', 'https://127.0.0.1:5001', true, '__Host-', '; Path=/; HttpOnly; Secure; SameSite=Lax'],
  ['http on loopback', 'http://127.0.0.1:5001', false, '', '; Path=/; HttpOnly; SameSite=Lax'],
] as const)(
  'on %s each cookie is HttpOnly and SameSite=Lax, for this host only, and short-lived',
  async (_name, origin, isTLS, hostPrefix, attributes) => {
    const lines = await cookiesOfEachFeature(origin, isTLS);
    const prefix = `${hostPrefix}${cookieName(provider, '')}`;
    const seen = new Set<string>();
    for (const line of lines) {
      const [, name = '', lifetime] =
        /^((?:__Host-)?clinician-[\w-]{6}-(?:tx|[a-z-]+?)(?=-[\w-]{16}=|-5001=|=))[^;]*(?:; Max-Age=(\d+))?/.exec(
          line,
        ) ?? [];
      expect(line.startsWith(prefix)).toBe(true);
      expect(line.endsWith(attributes)).toBe(true);
      expect(line).not.toMatch(/domain/i);
      const feature = name.slice(prefix.length);
      if (lifetime !== '0') {
        seen.add(feature);
        expect([feature, Number(lifetime ?? 0) <= (LIFETIMES[feature] ?? 0)]).toEqual([feature, true]);
      }
    }
    expect([...seen].sort()).toEqual(Object.keys(LIFETIMES).sort());
  },
);
