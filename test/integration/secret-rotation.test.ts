import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { cookieName, logoutURLOf, navigation, type SiteOptions, sameOriginForm, siteFor } from './site.js';

const OLD = 'planted-old-secret-0123456789-0123456789';
const NEW = 'planted-new-secret-0123456789-0123456789';
const ownPage = { ...navigation, 'Sec-Fetch-Site': 'same-origin' };

const isCallOf = (path: string) => provider.requests.filter((request) => request.path === path).length;

/** Two processes of one site behind one address, each with its list of secrets. They share sessions and tokens. */
function twoProcesses(
  secrets: readonly [readonly string[], readonly string[]],
  { sessionSecret, each = [] }: { sessionSecret?: string; each?: SiteOptions[] } = {},
) {
  const shared = { tokenStore: new MemoryTokenStore({ clock: provider.clock }), clock: provider.clock };
  const store = new session.MemoryStore();
  const events: ClinicianEvent[] = [];
  const apps = secrets.map((secret, index) => {
    const signed = { store, secret: sessionSecret ?? [...secret] };
    const onEvent = (event: ClinicianEvent) => events.push(event);
    const { app } = siteFor(provider, { ...shared, secret, onEvent, session: signed, ...each[index] });
    return app;
  });
  let current = 0;
  const agent = supertest.agent((req: IncomingMessage, res: ServerResponse) =>
    apps[current]?.(req as never, res as never),
  );
  /** @returns the browser, whose next requests reach one of the processes */
  const at = (index: number) => {
    current = index;
    return agent;
  };
  const codesOf = (name: string) => events.filter((event) => event.name === name).map(({ code }) => code);
  const countOf = (name: string) => events.filter((event) => event.name === name).length;
  return { at, apps, events, codesOf, countOf };
}

/** Signs in at the service. @returns the path of the callback, not requested yet. */
async function callbackOf(location: unknown, as: string): Promise<string> {
  const back = new URL(await provider.signIn(location as string, { as }));
  return back.pathname + back.search;
}

type Processes = ReturnType<typeof twoProcesses>;

/** Starts a sign-in at one process. @returns the response of the other one at the callback. */
async function signInAcross({ at }: Processes, start: number, end: number, as = 'verified') {
  const { headers } = await at(start).get('/auth/login?returnTo=%2Fme').set(ownPage).expect(302);
  return await at(end)
    .get(await callbackOf(headers.location, as))
    .set(ownPage);
}

async function expectUser({ at }: Processes, as: string): Promise<void> {
  for (const index of [0, 1]) {
    const { body } = await at(index).get('/me').expect(200);
    expect(body.identity.id).toBe(provider.clinicians.get(as).sub);
  }
}

describe.each<[string, [string[], string[]]]>([
  ['append the new secret', [[OLD], [OLD, NEW]]],
  [
    'move the new secret to the front',
    [
      [OLD, NEW],
      [NEW, OLD],
    ],
  ],
  ['remove the old secret', [[NEW, OLD], [NEW]]],
])('while the processes restart one by one, to %s', (_step, secrets) => {
  test.each<[number, number]>([
    [0, 1],
    [1, 0],
  ])('a user who goes from process %d to process %d signs in, uses the tokens and signs out', async (one, other) => {
    const processes = twoProcesses(secrets);
    const { headers } = await signInAcross(processes, one, other);
    expect(headers.location).toBe('/me');
    await expectUser(processes, 'verified');
    for (const index of [other, one, other]) {
      provider.clock.advance('2 hours');
      await processes.at(index).get('/profile').expect(200);
      await expectUser(processes, 'verified');
    }
    expect(isCallOf('/oauth/token')).toBe(4);
    const logout = await processes.at(one).post('/auth/logout').set(sameOriginForm);
    const atService = await fetch(await logoutURLOf(processes.at(other), logout), { redirect: 'manual' });
    const back = new URL(atService.headers.get('location') as string);
    const page = await processes.at(other).get(back.pathname + back.search);
    expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
    expect(processes.codesOf('login_ended')).toEqual([]);
    expect(processes.countOf('secret_unknown')).toBe(0);
  });
});

