import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { root } from '../architecture/imports.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

/** @returns the names in a table of the page, in the column `option of ...`, with the text of the column `here`. */
function listedOptions(library: string): [name: string, here: string][] {
  const page = readFileSync(join(root, 'docs', 'start', 'migrating.md'), 'utf8');
  const rows = page.split(`| option of ${library} | here |\n|---|---|\n`)[1]?.split('\n\n')[0] ?? '';
  return rows.split('\n').flatMap((row) => {
    const [, names = '', here = ''] = row.split('|');
    return namesIn(names).map((name): [string, string] => [name, here]);
  });
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([\w.]+)/g)].map(([, name = '']) => name);

test('the route of option authorizationParams adds a prompt to every login, and keeps the options of its link', async () => {
  const [, here = ''] = listedOptions('express-openid-connect').find(([name]) => name === 'authorizationParams') ?? [];
  const [code = ''] = /app\.get\(.*?(?=`)/.exec(here) ?? [];
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

test.each<[string, (options: never) => unknown]>([
  ['the Passport strategies', (options) => new ClinicianStrategy(options, () => undefined)],
  ['express-openid-connect', clinicianLogin],
])('an option of %s that is not one here is refused with its name', (library, create) => {
  const listed = listedOptions(library);
  expect(listed.length).toBeGreaterThan(9);
  for (const [name, here] of listed) {
    if (/^ (?:the same|`routes`)|are accepted/.test(here)) continue;
    const options = { ...loginOptions(provider), [name]: 'x' };
    expect(() => create(options as never)).toThrow(`unknown option '${name}'`);
  }
});
