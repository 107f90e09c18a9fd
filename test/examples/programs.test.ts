import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import express, { type Express } from 'express';
import passport from 'passport';
import { type ClinicianLogin, type ClinicianLoginOptions, clinicianLogin } from 'passport-clinician';
import type { Pool } from 'pg';
import type { RedisClientType } from 'redis';
import supertest from 'supertest';
import { WebSocket } from 'ws';
import type { MockProvider, MockProviderOptions } from '../../lib/mock-provider/mock-provider.js';
import { startMockProvider } from '../../lib/mock-provider/start.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { root } from '../architecture/imports.js';
import { startPostgres } from '../contracts/postgres-server.js';
import { until } from '../contracts/redis-cluster.js';
import { startRedis } from '../contracts/redis-server.js';
import { printedBy } from '../helpers.js';
import { navigation, sameOriginForm, sameOriginScript } from '../integration/site.js';

/** Every provider that a program has started, on a free port. */
const providers: MockProvider[] = [];
jest.unstable_mockModule('passport-clinician/mock-provider', () => ({
  startMockProvider: async (options: MockProviderOptions) => {
    const provider = await startMockProvider({ ...options, port: 0 });
    providers.push(provider);
    return provider;
  },
}));
const sites: Server[] = [];
afterAll(async () => {
  for (const site of sites) site.close();
  await Promise.all(providers.map((provider) => provider.stop()));
});

let service: MockProvider;
beforeAll(async () => {
  const settings = './programs/settings.mjs';
  await import(settings);
  [service] = providers as [MockProvider];
});

/** Imports a file of the documents. With a query it runs again. */
const load = (name: string, query = '') => import(`./programs/${name}.mjs${query}`);

/** Runs a program of the documents. @returns a browser at its site, which listens on a free port */
async function open(program: string, query?: string): Promise<ReturnType<typeof supertest.agent>> {
  // Without the strategies and serializers of the program before.
  Reflect.apply(passport.Passport, passport, []);
  let site: Server | undefined;
  const { listen } = Server.prototype;
  const spy = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    const [address] = args;
    const { port } = typeof address === 'object' ? (address as ListenOptions) : { port: address };
    if (port !== 3000) return Reflect.apply(listen, this, args);
    site = this;
    // Fastify waits until its server listens.
    return typeof address === 'object'
      ? Reflect.apply(listen, this, [{ ...address, port: 0 }, ...args.slice(1)])
      : this;
  });
  const address = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  await load(program, query).finally(() => {
    spy.mockRestore();
    address.mockRestore();
  });
  if (!site) throw new Error(`${program} does not listen on port 3000`);
  sites.push(site);
  return supertest.agent(site);
}

/** Calls a function with the variables of `clinicianLogin.fromEnv()`. */
async function withEnvironment<T>(settings: ClinicianLoginOptions, call: () => Promise<T>): Promise<T> {
  const environment = {
    CLINICIAN_ISSUER: settings.issuer,
    CLINICIAN_API_URL: settings.apiURL,
    CLINICIAN_CLIENT_ID: settings.clientID,
    CLINICIAN_CLIENT_SECRET: settings.clientSecret,
    CLINICIAN_SCOPE: String(settings.scope),
    CLINICIAN_OPTIONAL_SCOPE: 'email',
    APP_URL: new URL(settings.callbackURL).origin,
    SESSION_SECRET: String(settings.secret),
  };
  Object.assign(process.env, environment);
  try {
    return await call();
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
  }
}

/** @returns the parameters of the authorization request that a response redirects to */
async function parametersOf(response: PromiseLike<supertest.Response>): Promise<URLSearchParams> {
  const { headers } = await response;
  return new URL(String(headers.location)).searchParams;
}

test('the site of the README: a button, a greeting by name, and a page for verified clinicians', async () => {
  const agent = await open('site');
  const provider = providers.at(-1) as MockProvider;
  expect((await agent.get('/').expect(200)).text).toContain('/auth/login');
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200, 'For verified clinicians only.');
  expect((await agent.get('/').expect(200)).text).toContain('<h1>Hello, Vera Castellanos, MD</h1>');
  await signIn(agent, provider, { as: 'hostile' });
  expect((await agent.get('/').expect(200)).text).toMatch(/<h1>Hello, [^<>]+MD<\/h1>/);
});

