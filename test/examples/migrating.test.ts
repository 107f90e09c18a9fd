import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { root } from '../architecture/imports.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

test('the route of option authorizationParams adds a prompt to every login, and keeps the options of its link', async () => {
  const page = readFileSync(join(root, 'docs', 'start', 'migrating.md'), 'utf8');
  const [, code = ''] = /^\|[^|]*`authorizationParams.*?`(app\.get\([^`]*)`/m.exec(page) ?? [];
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  new Function('app', code)(app);
  app.use(clinicianLogin({ ...loginOptions(provider), routes: { login: '/login' } }));
  const { headers } = await supertest(app).get('/login?returnTo=%2Fnotes%3Fa%3Db&maxAge=60000').expect(302);
  expect(headers.location).toBe('?returnTo=%2Fnotes%3Fa%3Db&maxAge=60000&prompt=login');
  const login = await supertest(app).get(`/login${headers.location}`).expect(302);
  const { searchParams } = new URL(login.headers.location as string);
  expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '60']);
});
