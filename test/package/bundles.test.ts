import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BrowserUser } from '../helpers.js';
import { type Projects, packedProjects } from './packed.js';
import { whileRunning } from './running.js';

const BUNDLERS = ['rollup', '@rollup/plugin-commonjs', '@rollup/plugin-json', '@rollup/plugin-node-resolve', 'vite'];
/** The bundlers and compilers of this machine may be slow. */
const TIMEOUT_MS = 120_000;

let projects: Projects;
let bundles: string;
let unbundled: unknown;
beforeAll(async () => {
  projects = await packedProjects(undefined, [...BUNDLERS, 'esbuild']);
  // Without packages above it: a bundle contains everything that it needs.
  bundles = await mkdtemp(join(tmpdir(), 'bundles-'));
  await projects.run('bundle', 'build.mjs', bundles);
  unbundled = await observe(projects.folder('bundle'), 'site.mjs');
}, TIMEOUT_MS);
afterAll(async () => {
  await projects?.remove();
  if (bundles) await rm(bundles, { recursive: true });
});

const ASSET = /(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g;

/** @returns the scripts and style sheets of a page, without the port in them. */
async function assetsOf(page: string): Promise<string[][]> {
  const paths = [...(await (await fetch(page)).text()).matchAll(ASSET)].map(([, path]) => path as string);
  return Promise.all(paths.map(async (path) => [path, await (await fetch(new URL(path, page))).text()]));
}

/** @returns what a user and a developer notice of the site: the ends of sign-ins, the files of the pages, and messages. */
async function observe(cwd: string, file: string) {
  let observed: object = {};
  await whileRunning(cwd, file, async (line) => {
    const { origin, issuer, mistakes } = JSON.parse(line);
    const ends: string[] = [];
    for (const path of ['/auth/login?returnTo=/notes', '/passport', '/refused']) {
      const fields = { username: 'verified', password: 'clinician', decision: 'approve' };
      ends.push((await new BrowserUser().visit(origin + path, fields)).text);
    }
    const pages = [`${issuer}/`, `${issuer}/oauth/sign-in`, `${origin}/auth/logged-out`];
    const assets = (await Promise.all(pages.map(assetsOf))).flat();
    observed = { ends, mistakes, assets, script: await (await fetch(`${origin}/auth/clinician.js`)).text() };
  });
  return observed;
}

test('the unbundled site signs in, and its pages have scripts and styles', () => {
  expect(unbundled).toEqual({
    ends: ['verified', 'verified', 'TokenError: invalid_grant'],
    mistakes: expect.arrayContaining([expect.stringMatching(/^ConfigurationError: passport-clinician: the options/)]),
    assets: expect.arrayContaining([['/auth/clinician.css', expect.stringContaining('{')]]),
    script: expect.stringContaining('clinician'),
  });
});

test.each(['rollup.mjs', 'esbuild.cjs', 'vite.mjs'])(
  'the site in the bundle %s does the same, with the same files byte for byte',
  async (file) => {
    expect(await observe(bundles, file)).toEqual(unbundled);
  },
);