test('Passport with clinicianLogin(): guards know the login', async () => {
  const agent = await open('passport');
  const denied = await signIn(agent, service, {
    as: 'verified',
    deny: true,
    loginPath: '/auth/login?returnTo=%2Fnotes',
  });
  expect(denied.text).toContain('did not allow this site to sign you in');
  const loginPath = '/auth/login?returnTo=%2Fnotes';
  await agent.get(loginPath).set('Sec-Fetch-Site', 'same-origin').expect(302);
  expect((await signIn(agent, service, { as: 'verified', loginPath })).text).toBe('For verified clinicians only');
  expect((await agent.get('/').expect(200)).text).toContain('Signed in: ');
  await agent.get('/notes').expect(200);
});

test('several ways to sign in: guards lead to the page of the site, and back after either way', async () => {
  const agent = await open('several-ways');
  const linkOf = (text: string) => /href="(\/login\?[^"]*)"/.exec(text)?.[1] ?? '';
  const post = (path: string, password = 'a-local-password') =>
    agent.post(path).set(sameOriginForm).type('form').send({ name: 'ada', password });
  await post('/password?returnTo=%2Fnotes', 'wrong').expect('Location', '/login?returnTo=%2Fnotes');
  await post('/password').set('Sec-Fetch-Site', 'cross-site').expect(403);
  await post('/password?returnTo=%2F%5Cevil.example').expect('Location', '/');
  await post('/password?returnTo=%2F%3Fa=1').expect('Location', '/?a=1');
  await agent.get('/').expect(200, 'Signed in: ada');
  await agent.get('/notes').set(navigation).expect('Location', '/login?returnTo=%2Fnotes');
  const { text } = await agent.get('/login?returnTo=%2Fnotes').expect(200);
  expect(text).toContain('To sign in as a clinician, sign out first.');
  expect((await signIn(agent, service, { as: 'verified', loginPath: linkOf(text) })).text).toContain('sign out first');
  await agent.get('/').expect(200, 'Signed in: ada');
  await signOut(agent, service);
  const denyPath = `${linkOf(text)}&prompt=consent`;
  const denied = await signIn(agent, service, { as: 'verified', deny: true, loginPath: denyPath });
  expect(denied.text).toContain('did not allow this site to sign you in');
  const signedIn = await signIn(agent, service, { as: 'verified', loginPath: linkOf(denied.text) });
  expect(signedIn.text).toMatch(/^Signed in: /);
  await agent.get('/notes').expect(200, 'For verified clinicians only');

  // The page forwards all that a guard requests.
  const browser = supertest.agent(sites.at(-1));
  const requested = 'returnTo=%2Fnotes&prompt=login&maxAge=300000&scope=basic';
  const page = await browser.get(`/login?${requested}&x=%22%3E%3Cscript%3E`).expect(200);
  expect(page.text).not.toContain('<script>');
  expect((await parametersOf(browser.get(linkOf(page.text)))).toString()).toMatch(/prompt=login&max_age=300/);
});

test.each(['express-openid-connect', 'passport'])('the site that has moved from %s', async (library) => {
  const { settings } = await load('settings');
  const agent = await withEnvironment(settings, () => open(`../migrating/from-${library}`));
  if (library !== 'passport')
    await agent
      .get('/not-named')
      .set(navigation)
      .expect('Location', /^\/login\?/);
  const denyPath = '/login?prompt=consent';
  await signIn(agent, service, { as: 'verified', deny: true, loginPath: denyPath });
  expect((await agent.get('/').expect(200)).text).toContain('href="/login"');
  await signIn(agent, service, { as: 'pending', loginPath: '/login' });
  for (const path of ['/notes', '/admin']) await agent.get(path).expect(403);
  await agent.post('/logout').set(sameOriginForm).expect(200);
  const account = await signIn(agent, service, { as: 'verified', loginPath: '/login?returnTo=%2Faccount' });
  expect(account.text).toMatch(/^Account [0-9a-f-]{36}$/);
  expect((await agent.post('/notes').set(sameOriginForm).expect(200)).text).toContain('Note of');
  await agent.get('/api/me').expect(200, { name: 'Vera Castellanos, MD' });
  await agent.get('/admin').expect(200, 'For admins');
});

