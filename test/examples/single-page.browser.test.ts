import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launch, visit } from '../browser/harness.js';
import { signInAs } from '../browser/pages.js';
import { freePort } from '../helpers/free-port.js';
import { printedAddress } from '../helpers/printed-address.js';
import { type Projects, projectEnvironment } from '../package/packed.js';
import { exampleProjects } from './example-projects.js';

let browser: Browser;
let projects: Projects;
const processes: ChildProcess[] = [];
beforeAll(async () => {
  [browser, projects] = await Promise.all([launch(), exampleProjects(['vite'])]);
});
afterAll(async () => {
  for (const started of processes) started.kill();
  await browser?.close();
  await projects?.remove();
});

/** Starts a program in the folder of the application, and waits for its address. */
async function start(args: readonly string[], variables: Record<string, string>): Promise<void> {
  const env = { ...projectEnvironment(), ...variables };
  const started = spawn(process.execPath, args, { cwd: projects.folder('single-page'), env });
  processes.push(started);
  await printedAddress(started.stdout);
}

test.each(['as Vite serves it in development', 'as `vite build` has written it'])(
  'the single-page application signs a user in, %s',
  async (name) => {
    const isBuilt = name.includes('build');
    const [sitePort, providerPort, vitePort] = [await freePort(), await freePort(), await freePort()];
    for (const file of ['single-page.mjs', 'settings.mjs']) {
      const program = await readFile(join(projects.folder('programs'), file), 'utf8');
      await writeFile(join(projects.folder('single-page'), file), program.replace('4400', `${providerPort}`));
    }
    const APP_URL = `http://127.0.0.1:${isBuilt ? sitePort : vitePort}`;
    const PORT = `${sitePort}`;
    const vite = 'vite/bin/vite.js';
    if (isBuilt) await projects.bin('single-page', vite, 'build');
    else await start([join('..', 'node_modules', vite), '--port', `${vitePort}`], { PORT });
    await start(['single-page.mjs'], { APP_URL, PORT });

    await visit(browser, async ({ page }) => {
      await page.goto(APP_URL);
      await signInAs(page, 'verified');
      await page.getByText(/^Signed in: [0-9a-f-]{36}$/).waitFor();
      expect(page.url()).toBe(`${APP_URL}/`);
      expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
    });
  },
);
