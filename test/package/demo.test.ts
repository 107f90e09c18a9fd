import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BrowserUser, freePort } from '../helpers.js';
import { type Projects, packedProjects } from './packed.js';
import { whileRunning } from './running.js';

/** What `npm install passport-clinician express express-session` installs. */
const INSTALLED = ['cookie', 'express', 'express-session', 'openid-client', 'passport-clinician', 'passport-oauth2'];

let projects: Projects;
let modules: string;
let command: string;
beforeAll(async () => {
  projects = await packedProjects();
  modules = projects.folder('node_modules');
  command = join(modules, 'passport-clinician', 'dist', 'cli.cjs');
  const others = (await readdir(modules)).filter((name) => !INSTALLED.includes(name));
  await Promise.all(others.map((name) => rm(join(modules, name), { recursive: true })));
  await mkdir(projects.folder('empty'));
});
afterAll(() => projects?.remove());

const verified = { username: 'verified', password: 'clinician', decision: 'approve' };

test('passport-clinician demo runs in an empty folder, also with the profile flow', async () => {
  const port = await freePort();
  const site = `http://127.0.0.1:${port}`;
  const args = [command, 'demo', '--port', String(port), '--flow', 'profile'];
  await whileRunning(projects.folder('empty'), args, async () => {
    const user = new BrowserUser();
    const { status, text, url } = await user.visit(`${site}/auth/login?returnTo=/notes`, verified);
    expect([status, url.href]).toEqual([200, `${site}/notes`]);
    expect(text).toContain('Vera Castellanos, MD');
    for (const path of ['/', '/profile', '/colleagues', '/share', '/account', '/missing']) {
      expect((await user.visit(site + path, {})).text).toContain('<button type="submit">Sign out</button>');
    }
    for (const path of ['/assets/site.css', '/assets/icon.svg', '/assets/photos/vera-castellanos.svg']) {
      expect((await fetch(site + path)).status).toBe(200);
    }
  });
  expect(await readdir(projects.folder('empty'))).toEqual([]);
});

test('passport-clinician demo without Express says what to install, in one line', async () => {
  await rm(join(modules, 'express'));
  await expect(projects.run('empty', command, 'demo')).rejects.toThrow(
    /:\nThe demo needs express 5 and express-session\. Run: npm install passport-clinician express@5 express-session\n$/,
  );
});
