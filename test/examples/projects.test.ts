import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
