import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Projects, packedProjects } from './packed.js';

let projects: Projects;
beforeAll(async () => {
  projects = await packedProjects();
});
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
  expect.arrayContaining(['PostgresTokenStore']),
  expect.arrayContaining(['signIn', 'signOut', 'testTokenStore', 'withMockProvider']),
];

/** The files of the command `demo`. */
const DEMO_FILE =
  /^dist\/demo(?:$|\/)(?:build|views|public|public\/photos|build\/site\.cjs|views\/[a-z-]+\.eta|public\/.*\.(?:css|svg))?$/;

describe('the packed package', () => {
  test('has the code, the types, README, CHANGELOG and the licences, and no other files', () => {
    const { files } = projects;
    expect(files).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', 'dist/LICENSES.txt']));
    const others = files.filter(
      (file) =>
        !/^(?:dist|dist\/chunks|dist\/.*\.(?:cjs|mjs|d\.cts|d\.mts)|package\.json|[A-Z]+\.md|.*LICENSES?(?:\.txt)?)$/.test(
          file,
        ),
    );
    expect(others.filter((file) => !DEMO_FILE.test(file))).toEqual([]);
    expect(files.filter((file) => !DEMO_FILE.test(file)).length).toBeLessThanOrEqual(64);
  });

  test('names by its file only the pages that an error leads to: they are not installed', async () => {
    const code = projects.files.filter((file) => /\.[cm]js$|\.d\.[cm]ts$/.test(file));
    const named = await Promise.all(
      code.map(async (file) => [...(await projects.read(file)).matchAll(/[\w/-]*\.md\b(?!\.)/g)].map(([page]) => page)),
    );
    expect(code).toContain('dist/index.cjs');
    expect(new Set(named.flat())).toEqual(new Set(['errors.md', 'options.md']));
  });

  test('is at most 350 kB, and runs no script when it is installed', async () => {
    expect(await projects.compressedSize('.')).toBeLessThan(350_000);
    const { scripts } = JSON.parse(await projects.read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  test('has the licence of each bundled package, with its name', async () => {
    const licences = await projects.read('dist/LICENSES.txt');
    for (const name of ['openid-client', 'oauth4webapi', 'eta', 'helmet', 'passport', 'pause'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  test('uses the openid-client that is installed, not its copy', async () => {
    expect(await projects.run('cjs', 'openid-client.cjs')).toMatch(/node_modules\/openid-client\/\S+\n$/);
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

  test('import and require return the same values, and all entries have the same classes', async () => {
    expect(JSON.parse(await projects.run('esm', 'both.mjs'))).toEqual({ different: [], sharedClass: true });
  });
});

test.each(['', '/mock-provider', '/redis', '/postgres', '/testing', '/dist/cli.cjs'])(
  'passport-clinician%s names the version of Node that it needs',
  async (entry) => {
    const file = join(projects.folder('cjs'), 'old.cjs');
    const path = entry.startsWith('/dist')
      ? `../node_modules/passport-clinician${entry}`
      : `passport-clinician${entry}`;
    const old = "Object.defineProperty(process.versions, 'node', { value: '20.18.3' });";
    await writeFile(file, `${old} require('${path}');`);
    await expect(projects.run('cjs', file)).rejects.toThrow(
      'passport-clinician needs Node.js 20.19 or later, and this is 20.18.3.',
    );
  },
);

describe('an entry loads only its own code', () => {
  const loadedBy = async (entry: string): Promise<string[]> =>
    JSON.parse(await projects.run('cjs', 'loaded.cjs', entry)) as string[];
  const isOtherPackage = (file: string): boolean => !file.startsWith('passport-clinician/');
  const entriesIn = (files: string[]): string[] =>
    files.map((file) => /^passport-clinician\/dist\/([\w-]+)\.cjs$/.exec(file)?.[1] ?? '').filter(Boolean);

  test.each(['mock-provider', 'testing', 'redis', 'postgres'])('%s loads no package', async (entry) => {
    const files = await loadedBy(`passport-clinician/${entry}`);
    expect(files.filter(isOtherPackage)).toEqual([]);
    expect(entriesIn(files)).toEqual([entry]);
  });

  test('the mock provider loads its inspector and the control API when they are used', async () => {
    const files = await loadedBy('passport-clinician/mock-provider');
    expect(files.filter((file) => /inspector|control/.test(file))).toEqual([]);
    expect(projects.files.filter((file) => /chunks\/(?:inspector|control)-/.test(file))).toHaveLength(2);
  });

  test('the inspector and the control API are found after the working folder has changed', async () => {
    const program = `
      const { startMockProvider } = await import('passport-clinician/mock-provider');
      const provider = await startMockProvider({ control: true });
      process.chdir('/');
      for (const path of ['/', '/_mock/problems']) console.log((await fetch(provider.issuer + path)).status);
      await provider.stop();`;
    expect(await projects.run('esm', '--input-type=module', '-e', program)).toBe('200\n200\n');
  });

  test('the main entry shares almost no code with the mock provider, and loads no Express and no Passport', async () => {
    const files = await loadedBy('passport-clinician');
    expect(entriesIn(files)).toEqual(['index']);
    expect(files.filter((file) => /^(?:express|express-session|passport|helmet)\//.test(file))).toEqual([]);
    const ofMock = await loadedBy('passport-clinician/mock-provider');
    const shared = files.filter((file) => ofMock.includes(file));
    const code = await Promise.all(shared.map((file) => projects.read(file.replace('passport-clinician/', ''))));
    expect(code.join('').length).toBeLessThan(10_000);
  });
});
