import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import { type ClinicianLogin, clinicianLogin } from 'passport-clinician';
import { resetForTest, signIn } from 'passport-clinician/testing';
import request, { type Response } from 'supertest';
import type { FaultName } from '../../lib/mock-provider/mock-provider.js';
import { root } from '../architecture/imports.js';
import { provider } from '../helpers/provider.js';

let clinician: ClinicianLogin;
let agent: ReturnType<typeof request.agent>;
/** The codes of the site's events, as in its log. */
let logged: (string | undefined)[];

beforeEach(() => {
  const secret = 'only for this test, and long enough for a key';
  const { issuer, apiURL, clock, clients } = provider;
  const { clientID, clientSecret } = clients.openid;
  const callbackURL = 'http://127.0.0.1:5001/auth/callback';
  const app = express();
  logged = [];
  clinician = clinicianLogin({
    ...{ issuer, apiURL, clientID, clientSecret, callbackURL, secret, clock, scope: 'openid basic' },
    onEvent: ({ code }) => void logged.push(code),
  });
  app.use(session({ secret, resave: false, saveUninitialized: false }));
  app.use(clinician);
  app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('notes'));
  app.get('/cv', clinician.requireLogin(), async (req, res) => res.json(await clinician.api(req).profile()));
  app.use(clinician.errorHandler());
  agent = request.agent(app);
});

/** The rows of the table in docs/test/testing.md: the case, its fault, if any, and the status and the code of the response. */
const [, section = ''] = readFileSync(join(root, 'docs/test/testing.md'), 'utf8').split('\n## Failing cases\n');
const rows = [
  ...section
    .split('\n## ', 1)
    .join('')
    .matchAll(/^\| ([^|]+) \| (.+) \| (\d{3})(?: `(\w+)`)?.* \|$/gm),
].map(
  ([, title = '', inTest = '', status, code]) =>
    [title, /faults\.\w+\('(\w+)'/.exec(inTest)?.[1] as FaultName, Number(status), code] as const,
);

/** Signs a user in, and then lets the service fail. @returns the response of a page that needs the service */
async function whileServiceFails(fault: FaultName): Promise<Response> {
  await signIn(agent, provider, { as: 'verified' });
  provider.faults.always(fault);
  resetForTest(clinician); // removes the metadata, which the site has cached
  const login = await agent.get('/auth/login');
  const page = await agent.get('/cv');
  expect([login.status, login.body.code]).toEqual([page.status, page.body.code]);
  provider.faults.clear();
  await agent.get('/cv').expect(200);
  return page;
}

async function withForgedIDToken(fault: FaultName): Promise<Response> {
  provider.faults.always(fault);
  const response = await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(401);
  return response;
}

const CASES: Readonly<Record<string, (fault: FaultName) => Promise<Response>>> = {
  async denied() {
    const response = await signIn(agent, provider, { as: 'verified', deny: true });
    await agent.get('/notes').expect(401);
    return response;
  },
  async unverified() {
    await signIn(agent, provider, { as: 'pending' });
    const response = await agent.get('/notes');
    provider.clock.advance('3 days');
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(200);
    return response;
  },
  'the service fails': whileServiceFails,
  'the service is unreachable': whileServiceFails,
  async 'the access token has expired'() {
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('1 hour');
    return await agent.get('/notes');
  },
  async 'the login has expired'() {
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('30 days');
    const response = await agent.get('/notes');
    expect(logged.at(-1)).toBe('login_expired');
    return response;
  },
  async 'revoked while signed in'() {
    await signIn(agent, provider, { as: 'verified' });
    provider.revokeGrants({ username: 'verified' });
    resetForTest(clinician); // or provider.clock.advance('5 minutes')
    const response = await agent.get('/notes');
    expect(logged.at(-1)).toBe('invalid_grant');
    return response;
  },
  async 'rate limit'(fault) {
    await signIn(agent, provider, { as: 'verified' });
    provider.faults.next(fault, { window: '2 minutes' });
    const response = await agent.get('/cv');
    expect(Number(response.headers['retry-after'])).toBeCloseTo(120, -1);
    provider.clock.advance('3 minutes');
    await agent.get('/cv').expect(200);
    return response;
  },
  async 'a refresh returns another user'(fault) {
    await signIn(agent, provider, { as: 'verified' });
    provider.expireGrants({ username: 'verified', tokens: 'access' });
    provider.faults.next(fault);
    const response = await agent.get('/cv');
    await agent.get('/notes').expect(401);
    return response;
  },
  async 'another user signs in'() {
    await signIn(agent, provider, { as: 'verified' });
    const { headers } = await agent.get('/auth/login');
    const callback = new URL(await provider.signIn(String(headers.location), { as: 'pending' }));
    const response = await agent.get(callback.pathname + callback.search).redirects(1);
    await agent.get('/notes').expect(200); // the first user
    return response;
  },
  'wrong key': withForgedIDToken,
  'forged signature': withForgedIDToken,
  'unknown key': withForgedIDToken,
};

test.each(rows)('%s: the site responds as docs/test/testing.md says', async (title, fault, status, code) => {
  const response = await CASES[title]?.(fault);
  expect([response?.status, response?.body.code]).toEqual([status, code]);
});

test('docs/test/testing.md has a row for each case', () => {
  expect(rows.map(([title]) => title)).toEqual(Object.keys(CASES));
});
