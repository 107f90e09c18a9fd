import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launch, visit } from '../browser/harness.js';
import { signInAs } from '../browser/pages.js';
import { freePort } from '../helpers/free-port.js';
import { type Projects, projectEnvironment } from '../package/packed.js';
import { exampleProjects } from './example-projects.js';

let browser: Browser;
let projects: Projects;
let site: ChildProcess | undefined;
beforeAll(async () => {
  [browser, projects] = await Promise.all([launch(), exampleProjects(['vite'])]);
});
afterAll(async () => {
  site?.kill();
  await browser?.close();
  await projects?.remove();
});

test('the single-page application signs a user in, as `vite build` has written it', async () => {
  const folder = projects.folder('single-page');
  const [sitePort, providerPort] = [await freePort(), await freePort()];
  for (const file of ['single-page.mjs', 'settings.mjs']) {
    const program = await readFile(join(projects.folder('programs'), file), 'utf8');
    const onFreePorts = program.replace('listen(3000,', `listen(${sitePort},`).replace('4400', `${providerPort}`);
    await writeFile(join(folder, file), onFreePorts);
  }
  await projects.bin('single-page', 'vite/bin/vite.js', 'build');

  const APP_URL = `http://127.0.0.1:${sitePort}`;
  site = spawn(process.execPath, ['single-page.mjs'], { cwd: folder, env: { ...projectEnvironment(), APP_URL } });
  if (site.stdout) await once(site.stdout, 'data');
  await visit(browser, async ({ page }) => {
    await page.goto(APP_URL);
    await signInAs(page, 'verified');
    await page.getByText(/^Signed in: [0-9a-f-]{36}$/).waitFor();
    expect(page.url()).toBe(`${APP_URL}/`);
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
  });
});
