import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../helpers/free-port.js';
import type { Projects } from '../package/packed.js';
import { whileRunning } from '../package/running.js';
import { type CypressSettings, runSpec } from './cypress-replacement.js';
import { exampleProjects } from './example-projects.js';

interface Configuration {
  e2e: { baseUrl: string; setupNodeEvents(on: (event: string, tasks: CypressSettings['tasks']) => void): void };
}

let projects: Projects;
beforeAll(async () => {
  projects = await exampleProjects();
});
afterAll(() => projects?.remove());

test('the Cypress project runs: configuration, tasks and spec, with the provider from the command line', async () => {
  const [site, provider] = [String(await freePort()), String(await freePort())];
  Object.assign(process.env, { SITE_PORT: site, PROVIDER_PORT: provider });
  const folder = projects.folder('cypress');
  const { default: config } = (await import(join(folder, 'cypress.config.js'))) as { default: Configuration };
  const tasks: Record<string, CypressSettings['tasks'][string]> = {};
  config.e2e.setupNodeEvents((event, added) => event === 'task' && Object.assign(tasks, added));
  expect(config.e2e.baseUrl).toBe(`http://127.0.0.1:${site}`);

  const command = join('..', 'node_modules', '.bin', 'passport-clinician');
  const spec = await readFile(join(folder, 'site.cy.js'), 'utf8');
  await whileRunning(folder, [command, 'mock-provider', '--control', '--json', '--port', provider], () =>
    whileRunning(folder, 'main.js', async () => {
      const passed = await runSpec(spec, { baseUrl: config.e2e.baseUrl, tasks });
      expect(passed).toEqual(['a verified clinician reads the notes', 'a forged ID Token does not sign in']);
      const broken = spec.replace("cy.contains('Signed out')", "cy.contains('Signed in')");
      await expect(runSpec(broken, { baseUrl: config.e2e.baseUrl, tasks })).rejects.toThrow('has no "Signed in"');
    }),
  );
});