test('ClinicianStrategy: signs in with a verify function, and signs out at the service', async () => {
  const agent = await open('strategy');
  const { body } = await signIn(agent, service, { as: 'verified' });
  expect(body).toEqual({ id: expect.any(String), name: expect.stringMatching(/./) });
  const { headers } = await agent.post('/sign-out').expect(303);
  expect(headers.location).toMatch(`${service.issuer}/oauth/logout?`);
  expect(service.requests.some(({ path }) => path === '/oauth/revoke')).toBe(true);
  await agent.get('/me').expect(200, 'null');
});

test('PORT changes the port and the callback URL of each example', async () => {
  process.env.PORT = '3999';
  const program = './programs/settings.mjs?port';
  const { listen, settings } = await import(program).finally(() => delete process.env.PORT);
  const app = { listen: jest.fn() };
  listen(app);
  expect(app.listen).toHaveBeenCalledWith(3999, '127.0.0.1', expect.any(Function));
  expect(settings.callbackURL).toBe('http://127.0.0.1:3999/auth/callback');
});

test('protect a route', async () => {
  const agent = await open('protect-a-route');
  await agent.get('/').expect(200);
  await agent.get('/account').set(navigation).expect(302);
  await signIn(agent, service, { as: 'pending' });
  await agent.get('/account').expect(200);
  await agent.get('/notes').expect(403);
});

test('custom roles', async () => {
  const agent = await open('custom-roles');
  await signIn(agent, service, { as: 'pending' });
  await agent.get('/').expect(200, 'Articles, for your role reader');
  const reason = 'This page is for users with the role editor.';
  const { body } = await agent.get('/edit').expect(403);
  expect(body).toMatchObject({ code: 'profile_refused', detail: reason });
  const page = await agent.get('/edit').set(navigation).expect(403);
  expect(page.text).toContain('<h1>Request denied</h1>');
  expect(page.text).toContain(`<p><bdi>${reason}</bdi></p>`);
  expect(page.text).toContain('href="/auth/logout"><span>Sign out</span>');
  await signOut(agent, service);
  await signIn(agent, service, { as: 'verified' });
  await agent.get('/edit').expect(200);
});

test('popup', async () => {
  const agent = await open('popup');
  const { text } = await agent.get('/').expect(200);
  expect(text).toContain('data-clinician-display="popup"');
  const [, script = ''] = /<script src="([^"]+)"/.exec(text) ?? [];
  await agent.get(script).expect(200);
  const { text: popup } = await signIn(agent, service, { as: 'verified', loginPath: '/auth/login?display=popup' });
  expect(popup).toContain('data-clinician-popup="signed-in"');
  expect((await agent.get('/').expect(200)).text).toContain('Signed in: ');
});

test('step-up', async () => {
  const agent = await open('step-up');
  await signIn(agent, service, { as: 'verified' });
  await agent.get('/prescribe').expect(200);
  await agent.post('/confirm').set('Sec-Fetch-Site', 'cross-site').expect(403);
  expect((await parametersOf(agent.post('/confirm').set(sameOriginForm))).get('prompt')).toBe('login');
});

