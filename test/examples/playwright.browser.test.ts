import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../helpers.js';
import type { Projects } from '../package/packed.js';
import { exampleProjects } from './example-projects.js';

/** The configuration of the project, with longer time limits. */
const SLOW_MACHINE = `
import config from './playwright.config.js';

const webServer = config.webServer.map((server) => ({ ...server, timeout: 100_000 }));
export default { ...config, webServer, timeout: 100_000, expect: { timeout: 100_000 } };
`;

const TIMEOUT_MS = 300_000;

let projects: Projects;
beforeAll(async () => {
  projects = await exampleProjects(['@playwright/test']);
});
afterAll(() => projects?.remove());

test(
  'the Playwright project runs unchanged, with the provider from the command line',
  async () => {
    const ports = { SITE_PORT: String(await freePort()), PROVIDER_PORT: String(await freePort()) };
    Object.assign(process.env, ports);
    await writeFile(join(projects.folder('playwright'), 'slow.config.js'), SLOW_MACHINE);
    const cli = join('@playwright', 'test', 'cli.js');
    const output = await projects.bin('playwright', cli, 'test', '--reporter=line', '--config=slow.config.js');
    expect(output).toMatch(/2 passed/);
  },
  TIMEOUT_MS,
);
