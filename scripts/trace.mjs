// Prints how much code of the relying party runs in each flow: files, functions and calls. `npm run trace`; with `--json` as JSON,
// with `--functions` also the functions of each flow, with their calls.
//
// Signs in at a site with the mock provider, both in this process, and counts with the precise coverage of V8. The modules of lib/
// are compiled one by one into a temporary folder, so that a file of the count is a file of lib/. Each flow runs once before it is
// measured: what a process does once, such as discovery, is not counted.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import express from 'express';
import session from 'express-session';
import { embedText } from './embed-text.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What is no part of the relying party. */
const OTHERS = /^(?:mock-provider|cli|testing)\//;
const SECRET = 'a secret of thirty-two bytes or more';

/** Leaves the imports as they are, except texts. */
const separateFiles = {
  name: 'separate-files',
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ path, kind }) => (kind === 'entry-point' ? undefined : { path, external: true })),
};

/** Compiles each module of lib/ to a file of the same name. */
async function compile(folder) {
  const lib = join(root, 'lib');
  const sources = readdirSync(lib, { recursive: true }).filter((file) => /(?<!\.d)\.ts$/.test(file));
  mkdirSync(join(folder, 'lib'));
  await build({
    entryPoints: sources.map((file) => join(lib, file)),
    outbase: lib,
    outdir: join(folder, 'lib'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [embedText, separateFiles],
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

/** A browser with the cookies of one site. @returns a function that requests a URL of it and checks the status of the response */
function createBrowser(origin) {
  const cookies = new Map();
  return async (path, expected, method = 'GET') => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', cookie };
    const response = await fetch(new URL(path, origin), { method, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(line);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${path} responds with ${response.status}: ${text}`);
    return response;
  };
}

async function startSite(folder) {
  const importModule = (file) => import(pathToFileURL(join(folder, 'lib', file)));
  const { startMockProvider } = await importModule('mock-provider/mock-provider.js');
  const { clinicianLogin, MemoryTokenStore } = await importModule('index.js');
  const provider = await startMockProvider();
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const { issuer, apiURL, clock } = provider;
  const { clientID, clientSecret } = provider.clients.openid;
  const clinician = clinicianLogin({
    ...{ issuer, apiURL, clientID, clientSecret, clock, secret: SECRET },
    scope: ['openid', 'basic'],
    callbackURL: `${origin}/auth/callback`,
    tokenStore: new MemoryTokenStore({ clock }),
    onSignIn: ({ identity }) => ({ id: identity.id }),
  });
  app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }), clinician);
  app.get('/guarded', clinician.requireLogin(), (_req, res) => res.send('signed in'));
  app.get('/refresh', async (req, res) => {
    await clinician.grant(req).refresh();
    res.send('refreshed');
  });
  app.get('/profile', async (req, res) => res.json(await clinician.api(req).profile()));
  return {
    origin,
    provider,
    async stop() {
      server.closeAllConnections();
      server.close();
      await clinician.close();
      await provider.stop();
    },
  };
}

/** Starts a login in a new browser. @returns the browser, and a function that requests the callback */
async function startLogin({ origin, provider }) {
  const get = createBrowser(origin);
  const { headers } = await get('/auth/login', 302);
  const callback = await provider.signIn(headers.get('location'), { as: 'verified' });
  return { get, signIn: () => get(callback, 302) };
}

/** @returns the request of a user who is signed in, and whose profile has been read */
async function signedInRequest(site, path, method) {
  const { get, signIn } = await startLogin(site);
  await signIn();
  await get('/profile', 200);
  return () => get(path, 200, method);
}

/** The requests to measure: each returns one when everything before it is done. */
const flows = {
  callback: async (site) => (await startLogin(site)).signIn,
  refresh: (site) => signedInRequest(site, '/refresh'),
  profile: (site) => signedInRequest(site, '/profile'),
  guard: (site) => signedInRequest(site, '/guarded'),
  'sign-out': (site) => signedInRequest(site, '/auth/logout', 'POST'),
};

/** @returns the functions that were called since the last call, as `{ file, name, calls }` */
async function takeFunctions(inspector, folder) {
  const lib = pathToFileURL(join(folder, 'lib/')).href;
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(lib) && !OTHERS.test(url.slice(lib.length)))
    .flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges: [{ startOffset, count }] }) => ({
        ...{ file: url.slice(lib.length).replace(/js$/, 'ts'), name: functionName, startOffset, calls: count },
      })),
    )
    .filter(({ calls }) => calls > 0)
    .sort((one, other) => one.file.localeCompare(other.file) || one.startOffset - other.startOffset);
}

async function measure(folder) {
  const site = await startSite(folder);
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const figures = {};
  for (let round = 0; round < 2; round += 1) {
    for (const [flow, prepare] of Object.entries(flows)) {
      const send = await prepare(site);
      await takeFunctions(inspector, folder);
      await send();
      figures[flow] = await takeFunctions(inspector, folder);
    }
  }
  inspector.disconnect();
  await site.stop();
  return figures;
}

function summarize(functions) {
  const sum = (list) => list.reduce((total, { calls }) => total + calls, 0);
  return {
    files: new Set(functions.map(({ file }) => file)).size,
    functions: functions.length,
    calls: sum(functions),
    'look-ups of the login': sum(
      functions.filter(({ file, name }) => file === 'session/logins.ts' && name === 'parseLogin'),
    ),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'trace-'));
try {
  await compile(folder);
  const figures = await measure(folder);
  const summary = Object.fromEntries(Object.entries(figures).map(([flow, functions]) => [flow, summarize(functions)]));
  if (process.argv.includes('--json')) console.log(JSON.stringify(summary));
  else console.table(summary);
  if (process.argv.includes('--functions')) {
    for (const [flow, functions] of Object.entries(figures)) {
      console.log(`\n${flow}`);
      for (const { file, name, calls } of functions) console.log(`${String(calls).padStart(6)}  ${file}  ${name}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
