import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../free-port.js';
import { type Projects, packedProjects } from '../package/packed.js';

let projects: Projects;
beforeAll(async () => {
  projects = await packedProjects(dirname(fileURLToPath(import.meta.url)), ['@playwright/test']);
});
afterAll(() => projects?.remove());

test('the Playwright project runs unchanged, with the provider from the command line', async () => {
  const ports = { SITE_PORT: String(await freePort()), PROVIDER_PORT: String(await freePort()) };
  Object.assign(process.env, ports);
  const output = await projects.bin('playwright', join('@playwright', 'test', 'cli.js'), 'test', '--reporter=line');
  expect(output).toMatch(/3 passed/);
});
