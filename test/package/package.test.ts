import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';
import { snippetsOf } from '../architecture/snippets.js';
import { BrowserUser } from '../browser-user.js';
import { freePort } from '../free-port.js';
import { type Projects, packedProjects } from './packed.js';
import { whileRunning } from './running.js';

let projects: Projects;
beforeAll(async () => {
  projects = await packedProjects();
}, 120_000);
afterAll(() => projects?.remove());

const exported = [
  expect.arrayContaining([
    'ClinicianError',
    'ClinicianStrategy',
    'MemoryTokenStore',
    'clinicianLogin',
    'isClinicianError',
  ]),
  expect.arrayContaining(['startMockProvider']),
  expect.arrayContaining(['RedisTokenStore']),
  expect.arrayContaining(['signIn', 'signOut', 'testTokenStore', 'withMockProvider']),
];

describe('the packed package', () => {
  test('has both builds, their types and the licences, and no other files', () => {
    expect(projects.files).toEqual(
      expect.arrayContaining([
        'README.md',
        'CHANGELOG.md',
        'LICENSE',
        'dist/esm/index.js',
        'dist/esm/index.d.ts',
        'dist/cjs/index.js',
      ]),
    );
    expect(projects.files).toEqual(expect.arrayContaining(['dist/cjs/index.d.ts', 'dist/cjs/LICENSES.txt']));
    const others = projects.files.filter(
      (file) => !/^(?:dist(?:\/|$)|package\.json|README\.md|CHANGELOG\.md|LICENSE)/.test(file),
    );
    expect(others).toEqual([]);
    expect(projects.files.filter((file) => /\.(?:test|spec)\b|[^d]\.ts$/.test(file))).toEqual([]);
  });

  test('has the licence of each bundled package, with its name', async () => {
    const licences = await projects.read('dist/cjs/LICENSES.txt');
    for (const name of ['openid-client', 'oauth4webapi', 'jose'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  test('is imported as ESM', async () => {
    expect(JSON.parse(await projects.run('esm', 'main.mjs'))).toEqual(exported);
  });

  test('is required as CommonJS', async () => {
    expect(JSON.parse(await projects.run('cjs', 'main.cjs'))).toEqual(exported);
  });

  test('has the command, which runs from the package', async () => {
    const { bin, version } = JSON.parse(await projects.read('package.json'));
    const file = bin['passport-clinician'].replace('./', '');
    expect(await projects.read(file)).toMatch(/^#!\/usr\/bin\/env node\n/);
    const command = join(projects.folder('node_modules'), 'passport-clinician', file);
    expect(await projects.run('esm', command, '--version')).toBe(`${version}\n`);
    expect(await projects.run('cjs', command, 'mock-provider', '--help')).toContain('--port <number>');
    await expect(projects.run('esm', command, 'doctor')).rejects.toThrow('CLINICIAN_ISSUER is missing');
  });

  test('both builds in one process recognize the errors of the other', async () => {
    expect(JSON.parse(await projects.run('esm', 'both.mjs'))).toEqual({ twoBuilds: true, known: [true, true] });
  });

  test.each(['nodenext', 'bundler'])('compiles against its types with module resolution %s', async (resolution) => {
    const output = await projects.bin('typescript', 'typescript/bin/tsc', '-p', `tsconfig.${resolution}.json`);
    expect(output).toBe('');
  });

  test('a jest without configuration signs in at a site of 20 lines', async () => {
    expect(await projects.bin('jest', 'jest/bin/jest.js')).toContain('2 passed');
  });
});

describe('the programs in the README run unchanged', () => {
  const programs = snippetsOf('README.md', readFileSync(join(root, 'README.md'), 'utf8')).filter(
    ({ language }) => language === 'js',
  );
  const alice = { username: 'verified', password: 'clinician', decision: 'approve' };

  const programWith = (text: string): string => {
    const program = programs.find(({ code }) => code.includes(text));
    if (!program) throw new Error(`the README has no program with ${text}`);
    return program.code;
  };

  /** @returns the file of the site, which listens on another port, as its provider does. */
  const siteOn = async (port: number): Promise<string> => {
    await mkdir(projects.folder('readme'), { recursive: true });
    const file = join(projects.folder('readme'), `${port}.mjs`);
    const program = programWith('.listen(').replaceAll('3000', String(port));
    await writeFile(file, program.replace('4400', String(await freePort())));
    return file;
  };

  test('the site ends with the reason when its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const ended = whileRunning(projects.folder('readme'), await siteOn(port), async () => undefined);
      await expect(ended).rejects.toThrow(`listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('sign-in in an Express site', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    await whileRunning(projects.folder('readme'), await siteOn(port), async () => {
      const user = new BrowserUser();
      expect((await user.visit(origin, alice)).text).toContain('/auth/login');
      const { status, text } = await user.visit(`${origin}/auth/login?returnTo=/notes`, alice);
      expect([status, text]).toEqual([200, 'For verified clinicians only.']);
      expect((await user.visit(origin, alice)).text).toContain('Signed in: ');
    });
  });

  test('a test of a site', async () => {
    const file = join(projects.folder('esm'), 'readme-test.mjs');
    await writeFile(file, programWith('withMockProvider'));
    expect(await projects.run('esm', file)).toBe('');
  });
});

describe('an entry loads no code of another entry, as ESM', () => {
  /** The modules of lib/ in the file of an entry and in the chunks that it imports: esbuild names each source above its code. */
  async function modulesIn(entry: string): Promise<string[]> {
    const files = [`dist/esm/${entry}.js`];
    const modules = new Set<string>();
    for (const file of files) {
      const code = await projects.read(file);
      for (const [, module = ''] of code.matchAll(/^\/\/ lib\/([\w-]+)/gm)) modules.add(module);
      for (const [, path = ''] of code.matchAll(/^(?:import|\} from|export .* from)\b[^;]*?"(\.[^"]+)";/gm)) {
        const imported = join(file, '..', path).replaceAll('\\', '/');
        if (!files.includes(imported)) files.push(imported);
      }
    }
    return [...modules].sort();
  }

  test.each([
    ['mock-provider/mock-provider', ['closest-name', 'mock-provider']],
    ['testing/testing', ['closest-name', 'error-codes', 'errors', 'mock-provider', 'options', 'safe-text', 'testing']],
  ])('%s', async (entry, modules) => {
    expect(await modulesIn(entry)).toEqual(modules);
  });

  test.each(['index', 'redis'])('%s', async (entry) => {
    const modules = await modulesIn(entry);
    expect(modules).toContain('token-vault');
    const others = ['mock-provider', 'testing', 'cli', entry === 'index' ? 'redis' : 'express'];
    expect(modules.filter((module) => others.includes(module))).toEqual([]);
  });
});

describe('an entry loads no code of another entry, as CommonJS', () => {
  const loadedBy = async (entry: string): Promise<string[]> =>
    JSON.parse(await projects.run('cjs', 'loaded.cjs', entry)) as string[];
  const isOtherPackage = (file: string): boolean => !file.startsWith('passport-clinician/');

  test('the mock provider is one file and loads no package', async () => {
    const files = await loadedBy('passport-clinician/mock-provider');
    expect(files).toEqual(['passport-clinician/dist/cjs/mock-provider/mock-provider.js']);
  });

  test('the test helpers load the mock provider, and no package', async () => {
    const files = await loadedBy('passport-clinician/testing');
    expect(files.sort()).toEqual([
      'passport-clinician/dist/cjs/mock-provider/mock-provider.js',
      'passport-clinician/dist/cjs/testing/testing.js',
    ]);
  });

  test('the Redis store is one file, and loads no Redis client', async () => {
    expect(await loadedBy('passport-clinician/redis')).toEqual(['passport-clinician/dist/cjs/redis.js']);
  });

  test('the main entry loads none of them, and no Express', async () => {
    const files = await loadedBy('passport-clinician');
    expect(files.filter((file) => !isOtherPackage(file))).toEqual(['passport-clinician/dist/cjs/index.js']);
    expect(files.filter((file) => /^(?:express|express-session|passport|helmet)\//.test(file))).toEqual([]);
  });
});
