import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';

const LOCAL = 'http://127.0.0.1:3000';
const PUBLIC = 'https://site.example';

/** A site by the origin of its callbackURL, and a function that requests a path by another host. */
function siteAt(origin: string) {
  const options = { ...loginOptions(provider), callbackURL: `${origin}/auth/callback` };
  const clinician = clinicianLogin(options);
  const passport = new Passport();
  passport.use('bound', clinician.strategy);
  passport.use('own', new ClinicianStrategy(options, () => ({ id: 'x' })));
  const app = express();
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
  return { app, locationOf };
}

const atProvider = () => expect.stringMatching(`^${provider.issuer}/oauth/authorize`);

describe('a login on another name of this machine than that of callbackURL', () => {
  test.each([
    ['/auth/login?returnTo=/a%3Fb', '/auth/login?returnTo=%2Fa%3Fb&from_other_host=1'],
    ['/auth/login?display=popup&prompt=login', '/auth/login?prompt=login&from_other_host=1'],
    ['/again', '/again?from_other_host=1'],
    ['/bound', '/bound?from_other_host=1'],
    ['/own?a=b', '/own?a=b&from_other_host=1'],
  ])('starts on that host, at the same path: %s', async (path, expected) => {
    const { app, locationOf } = siteAt(LOCAL);
    for (const host of ['localhost:3000', 'localhost', '[::1]:3000'])
      expect(await locationOf(path, { Host: host })).toBe(LOCAL + expected);
    expect(await locationOf(path, { Host: '127.0.0.1:8080' })).toEqual(atProvider());
    if (path.startsWith('/own')) return;
    const { headers } = await supertest(app)
      .post('/again')
      .set({ ...navigation, 'Sec-Fetch-Site': 'same-origin', Host: 'localhost:3000' });
    expect(headers.location).toEqual(atProvider());
  });

  test('is redirected once only: behind a proxy that replaces the Host header it continues', async () => {
    const { locationOf } = siteAt(LOCAL);
    const replaced = { Host: 'localhost:4000' };
    const first = new URL((await locationOf('/auth/login', replaced)) as string);
    expect(await locationOf(first.pathname + first.search, replaced)).toEqual(atProvider());
    expect(await locationOf('/auth/login', { ...replaced, 'X-Forwarded-Host': 'localhost' })).toEqual(atProvider());
  });

  test('is never redirected to a host of the request, nor from or to a public one', async () => {
    for (const origin of [LOCAL, PUBLIC]) {
      const { locationOf } = siteAt(origin);
      for (const path of ['/auth/login', '//evil.example/../auth/login', '/auth/login?returnTo=//evil.example']) {
        for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost@evil.example', 'evil example']) {
          const location = (await locationOf(path, { Host: host })) ?? LOCAL;
          expect([LOCAL, provider.issuer]).toContain(new URL(location).origin);
        }
      }
    }
    expect(await siteAt(PUBLIC).locationOf('/auth/login', { Host: '127.0.0.1:3000' })).toEqual(atProvider());
  });

  test('is not started silently', async () => {
    const { locationOf } = siteAt(LOCAL);
    const view = { 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };
    expect(await locationOf('/page', { ...view, Host: '127.0.0.1:3000' })).toEqual(atProvider());
    expect(await locationOf('/page', { ...view, Host: 'localhost:3000' })).toBeUndefined();
  });

  test('of the test helpers is followed to that host', async () => {
    const { app } = siteAt('http://localhost:3000');
    const agent = supertest.agent(app);
    const { status } = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/page' });
    expect(status).toBe(200);
  });
});
