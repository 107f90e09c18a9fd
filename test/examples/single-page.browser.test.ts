import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { visit } from '../browser/harness.js';
import { signInAs } from '../browser/pages.js';
import { endAll, startProgram } from '../cli/program.js';
import { freePort } from '../helpers.js';
import { type Projects, projectEnvironment } from '../package/packed.js';
import { exampleProjects } from './example-projects.js';

let projects: Projects;
beforeAll(async () => {
  projects = await exampleProjects(['vite']);
});
afterAll(async () => {
  await endAll();
  await projects?.remove();
});

/** Starts a program in the folder of the application, and waits for its address. */
async function start(args: readonly string[], variables: Record<string, string>): Promise<void> {
  const env = { ...projectEnvironment(), ...variables };
  await startProgram(args, env, projects.folder('single-page')).printed('http://');
}

/** Starts the application with free ports. @returns the origin that the browser shows */
async function startApplication(isBuilt: boolean): Promise<{ origin: string; port: number }> {
  const [sitePort, providerPort, vitePort] = [await freePort(), await freePort(), await freePort()];
  for (const file of ['single-page.mjs', 'settings.mjs']) {
    const program = await readFile(join(projects.folder('programs'), file), 'utf8');
    await writeFile(join(projects.folder('single-page'), file), program.replace('4400', `${providerPort}`));
  }
  const port = isBuilt ? sitePort : vitePort;
  const origin = `http://127.0.0.1:${port}`;
  const PORT = `${sitePort}`;
  const vite = 'vite/bin/vite.js';
  if (isBuilt) await projects.bin('single-page', vite, 'build');
  else await start([join('..', 'node_modules', vite), '--port', `${vitePort}`], { PORT });
  await start(['single-page.mjs'], { APP_URL: origin, PORT });
  return { origin, port };
}

const NAME = 'Signed in: Vera Castellanos, MD';

test.each(['as Vite serves it in development', 'as `vite build` has written it'])(
  'the single-page application signs a user in, on either name of this machine, and returns to the same page, %s',
  async (name) => {
    const { origin, port } = await startApplication(name.includes('build'));
    await visit(async ({ page, newTab, expectStatus }) => {
      // Vite listens on 127.0.0.1 only, and the site does too.
      await page.goto(`http://localhost:${port}/notes?a=1#b`);
      await signInAs(page, 'verified');
      await page.getByText(NAME, { exact: true }).waitFor();
      expect(page.url()).toBe(`${origin}/notes?a=1#b`);
      expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');

      const unknown = ['/api/unknown', '/auth/unknown'];
      expectStatus(...unknown.map((path) => `404 ${path}`));
      for (const path of unknown)
        expect(await page.evaluate(`fetch('${path}').then(({ status }) => status)`)).toBe(404);

      const tab = await newTab();
      await tab.goto(`${origin}/`);
      await tab.evaluate("fetch('/auth/logout', { method: 'POST' }).then(({ ok }) => ok)");
      // The browsers of tests have the focus on every page.
      await page.evaluate("window.dispatchEvent(new Event('focus'))");
      await page.getByText(NAME, { exact: true }).waitFor({ state: 'detached' });
    });
  },
);
