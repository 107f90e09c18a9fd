import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { transformSync } from 'esbuild';
import { root } from '../architecture/imports.js';
import { BrowserUser, freePort } from '../helpers.js';
import type { Projects } from '../package/packed.js';
import { whileRunning } from '../package/running.js';
import { exampleProjects } from './example-projects.js';

type Tasks = Record<string, (call: { path: string; body?: object }) => Promise<Record<string, unknown>>>;
interface CypressConfig {
  e2e: { baseUrl: string; setupNodeEvents(on: (event: string, tasks: Tasks) => void): void };
}

let projects: Projects;
beforeAll(async () => {
  projects = await exampleProjects(['vitest']);
});
afterAll(() => projects?.remove());

describe('the projects in docs/ run unchanged', () => {
  test('jest, with the option of Node for ES modules', async () => {
    const { scripts } = JSON.parse(await readFile(projects.folder('jest/package.json'), 'utf8'));
    expect(await readFile(join(root, 'docs/test/testing.md'), 'utf8')).toContain(`scripts.test="${scripts.test}"`);
    const [, option, file] = scripts.test.split(' ');
    expect(await projects.run('jest', option, join(root, file), '--testTimeout=60000')).toContain('4 passed, 4 total');
  });

  test('jest without an option, in CommonJS', async () => {
    await mkdir(projects.folder('jest-commonjs'));
    await writeFile(projects.folder('jest-commonjs/package.json'), '{}');
    for (const file of ['site.js', 'site.test.js']) {
      const code = await readFile(projects.folder(`jest/${file}`), 'utf8');
      await writeFile(projects.folder(`jest-commonjs/${file}`), transformSync(code, { format: 'cjs' }).code);
    }
    const output = await projects.bin('jest-commonjs', 'jest/bin/jest.js', '--testTimeout=60000');
    expect(output).toContain('4 passed, 4 total');
  });

  test('node:test in TypeScript, with the type of docs/use/typescript.md', async () => {
    const typed = '{ issuer, apiURL, clients, clock }: MockProvider';
    expect(await readFile(join(root, 'docs/use/typescript.md'), 'utf8')).toContain(`\`${typed}\``);
    await mkdir(projects.folder('node-test-typed'));
    const write = (file: string, text: string) => writeFile(projects.folder(`node-test-typed/${file}`), text);
    for (const name of ['site', 'site.test']) {
      const code = await readFile(projects.folder(`node-test/${name}.js`), 'utf8');
      const type = name === 'site' ? "import type { MockProvider } from 'passport-clinician/mock-provider';\n" : '';
      await write(`${name}.ts`, type + code.replace('{ issuer, apiURL, clients, clock }', typed));
    }
    await write('package.json', '{ "type": "module" }');
    const compilerOptions = { strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', types: ['node'] };
    await write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, target: 'es2022' } }));
    expect(await projects.bin('node-test-typed', 'typescript/bin/tsc')).toBe('');
    expect(await projects.run('node-test-typed', '--test', 'site.test.js')).toMatch(/pass 2\n/);
  });

  test('vitest', async () => {
    const slowMachine = ['--testTimeout=60000', '--hookTimeout=60000', '--teardownTimeout=60000'];
    expect(await projects.bin('vitest', 'vitest/vitest.mjs', 'run', ...slowMachine)).toMatch(/Tests .*2 passed/);
  });

  test('node:test', async () => {
    const output = await projects.run('node-test', '--test');
    expect(output).toMatch(/pass 2\n/);
    expect(output).toMatch(/fail 0\n/);
  });

  test('Cypress: its tasks sign in, and forge an ID Token, with the provider from the command line', async () => {
    const [site, provider] = [String(await freePort()), String(await freePort())];
    Object.assign(process.env, { SITE_PORT: site, PROVIDER_PORT: provider });
    const folder = projects.folder('cypress');
    const { default: config } = (await import(join(folder, 'cypress.config.js'))) as { default: CypressConfig };
    const tasks: Tasks = {};
    config.e2e.setupNodeEvents((event, added) => event === 'task' && Object.assign(tasks, added));
    const user = new BrowserUser();
    /** As in the spec. @returns the last page, after the callback */
    async function signIn() {
      const { headers } = await user.get(`${config.e2e.baseUrl}/auth/login?returnTo=/notes`);
      const body = { authorizeURL: headers.get('location'), as: 'verified' };
      const result = await tasks.mock?.({ path: 'sign-in', body });
      return user.visit(String(result?.callback), {});
    }
    const command = join('..', 'node_modules', '.bin', 'passport-clinician');
    await whileRunning(folder, [command, 'mock-provider', '--control', '--json', '--port', provider], () =>
      whileRunning(folder, 'main.js', async () => {
        await tasks.mock?.({ path: 'reset' });
        await tasks.mock?.({ path: 'faults', body: { name: 'badSignature' } });
        expect((await signIn()).status).toBe(502);
        expect((await user.visit(config.e2e.baseUrl, {})).text).toContain('Signed out');
        expect((await signIn()).text).toContain('notes of ');
      }),
    );
  });

  test('a token store of your own', async () => {
    expect(await projects.run('token-store', '--test')).toMatch(/pass 1\n/);
  });
});