test('account linking', async () => {
  const agent = await open('account-linking');
  const unlinked = await signIn(agent, service, { as: 'verified' });
  expect(unlinked.status).toBe(403);
  const account = { name: 'ada', password: 'a-local-password' };
  await agent.post('/password').set(sameOriginForm).type('form').send(account).expect(200);
  // Another site can start a sign-in, and post the form.
  expect((await signIn(agent, service, { as: 'verified' })).status).toBe(403);
  await agent
    .post('/link')
    .set({ ...sameOriginForm, 'Sec-Fetch-Site': 'cross-site' })
    .expect(403);

  const { headers } = await agent.post('/link').set(sameOriginForm).expect(303);
  expect(new URL(String(headers.location)).searchParams.get('prompt')).toBe('login');
  const callback = new URL(await service.signIn(String(headers.location), { as: 'verified' }));
  await agent.get(callback.pathname + callback.search).expect(302);
  await agent.get('/').expect(200, 'Account: ada');
  await signOut(agent, service);
  await signIn(agent, service, { as: 'verified' });
  await agent.get('/').expect(200, 'Account: ada');
});

/** @returns a site with the routes that a document adds, and the settings of the other programs */
async function siteWith(addRoutes: (app: Express, settings: ClinicianLoginOptions) => void | Promise<void>) {
  const { sessions, settings } = await load('settings');
  const app = express().use(sessions);
  await addRoutes(app, settings);
  return supertest.agent(app);
}

test('sign-out and revocation with clinicianLogin()', async () => {
  const { addAccountPage } = await load('account-page');
  const agent = await siteWith((app, settings) => {
    const clinician = clinicianLogin(settings);
    addAccountPage(app.use(clinician), clinician);
  });
  await signIn(agent, service, { as: 'verified' });
  const { text } = await agent.get('/account').expect(200);
  expect(text).toContain('action="/auth/logout"');
  await agent.post('/auth/forget').set(sameOriginForm).expect(303);
  await agent.get('/account').expect(401);
});

