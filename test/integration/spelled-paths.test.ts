import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect as connectHTTP2, createServer as createHTTP2Server } from 'node:http2';
import { type AddressInfo, connect as connectTCP } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import express4 from 'express-4';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, clinicianLogin } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { bareSite, loginOptions, navigation, sameOriginForm, sealingSecret } from './site.js';

type NewExpress = typeof express;

/** @returns a site with a page, and with routes that are spelled as those of the drop-in are, to compare with them. */
function siteOf(newExpress: NewExpress, settings: readonly string[] = []): Express {
  const enabled = newExpress();
  for (const setting of settings) enabled.enable(setting);
  const { app, clinician } = bareSite(provider, {}, enabled);
  app.get('/auth/own', (_req, res) => void res.status(418).end());
  app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
  return app;
}

const CASE = 'case sensitive routing';
const STRICT = 'strict routing';

describe.each<[string, NewExpress]>([
  ['Express 5', express],
  ['Express 4', express4 as unknown as NewExpress],
])('on %s', (_, newExpress) => {
  test.each<[path: string, own: string, settings: string[], found: boolean]>([
    ['/auth/login', '/auth/own', [CASE, STRICT], true],
    ['/auth/login/', '/auth/own/', [], true],
    ['/auth/login/', '/auth/own/', [STRICT], false],
    ['/Auth/LOGIN', '/Auth/OWN', [], true],
    ['/Auth/LOGIN', '/Auth/OWN', [CASE], false],
    ['/AUTH/login/', '/AUTH/own/', [CASE], false],
    ['/auth/%6cogin', '/auth/%6fwn', [], false],
    ['//auth/login', '//auth/own', [], false],
    ['/auth/./login', '/auth/./own', [], false],
    ['/auth/login/x', '/auth/own/x', [], false],
  ])('%s is a route if the site takes %s for a route, with the settings %j', async (path, own, settings, found) => {
    const agent = supertest(siteOf(newExpress, settings));
    await agent.get(own).expect(found ? 418 : 404);
    await agent.get(path).expect(found ? 302 : 404);
  });

  test.each(['/auth/callback/', '/Auth/Callback'])('a callback at %s signs in, once, and not by HEAD', async (path) => {
    const agent = supertest.agent(siteOf(newExpress));
    const { headers } = await agent.get('/auth/login').expect(302);
    const { search } = new URL(await provider.signIn(String(headers.location), { as: 'verified' }));
    await agent.head(path + search).expect(405);
    await agent
      .get(path + search)
      .set('Sec-Purpose', 'prefetch')
      .expect(503);
    await agent.get(path + search).expect(302);
    await agent.get('/me').expect(200);
    const again = await agent.get(path + search).set(navigation);
    expect(again.headers.location).toBe('/auth/callback');
    await agent.post('/Auth/Logout/').set('Sec-Fetch-Site', 'cross-site').expect(403);
    await agent.post('/Auth/Logout/').set(sameOriginForm).expect(200);
    await agent.get('/me').expect(401);
  });
});

test('routes that a router takes for the same path are a conflict', () => {
  const routes = { login: '/Auth/Callback/' };
  expect(() => clinicianLogin(loginOptions(provider, { routes }))).toThrow(
    /routes\.login and callbackURL are the same/,
  );
});

/** Sends a request line to a server. @returns the status and the `Location` of the response */
async function sendLine(listener: RequestListener, line: string, headers: Record<string, string>): Promise<string[]> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connectTCP((server.address() as AddressInfo).port, '127.0.0.1');
  const lines = Object.entries({ Host: '127.0.0.1:3000', Connection: 'close', ...headers }).map((one) =>
    one.join(': '),
  );
  socket.write(`${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
  const response = await text(socket);
  server.close();
  return [/ (\d+)/.exec(response)?.[1] ?? '', /^Location: ([^?\r]*.*)\r$/im.exec(response)?.[1] ?? ''];
}

test.each([
  ['http://127.0.0.1:3000/me?a=1', '%2Fme%3Fa%3D1'],
  ['HTTPS://site.example/me', '%2Fme'],
])('a guard returns to the page of the request target %s', async (target, returnTo) => {
  const location = `/auth/login?returnTo=${returnTo}`;
  expect(await sendLine(siteOf(express), `GET ${target}`, navigation)).toEqual(['302', location]);
});

/** @returns a site without Express, which guards each path. */
function siteOnNode(): (req: object, res: object) => void {
  const sessions = session({ secret: sealingSecret, resave: false, saveUninitialized: false });
  const clinician = clinicianLogin(loginOptions(provider));
  const [run, guard] = [clinician, clinician.requireLogin()] as ((...args: unknown[]) => void)[];
  return (req, res) => sessions(req as never, res as never, () => run?.(req, res, () => guard?.(req, res)));
}

test('without Express, a request target with a host leads to the route, and a page of another host is no returnTo', async () => {
  const [status, location] = await sendLine(siteOnNode(), 'GET http://127.0.0.1:3000/auth/login', {});
  expect([status, location]).toEqual(['302', expect.stringContaining('/oauth/authorize')]);
  const other = await sendLine(siteOnNode(), 'GET http://127.0.0.1:3000//evil.example/me', navigation);
  expect(other).toEqual(['302', '/auth/login?returnTo=%2F%2Fevil.example%2Fme']);
  const [, continued] = await sendLine(siteOnNode(), 'GET /auth/login?returnTo=%2F%2Fevil.example%2Fme', {});
  expect(continued).not.toContain('evil.example');
});

test('in HTTP/2, a sign-in at another name of this machine moves to the host of callbackURL', async () => {
  const server = createHTTP2Server(siteOnNode()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectHTTP2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const headersAt = async (authority: string) => {
    const [headers] = await once(client.request({ ':authority': authority, ':path': '/auth/login' }), 'response');
    return headers as { location: string };
  };
  expect((await headersAt('localhost:3000')).location).toMatch(/^http:\/\/127\.0\.0\.1:3000\/auth\/login\?/);
  expect((await headersAt('127.0.0.1:3000')).location).toContain('/oauth/authorize');
  client.close();
  server.close();
});

test.each([
  ['GET *', '302', '/auth/login?returnTo=%2F'],
  ['HEAD *', '302', '/auth/login?returnTo=%2F'],
  ['OPTIONS *', '401', ''],
  ['HEAD /favicon.ico', '302', '/auth/login?returnTo=%2Ffavicon.ico'],
])('behind a guard of every path, %s asks for a sign-in, and reports no failure', async (line, status, location) => {
  const events: ClinicianEvent[] = [];
  const { app, clinician } = bareSite(provider, { onEvent: (event) => events.push(event) });
  app.use(clinician.requireLogin(), clinician.errorHandler());
  await supertest(app).get('/').expect(401);
  const headers = line.startsWith('OPTIONS') ? { Accept: '*/*' } : navigation;
  expect(await sendLine(app, line, headers)).toEqual([status, location]);
  expect(events).toEqual([]);
});

test('a path that the session cookie leaves out is a mistake of the site, not an outage of its store', async () => {
  const { app, clinician } = bareSite(provider, { session: { cookie: { path: '/app' } } });
  app.use(clinician.requireLogin(), clinician.errorHandler());
  await supertest(app).get('/app/x').expect(401);
  const { body } = await supertest(app).get('/x').expect(500);
  expect(body).toMatchObject({ code: 'session_missing', detail: expect.stringContaining('cookie.path') });
});
