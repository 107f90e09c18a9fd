import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { root } from '../architecture/imports.js';
import { provider } from '../helpers/provider.js';
import { sealingSecret, loginOptions as siteOptions } from '../integration/site.js';

function loginOptions(options: { issuer: string }) {
  const callbackURL = 'https://app.example/auth/callback';
  const secret = 'planted-sealing-secret-0123456789-0123456789';
  return { ...options, apiURL: 'https://api.service.example', clientID: 'c', clientSecret: 's', callbackURL, secret };
}

function errorOf(create: () => unknown): string {
  try {
    create();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

const sourceOf = (file: string): string => readFileSync(join(root, 'node_modules', file), 'utf8');

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

/** @returns the options that the constructor of a Passport strategy reads. */
function optionsOfStrategy(source: string): string[] {
  const code = source
    .slice(0, source.search(/Strategy\.prototype\.authenticate = /))
    .replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/\boptions\.(\w+)/g)].map(([, name = '']) => name);
}

/** @returns the options of the schema of express-openid-connect, its keys with the smallest indentation. */
function optionsOfSchema(source: string): string[] {
  const schema = source.split('const paramsSchema = Joi.object({\n')[1]?.split('\n});')[0] ?? '';
  return [...schema.matchAll(/^ {2}(\w+): Joi/gm)].map(([, name = '']) => name);
}

test('the route of option authorizationParams adds a prompt to every login, and keeps the options of its link', async () => {
  const [, here = ''] = listedOptions('express-openid-connect').find(([name]) => name === 'authorizationParams') ?? [];
  const [code = ''] = /app\.get\(.*?(?=`)/.exec(here) ?? [];
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  new Function('app', code)(app);
  app.use(clinicianLogin({ ...siteOptions(provider), routes: { login: '/login' } }));
  const { headers } = await supertest(app).get('/login?returnTo=%2Fnotes%3Fa%3Db&maxAge=60000').expect(302);
  expect(headers.location).toBe('?returnTo=%2Fnotes%3Fa%3Db&maxAge=60000&prompt=login');
  const login = await supertest(app).get(`/login${headers.location}`).expect(302);
  const { searchParams } = new URL(login.headers.location as string);
  expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '60']);
});

const LIBRARIES: [library: string, options: string[]][] = [
  [
    'the Passport strategies',
    ['passport-oauth2', 'passport-openidconnect'].flatMap((name) =>
      optionsOfStrategy(sourceOf(`${name}/lib/strategy.js`)),
    ),
  ],
  ['express-openid-connect', optionsOfSchema(sourceOf('express-openid-connect/lib/config.js'))],
];

test.each(LIBRARIES)('docs/start/migrating.md lists every option of %s, and no other', (library, options) => {
  expect(options.length).toBeGreaterThan(9);
  const listed = listedOptions(library).map(([name]) => name);
  expect(listed.sort()).toEqual([...new Set(options)].sort());
});

test.each(LIBRARIES)('an option of %s that is not one here is refused with its name', (library) => {
  for (const [name, here] of listedOptions(library)) {
    if (/^ (?:the same|`routes`)|are accepted/.test(here)) continue;
    const options = { ...loginOptions({ issuer: 'https://auth.service.example' }), [name]: 'x' };
    const create = () =>
      library === 'express-openid-connect' ? clinicianLogin(options) : new ClinicianStrategy(options, () => undefined);
    expect(errorOf(create)).toContain(`unknown option '${name}'`);
  }
});