function addSignIn(app: Express, clinician: ClinicianLogin) {
  passport.use(clinician.strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  app.use(passport.session());
  app.get('/auth/login', passport.authenticate('clinician'));
  const to = { failureRedirect: '/denied', successReturnToOrRedirect: '/' };
  app.get('/auth/callback', passport.authenticate('clinician', to));
  app.use(clinician);
}

test('sign-in and sign-out with Passport', async () => {
  const { addSignOut } = await load('sign-out-with-passport');
  const agent = await siteWith((app, settings) => {
    const clinician = clinicianLogin(settings);
    addSignIn(app, clinician);
    addSignOut(app, clinician);
    app.get('/notes', clinician.requireLogin(), (_req, res) => void res.send('notes'));
  });
  for (const [path, status] of [
    ['/sign-out', 303],
    ['/logout', 200],
  ] as const) {
    await signIn(agent, service, { as: 'verified' });
    await agent.get('/notes').expect(200);
    await agent.post(path).set('Sec-Fetch-Site', 'cross-site').expect(403);
    await agent.post(path).set(sameOriginForm).expect(status);
    await agent.get('/notes').expect(401);
  }
});

test('data that is carried over', async () => {
  const agent = await siteWith(async (app, settings) => {
    const { clinician } = await withEnvironment(settings, () => load('carry-over'));
    app.use(clinician);
    app.post('/cart', (req, res) => void res.send(Object.assign(req.session, { cart: [1], role: 'admin' })));
    app.get('/session', (req, res) => void res.send(req.session));
  });
  await agent.post('/cart').expect(200);
  await signIn(agent, service, { as: 'verified' });
  const { body } = await agent.get('/session').expect(200);
  expect(body).toMatchObject({ cart: [1] });
  expect(body).not.toHaveProperty('role');
});

test('account linking with Passport', async () => {
  const { linkAccount } = await load('link-with-passport');
  const states: unknown[] = [];
  const agent = await siteWith((app, settings) => {
    const onSignIn: ClinicianLoginOptions['onSignIn'] = ({ identity, state }) => {
      states.push(state);
      return { id: identity.id };
    };
    const clinician = clinicianLogin({ ...settings, onSignIn });
    addSignIn(app, clinician);
    app.post('/link', clinician.requireSameOrigin(), linkAccount);
    app.get('/me', (req, res) => void res.send(req.user));
  });
  await agent.post('/link').set(sameOriginForm).expect(401);
  await signIn(agent, service, { as: 'verified' });
  const { body: user } = await agent.get('/me').expect(200);
  const { headers } = await agent.post('/link').set(sameOriginForm).expect(302);
  expect(new URL(String(headers.location)).searchParams.get('prompt')).toBe('login');
  const callback = new URL(await service.signIn(String(headers.location), { as: 'verified' }));
  await agent.get(callback.pathname + callback.search).expect(302);
  expect(states).toEqual([undefined, user.id]);

  const other = await agent.post('/link').set(sameOriginForm).expect(302);
  const replaced = new URL(await service.signIn(String(other.headers.location), { as: 'pending' }));
  await agent.get(replaced.pathname + replaced.search).expect('Location', '/denied');
  expect(states).toEqual([undefined, user.id]);
});

test('two services on one site', async () => {
  const agent = await open('two-services');
  const registry = providers.at(-1) as MockProvider;
  await signIn(agent, service, { as: 'verified', loginPath: '/hospital/login' });
  await agent.get('/notes').expect(200);
  await agent.get('/licence').expect(401);
  await signIn(agent, registry, { as: 'verified', loginPath: '/registry/login' });
  await agent.get('/licence').expect(200);
  await agent.get('/notes').expect(401);
});

test('a test of a site', async () => {
  await expect(load('test-a-site')).resolves.toBeDefined();
});

test.each(['fastify', 'koa', 'hono'])('%s: sign-in, guards, errors and sign-out', async (program) => {
  const agent = await open(program);
  const front = await agent
    .get('/')
    .expect(200)
    .expect('Content-Type', /^text\/html/);
  expect(front.text).toContain('href="/auth/login');
  await agent.get('/notes').set(navigation).expect(302).expect('Location', '/auth/login?returnTo=%2Fnotes');
  const refused = await agent.get('/notes?a=1').set(sameOriginScript).expect(401);
  expect(Object(refused).res.statusMessage).toBe('Unauthorized');
  await agent.get('/unknown').expect(404);

  const loginPath = '/auth/login?returnTo=/notes';
  const pending = await signIn(agent, service, { as: 'pending', loginPath });
  expect([pending.status, pending.text]).toEqual([403, expect.stringContaining('verification_pending')]);
  await agent.get('/?a=1').expect(200, 'Signed in');
  await signOut(agent, service);
  const notes = await signIn(agent, service, { as: 'verified', loginPath });
  expect([notes.status, notes.text]).toEqual([200, expect.stringMatching(/^Notes of [0-9a-f-]{36}$/)]);
  const fromOtherSite = { ...sameOriginForm, 'Sec-Fetch-Site': 'cross-site' };
  await agent.post('/auth/logout').set(fromOtherSite).expect(403);
  await signOut(agent, service);
  expect((await agent.get('/').expect(200)).text).toContain('href="/auth/login');
  service.faults.next('serverError', { endpoint: '/oauth/token' });
  expect((await signIn(agent, service, { as: 'verified' })).status).toBe(503);

  if (program !== 'fastify') return;
  const profilePath = '/auth/login?returnTo=%2Fprofile';
  await agent.get('/profile').set(navigation).expect(302).expect('Location', profilePath);
  expect((await signIn(agent, service, { as: 'verified', loginPath: profilePath })).text).toBe('Hello Vera');
});

/** Connects with the headers of a browser. @returns the client, when it is connected or refused, and the reason of a refusal */
async function connectWS(port: number, headers: Record<string, string>) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers });
  const reason = await new Promise<string | undefined>((resolve) => {
    socket.once('open', () => resolve(undefined)).once('error', () => undefined);
    socket.once('unexpected-response', (_request, { statusCode, statusMessage }) =>
      resolve(`${statusCode} ${statusMessage}`),
    );
  });
  const closed = once(socket, 'close').then(([code, text]) => `${code} ${text}`);
  const note = async (text: string) => {
    socket.send(text);
    return String((await once(socket, 'message'))[0]);
  };
  return { reason, closed, note };
}

