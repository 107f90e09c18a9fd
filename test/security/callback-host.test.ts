import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { type ClinicianEvent, ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';

const LOCAL = 'http://127.0.0.1:3000';
const PUBLIC = 'https://site.example';

/** A site by the origin of its callbackURL, and a function that requests a path by another host. */
function siteAt(origin: string, settings: { trustProxy?: boolean } = {}) {
  const events: ClinicianEvent[] = [];
  const options = { ...loginOptions(provider), callbackURL: `${origin}/auth/callback` };
  const clinician = clinicianLogin({
    ...options,
    onEvent: (event) => event.name === 'other_host' && events.push(event),
  });
  const passport = new Passport();
  passport.use('bound', clinician.strategy);
  passport.use('own', new ClinicianStrategy({ ...options, onEvent: () => undefined }, () => ({ id: 'x' })));
  const app = express().set('trust proxy', settings.trustProxy === true);
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(clinician);
  for (const name of ['bound', 'own']) app.get(`/${name}`, passport.authenticate(name) as RequestHandler);
  app.all('/again', (req, res, next) => void clinician.login(req, res, { prompt: 'login' }).catch(next));
  app.get('/page', clinician.signInSilently(), (_req, res) => void res.send('page'));
  const locationOf = async (path: string, headers: Record<string, string>) =>
    (
      await supertest(app)
        .get(path)
        .set({ ...navigation, ...headers })
    ).headers.location;
  return { app, events, locationOf };
}

const atProvider = () => expect.stringMatching(`^${provider.issuer}/oauth/authorize`);

describe('a login on another host than that of callbackURL', () => {
  test.each([
    ['/auth/login?returnTo=/a%3Fb', '/auth/login?returnTo=%2Fa%3Fb&from_other_host=1'],
    ['/auth/login?display=popup&prompt=login', '/auth/login?prompt=login&from_other_host=1'],
    ['/again', '/again?from_other_host=1'],
    ['/bound', '/bound?from_other_host=1'],
    ['/own?a=b', '/own?a=b&from_other_host=1'],
  ])('starts on that host, at the same path: %s', async (path, expected) => {
    const { app, events, locationOf } = siteAt(LOCAL);
    for (const host of ['localhost:3000', 'localhost', '[::1]:3000'])
      expect(await locationOf(path, { Host: host })).toBe(LOCAL + expected);
    expect(await locationOf(path, { Host: '127.0.0.1:8080' })).toEqual(atProvider());
    if (path.startsWith('/own')) return;
    expect(events).toMatchObject([{ name: 'other_host', level: 'warn', host: 'localhost', origin: LOCAL }]);
    const { headers } = await supertest(app)
      .post('/again')
      .set({ ...navigation, Host: 'localhost:3000' });
    expect(headers.location).toEqual(atProvider());
  });

  test('is redirected once only: behind a proxy that replaces the Host header it continues, and no later one is redirected', async () => {
    const { locationOf } = siteAt(PUBLIC);
    const replaced = { Host: 'backend:3000' };
    const first = new URL((await locationOf('/auth/login', replaced)) as string);
    expect(first.origin).toBe(PUBLIC);
    expect(await locationOf(first.pathname + first.search, replaced)).toEqual(atProvider());
    expect(await locationOf('/auth/login', replaced)).toEqual(atProvider());
  });

  test('at another path than the login route continues where the host is not known: the redirect might not come back', async () => {
    const { locationOf } = siteAt(PUBLIC);
    for (const path of ['/own', '/bound', '/again'])
      expect(await locationOf(path, { Host: 'backend:3000' })).toEqual(atProvider());
    await locationOf('/auth/login', { Host: 'site.example' });
    expect(await locationOf('/again', { Host: 'www.site.example' })).toBe(`${PUBLIC}/again?from_other_host=1`);
  });

  test('is redirected although another client has sent the marker, where requests show the host', async () => {
    const { locationOf } = siteAt(PUBLIC);
    expect(await locationOf('/auth/login', { Host: 'site.example' })).toEqual(atProvider());
    const www = { Host: 'www.site.example' };
    expect(await locationOf('/auth/login?from_other_host=1', www)).toEqual(atProvider());
    expect(await locationOf('/auth/login', www)).toBe(`${PUBLIC}/auth/login?from_other_host=1`);
  });

  test('is never redirected to a host of the request', async () => {
    for (const trustProxy of [true, false]) {
      const { locationOf } = siteAt(PUBLIC, { trustProxy });
      for (const path of ['/auth/login', '//evil.example/../auth/login', '/auth/login?returnTo=//evil.example']) {
        for (const host of ['evil.example', 'site.example.evil.example', 'site.example@evil.example', 'evil example']) {
          for (const headers of [{ Host: host }, { Host: 'site.example', 'X-Forwarded-Host': host }]) {
            const { origin } = new URL((await locationOf(path, headers as never)) ?? PUBLIC);
            expect([PUBLIC, provider.issuer]).toContain(origin);
          }
        }
      }
    }
  });

  test('X-Forwarded-Host is read only from a trusted proxy; without trust the host is not known', async () => {
    const forwarded = { Host: 'backend:3000', 'X-Forwarded-Host': 'www.site.example, inner' };
    expect(await siteAt(PUBLIC).locationOf('/auth/login', forwarded)).toEqual(atProvider());
    const { locationOf } = siteAt(PUBLIC, { trustProxy: true });
    expect(await locationOf('/auth/login', forwarded)).toBe(`${PUBLIC}/auth/login?from_other_host=1`);
    expect(await locationOf('/auth/login', { ...forwarded, 'X-Forwarded-Host': 'site.example' })).toEqual(atProvider());
  });

  test('a loopback host and a public one are not compared: a proxy, or a test, has replaced the host', async () => {
    expect(await siteAt(PUBLIC).locationOf('/auth/login', { Host: '127.0.0.1:3000' })).toEqual(atProvider());
    expect(await siteAt(LOCAL).locationOf('/auth/login', { Host: 'site.example' })).toEqual(atProvider());
  });

  test('is not started silently, where requests show the host', async () => {
    const { locationOf } = siteAt(LOCAL);
    const view = { 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };
    expect(await locationOf('/page', view)).toEqual(atProvider());
    expect(await locationOf('/page', { ...view, Host: 'localhost:3000' })).toBeUndefined();
  });

  test('of the test helpers is followed to that host', async () => {
    const { app } = siteAt('http://localhost:3000');
    const agent = supertest.agent(app);
    expect((await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/page' })).status).toBe(
      200,
    );
  });
});
