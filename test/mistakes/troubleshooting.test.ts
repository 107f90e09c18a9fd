import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ERROR_SECTIONS, WARNING_CODES } from '../../lib/errors/error-codes.js';
import { clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { root } from '../architecture/imports.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

const newSession = () => session({ secret: sealingSecret, resave: false, saveUninitialized: false });

test('each code in docs/start/troubleshooting.md is one of this package', () => {
  const page = readFileSync(join(root, 'docs', 'start', 'troubleshooting.md'), 'utf8');
  const named = [...page.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code);
  const codes = [...ERROR_SECTIONS.flatMap(([, section]) => Object.keys(section)), ...Object.keys(WARNING_CODES)];
  expect(named.length).toBeGreaterThan(10);
  // OAuth has that one.
  expect(named.filter((code) => ![...codes, 'invalid_client'].includes(String(code)))).toEqual([]);
});

test.each<[string, (clinician: RequestHandler, show: RequestHandler) => Express, string]>([
  ['after the route', (clinician, show) => express().use(newSession()).get('/home', show).use(clinician), 'undefined'],
  [
    'below a path',
    (clinician, show) => express().use(newSession()).use('/auth', clinician).get('/home', show),
    'undefined',
  ],
  ['before the route', (clinician, show) => express().use(newSession(), clinician).get('/home', show), 'object'],
])(
  'after a sign-in at a site with app.use(clinician) %s, the page has req.user and req.clinician only in the last case',
  async (...row) => {
    const [, create, shown] = row;
    const app = create(clinicianLogin(loginOptions(provider)) as RequestHandler, (req, res) => {
      res.json([typeof req.user, typeof req.clinician]);
    });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/home')).body).toEqual([shown, shown]);
  },
);

test.each([
  ['without passport.session()', false, 'undefined'],
  ['with it', true, 'object'],
])('on a site with Passport %s, a guarded route has req.user only then', async (_, isRestored, type) => {
  const clinician = clinicianLogin(loginOptions(provider));
  const passport = new Passport().use(clinician.strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: object, done) => done(null, user as Express.User));
  const app = express().use(newSession());
  if (isRestored) app.use(passport.session());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician', { successRedirect: '/me' })).use(clinician);
  app.get('/me', clinician.requireLogin(), (req, res) => void res.send(typeof req.user));
  expect((await signIn(supertest.agent(app), provider, { as: 'verified' })).text).toBe(type);
});