test('ws: a websocket for signed-in users, which a sign-out disconnects', async () => {
  const every = jest.spyOn(globalThis, 'setInterval');
  const agent = await open('ws');
  const server = (sites.at(-1) as Server).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const own = { Origin: 'http://127.0.0.1:3000' };
  const printed = await printedBy(async () => {
    expect((await connectWS(port, own)).reason).toBe('401 sign_in_required');
  });
  expect(printed).toEqual([expect.stringMatching(/^passport-clinician \[sign_in_required\]/)]);

  await signIn(agent, service, { as: 'verified' });
  const access = { domain: '127.0.0.1', path: '/', secure: false, script: false };
  const Cookie = agent.jar.getCookies(access).toValueString();
  expect((await connectWS(port, { Cookie, Origin: 'https://evil.example' })).reason).toBe('403 cross_site_request');
  const headers = { ...own, Cookie };
  const one = await connectWS(port, headers);
  const two = await connectWS(port, headers);
  expect(one.reason).toBe(undefined);
  expect(await one.note('hello')).toMatch(/^[0-9a-f-]{36}: hello$/);

  await signOut(agent, service);
  one.note('after the sign-out').catch(() => undefined);
  expect(await one.closed).toBe('4401 sign_in_required');
  const minutes = every.mock.calls.filter(([, ms]) => ms === 60_000);
  for (const [check] of minutes) check();
  expect(await two.closed).toBe('4401 sign_in_required');
  every.mockRestore();
  const { reason } = await connectWS(port, headers);
  expect(reason).toBe('401 sign_in_required');
});

test('a single-page application opens the sign-in when its API responds with 401', async () => {
  const agent = await open('single-page');
  await agent.get('/api/session').set(sameOriginScript).expect(200, { isAuthenticated: false });
  const assign = jest.fn();
  Object.assign(globalThis, { location: { pathname: '/notes', search: '?a=1', hash: '#b', assign } });
  const fetched = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{}', { status: 401 }));
  const api = './single-page/api.js';
  const { callAPI } = await import(api);
  void callAPI('/api/notes');
  await new Promise(setImmediate);
  fetched.mockRestore();
  Reflect.deleteProperty(globalThis, 'location');
  expect(assign.mock.calls).toEqual([['/auth/login?returnTo=%2Fnotes%3Fa%3D1%23b']]);
});

test('a log has one line of JSON for each event, with the id of the process, and no token', async () => {
  const { logEvent } = await load('json-log');
  const agent = await siteWith((app, settings) => void app.use(clinicianLogin({ ...settings, onEvent: logEvent })));
  const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  await agent.get('/auth/callback?error=access_denied&state=unknown').expect(403);
  await signIn(agent, service, { as: 'verified' });
  const lines = printed.mock.calls.map(([line]) => String(line));
  printed.mockRestore();
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ time, level: 'info', pid: process.pid, event: 'sign_in_failed', remedy: 'sign_in' }),
    expect.objectContaining({ time, level: 'info', pid: process.pid, event: 'signed_in', flow: 'openid' }),
  ]);
  expect(lines.join('')).not.toMatch(/\n|eyJ/);
});

test('an outage of a store is two lines of JSON in the log, and each request gets 503', async () => {
  const { orUnavailable } = await load('or-unavailable');
  const failing = orUnavailable((_req: unknown, _res: unknown, next: (error: unknown) => void) => {
    next(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
  });
  const site = express().use(failing);
  const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const lines = () => printed.mock.calls.map(([line]) => JSON.parse(String(line)));
  const [time, pid] = [expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), process.pid];
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date', 'performance'] });
  try {
    for (const last of [1, 2]) {
      for (let times = 0; times < 5; times += 1) {
        await supertest(site).get('/').expect(503).expect('Retry-After', '5');
        jest.advanceTimersByTime(9_000);
      }
      expect(lines()).toHaveLength(2 * last - 1);
      jest.advanceTimersByTime(1_000);
      expect(lines()).toHaveLength(2 * last);
    }
    const [start, end] = lines();
    expect(start).toEqual({ time, level: 'warn', pid, event: 'store_failing', message: 'ECONNREFUSED' });
    expect(end).toEqual({ time, level: 'warn', pid, event: 'store_not_failing', message: expect.any(String) });
  } finally {
    jest.useRealTimers();
    printed.mockRestore();
  }
});