describe('a process that does not have the secret that seals in another one', () => {
  const NEITHER_APPENDED = [[OLD], [NEW, OLD]] as const;

  test('does not end a login whose tokens the other one has refreshed', async () => {
    const processes = twoProcesses(NEITHER_APPENDED);
    await signInAcross(processes, 0, 0);
    provider.clock.advance('2 hours');
    await processes.at(1).get('/profile').expect(200);
    provider.clock.advance('6 minutes');
    for (const path of ['/me', '/profile', '/me']) await processes.at(0).get(path).expect(401);
    const { headers } = await processes.at(0).get('/me').set(ownPage).expect(302);
    expect(headers.location).toBe('/auth/login?returnTo=%2Fme');
    await processes.at(1).get('/me').expect(200);
    await processes.at(1).get('/profile').expect(200);
    expect(processes.codesOf('login_ended')).toEqual([]);
    expect(processes.countOf('secret_unknown')).toBe(1);
  });

  test('signs its users in again after the secret was removed', async () => {
    const processes = twoProcesses([[OLD], [NEW]], { sessionSecret: 'planted-session-secret' });
    await signInAcross(processes, 0, 0);
    provider.clock.advance('6 minutes');
    await processes.at(1).get('/me').expect(401);
    const { headers } = await signInAcross(processes, 1, 1);
    expect(headers.location).toBe('/me');
    await processes.at(1).get('/me').expect(200);
    expect(processes.codesOf('revocation_failed')).toEqual(['grant_secret_unknown']);
  });
});

test('cookies with an invented key id sign no user in, and are reported once in ten minutes', async () => {
  const { at, apps, countOf } = twoProcesses([[OLD], [OLD]]);
  const { headers } = await at(0).get('/auth/login').set(ownPage).expect(302);
  const [name = '', value = ''] = String(headers['set-cookie']).split(/[=;]/);
  expect(name).toMatch(cookieName(provider, 'tx-'));
  const callback = await callbackOf(headers.location, 'verified');
  const codeWith = async (keyID: number) => {
    const sealed = Buffer.from(value, 'base64url');
    sealed.writeUInt32BE(keyID, 1);
    const forged = `${name}=${sealed.toString('base64url')}`;
    const { text } = await supertest(apps[1] as never)
      .get(callback)
      .set('Cookie', forged)
      .expect(403);
    return JSON.parse(text).code;
  };
  for (let keyID = 1; keyID <= 20; keyID += 1) expect(await codeWith(keyID)).toBe('transaction_secret_unknown');
  expect(countOf('secret_unknown')).toBe(1);
  provider.clock.advance('10 minutes');
  await codeWith(21);
  expect(countOf('secret_unknown')).toBe(2);
});

test('a process without the current client secret ends no login: sign-ins and refreshes fail until it has it', async () => {
  const onSignIn = () => ({ id: 'user-1' });
  const outdated = { onSignIn, clientSecret: 'planted-old-client-secret' };
  const { at, apps, events } = twoProcesses([[OLD], [OLD]], { each: [{ onSignIn }, outdated] });
  await signIn(at(0), provider, { as: 'verified' });
  for (const index of [0, 1]) await at(index).get('/profile').expect(200);
  provider.clock.advance('2 hours');
  await at(1).get('/me').expect(200);
  await at(1).get('/profile').expect(500);
  await at(1).get('/me').expect(200);
  expect((await signIn(supertest.agent(apps[1]), provider, { as: 'connected' })).status).toBe(500);
  await at(0).get('/profile').expect(200);
  const failures = events.filter(({ code }) => code === 'invalid_client');
  expect(new Set(failures.map(({ name }) => name))).toEqual(new Set(['refresh_failed', 'sign_in_failed']));
  expect(failures[0]).toMatchObject({ name: 'refresh_failed', level: 'error', userID: 'user-1' });
  expect(events.map(({ name }) => name)).not.toContain('login_ended');
});
