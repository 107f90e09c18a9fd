import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { transform } from '@swc/core';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { root } from '../architecture/imports.js';
import { endAll, passportClinician } from '../cli/program.js';
import { BrowserUser, freePort } from '../helpers.js';
import { navigation } from '../integration/site.js';
import { whileRunning } from '../package/running.js';

const PACKAGES = ['@nestjs/common', '@nestjs/core', 'express-session', 'passport', 'reflect-metadata', 'rxjs'];

let provider: MockProvider;
let folder: string;
beforeAll(async () => {
  provider = await startMockProvider();
  folder = await mkdtemp(join(tmpdir(), 'newcomer-'));
  for (const version of ['express-4', 'express']) {
    const packages = { ...Object.fromEntries(PACKAGES.map((name) => [name, name])), express: version };
    for (const [name, target] of Object.entries(packages)) {
      const link = join(folder, version, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, 'node_modules', target), link);
    }
    await symlink(root, join(folder, version, 'node_modules', 'passport-clinician'));
  }
});
afterEach(async () => {
  provider.reset();
  await endAll();
});
afterAll(async () => {
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

const clinician = { username: 'verified', password: 'clinician', decision: 'approve' };

/** Writes a program and the settings that it may import, with free ports. @returns its file and the address of its site */
async function write(version: string, name: string, code: string): Promise<{ file: string; origin: string }> {
  const [site, service] = [String(await freePort()), String(await freePort())];
  // In one step: a port may contain the digits of another one.
  const withPorts = (text: string) => text.replaceAll(/3000|4400/g, (port) => (port === '3000' ? site : service));
  const settings = await readFile(join(root, 'test', 'examples', 'programs', 'settings.mjs'), 'utf8');
  await writeFile(join(folder, version, 'settings.mjs'), withPorts(settings));
  await writeFile(join(folder, version, name), withPorts(code));
  return { file: name, origin: `http://127.0.0.1:${site}` };
}

/** Runs a program with the built package, as a separate process. Its settings are in the environment. */
async function run(version: string, name: string, code: string, use: (origin: string) => Promise<void>): Promise<void> {
  const { file, origin } = await write(version, name, code);
  const { clientID, clientSecret } = provider.clients.openid;
  const environment = {
    APP_URL: origin,
    SESSION_SECRET: 'Newcomer-secret-8fJ2kQx7LmN4pRt9VwZ1',
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
    CLINICIAN_SCOPE: 'openid basic',
  };
  Object.assign(process.env, environment);
  try {
    await whileRunning(join(folder, version), file, () => use(origin));
  } finally {
    for (const variable of Object.keys(environment)) delete process.env[variable];
  }
}

/** Signs in, opens a guarded page, and signs out. */
async function signInAndOut(origin: string, whileSignedIn: (user: BrowserUser) => Promise<void>): Promise<void> {
  const user = new BrowserUser();
  expect((await user.visit(origin, clinician)).text).toContain('/auth/login');
  await supertest(origin).get('/notes').set(navigation).expect(302).expect('Location', '/auth/login?returnTo=%2Fnotes');
  const notes = await user.visit(`${origin}/auth/login?returnTo=/notes`, clinician);
  expect([notes.status, notes.text]).toEqual([200, expect.stringContaining('For verified clinicians only')]);
  expect((await user.visit(origin, clinician)).text).toMatch(/Signed in|Hello/);
  await whileSignedIn(user);
  expect((await user.post(`${origin}/auth/logout`)).status).toBeLessThan(400);
  expect((await user.visit(origin, clinician)).text).toContain('/auth/login');
}

/** Opens a page that reads the profile, without a guard: its errors reach `errorHandler()`. */
async function useProfile(origin: string): Promise<void> {
  await supertest(origin).get('/profile').set(navigation).expect(302);
  const { body } = await supertest(origin)
    .get('/profile')
    .expect(401)
    .expect('Content-Type', 'application/problem+json');
  expect(body).toMatchObject({ status: 401, code: 'sign_in_required' });
  await signInAndOut(origin, async (user) => {
    expect((await user.visit(`${origin}/profile`, clinician)).text).toBe('Hello Vera');
  });
}

const program = (...path: string[]) => readFile(join(root, 'test', ...path), 'utf8');

test.each(['site.mjs', 'site.mts'])('Express 5: %s', async (name) => {
  const code = await program('examples', 'programs', name);
  const { code: script } = name.endsWith('.mts')
    ? await transform(code, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } })
    : { code };
  await run('express', name.replace('.mts', '.mjs'), script, (origin) => signInAndOut(origin, async () => undefined));
});

test('Express 4 with CommonJS, and the settings of --env', async () => {
  const { file, origin } = await write('express-4', 'app.cjs', await program('newcomer', 'express-4.cjs'));
  const service = passportClinician(['mock-provider', '--port', '0', '--env']);
  await service.printed('Ctrl+C', 'err');
  const settings = service.output.out.replace(/^APP_URL=.*/m, `APP_URL=${origin}`);
  await writeFile(join(folder, 'express-4', 'mock.env'), settings);
  await whileRunning(join(folder, 'express-4'), ['--env-file=mock.env', file], () => useProfile(origin));
});

test('NestJS signs in, with a guard of a route and a filter for errors', async () => {
  const { code } = await transform(await program('newcomer', 'nestjs.ts'), {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  });
  await run('express', 'nest.cjs', code, useProfile);
});