interface Database {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Signs in, and again after an outage of the database, during which the site responds 503 and prints at most one line. */
async function signInAroundOutage(origin: string, whileSignedIn: () => Promise<void>, { start, stop }: Database) {
  const { settings } = await load('settings');
  const callbackURL = `${origin}/auth/callback`;
  const agent = await withEnvironment({ ...settings, callbackURL }, () => open('redis', `?${origin}`));
  await signIn(agent, service, { as: 'verified' });
  const access = { domain: '127.0.0.1', path: '/', secure: true, script: false };
  const isSecure = origin.startsWith('https:');
  const name = isSecure ? '__Host-site' : 'site';
  expect(agent.jar.getCookie(name, access as never)).toMatchObject({ secure: isSecure, noscript: true });
  await agent.get('/account').expect(200);
  await whileSignedIn();
  const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  await stop();
  const unavailable = await agent.get('/account').expect(503).expect('Retry-After', '5');
  expect(unavailable.text).toBe('Please try again in a few seconds.');
  expect(printed.mock.calls.length).toBeLessThanOrEqual(1);
  await start();
  printed.mockRestore();
  await agent.get('/account').expect(200);
  await signOut(agent, service);
}

const testOnRedis = process.env.REDIS_SERVER ? test : test.skip;
testOnRedis('Redis, and a worker process', async () => {
  const redis = await startRedis();
  process.env.REDIS_URL = redis.url;
  const { client } = (await load('stores')) as { client: RedisClientType };
  const { sendDigest } = await load('worker');
  const start = async () => {
    await redis.start();
    await until(async () => client.isReady);
  };
  let grantID = '';
  const sendToUser = async () => {
    expect(await client.keys('clinician:*')).not.toEqual([]);
    const [session = ''] = await client.keys('sess:*');
    [, grantID = ''] = /\\"grantID\\":\\"([^\\]+)/.exec((await client.get(session)) ?? '') ?? [];
    expect(await sendDigest({ grantID })).toBe('Sent to Vera');
  };
  try {
    await signInAroundOutage('https://127.0.0.1', sendToUser, { start, stop: redis.stop });
    expect(await sendDigest({ grantID })).toBe('Skipped: the user has signed out');
  } finally {
    client.destroy();
    await redis.dispose();
  }
});

const testOnPostgres = process.env.POSTGRES_SERVER ? test : test.skip;
testOnPostgres('PostgreSQL, for sessions and tokens, with the tables and permissions of the guide', async () => {
  const postgres = await startPostgres();
  const admin = postgres.pool({ max: 1 });
  const guide = await readFile(join(root, 'docs', 'operate', 'token-stores.md'), 'utf8');
  const [tables = '', grant = ''] = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);
  await admin.query(`REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE permitted LOGIN; ${tables}`);
  await admin.query(grant.replace('TO site', 'TO permitted'));
  process.env.DATABASE_URL = postgres.url.replace('site@', 'permitted@');
  const { pool, ...stores } = (await load('postgres-stores')) as { pool: Pool };
  jest.unstable_mockModule('./programs/stores.mjs', () => stores);
  const rows = async (table: string) => (await pool.query(`SELECT * FROM ${table}`)).rows;
  const expectRows = async () => {
    expect(await rows('session')).toHaveLength(1);
    expect(await rows('clinician_tokens')).toMatchObject([{ kind: 'grant' }]);
  };
  try {
    await signInAroundOutage('http://127.0.0.1:3000', expectRows, postgres);
    expect(await rows('clinician_tokens')).toEqual([]);
  } finally {
    await pool.end();
    // end() does not wait until the server has closed the connections.
    const others = "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    await until(async () => (await admin.query(others)).rows.length === 0);
    await postgres.dispose();
  }
});
