import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { instanceID } from '../../lib/token-vault/token-store.js';
import { BrowserUser } from '../helpers/browser-user.js';
import { freePort } from '../helpers/free-port.js';
import { createSend, ready } from './deployment.js';
import { ServerProcess } from './server-process.js';

const ROUTES = [
  ...['login', 'callback', 'logout', 'end-session', 'forget', 'logged-out', 'session-check'],
  ...['clinician.js', 'clinician.css'],
];
const BASES = ['/auth', '/two', '/three', '/four'];
const CONCURRENT = 8;
/** How much longer the event loop may be blocked than by ordinary requests, and the same bodies for another path of the site. */
const MAX_RATIO = 5;
/** Shorter times depend on the machine only. */
const MIN_BLOCKED_MS = 25;

const built = existsSync(fileURLToPath(new URL('../../dist/index.mjs', import.meta.url)));
const describeBuilt = built || process.env.CI === 'true' ? describe : describe.skip;
const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const send = createSend();

/** The settings of nginx are its defaults: 8 kB for a request header, 4 kB for all response headers, 1 MB for a body. */
const nginxConfig = (port: number, site: number) => `
worker_processes 1;
pid nginx.pid;
events {
  worker_connections 256;
}
http {
  access_log off;
  client_body_temp_path client_body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_set_header Host $http_host;
      proxy_pass http://127.0.0.1:${site};
    }
  }
}
`;

describeBuilt('a site with four instances behind nginx with its default limits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flood-'));
  const started: ServerProcess[] = [];
  let provider: MockProvider;
  let url: string;
  let direct: string;
  let forgedName: string;

  beforeAll(async () => {
    provider = await startMockProvider();
    const [port, sitePort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    direct = `http://127.0.0.1:${sitePort}`;
    const { issuer, apiURL } = provider;
    const instances = BASES.map((base) => {
      const callbackURL = `${url}${base}/callback`;
      const { clientID, clientSecret } = provider.registerClient({ flow: 'openid', redirectURIs: [callbackURL] });
      return { issuer, apiURL, clientID, clientSecret, callbackURL, routes: { base } };
    });
    const [first] = instances as [(typeof instances)[number]];
    forgedName = `clinician-${instanceID({ flow: 'openid', ...first }).slice(0, 6)}-tx-`;

    const start = (name: string, command: string[], env: NodeJS.ProcessEnv = {}) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, output: join(folder, `${name}.out`) };
      const server = new ServerProcess(name, command, { ...options, endSignal: 'SIGTERM' });
      started.push(server);
      return server;
    };
    // nginx that root has started writes long bodies as another user.
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'nginx.conf'), nginxConfig(port, sitePort));
    const script = fileURLToPath(new URL('flood-site.mjs', import.meta.url));
    const site = start('site', [process.execPath, script], {
      FLOOD_SITE: JSON.stringify({ port: sitePort, instances }),
    });
    const files = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
    const nginx = start('nginx', [process.env.NGINX as string, ...files, '-g', 'daemon off;']);
    await ready(site, `${direct}/event-loop`);
    await ready(nginx, `${url}/event-loop`);
  });
  afterAll(async () => {
    for (const server of started) await server.stop();
    await provider?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends these requests, a few at a time. @returns their status codes */
  async function sendAll(requests: readonly Request[]): Promise<number[]> {
    const statuses: number[] = [];
    const left = [...requests];
    const run = async () => {
      for (let next = left.shift(); next; next = left.shift()) statuses.push((await send(next)).status);
    };
    await Promise.all(Array.from({ length: CONCURRENT }, run));
    return statuses;
  }

  /** Sends requests while a signed-in user opens pages. */
  async function observe(user: BrowserUser, requests: readonly Request[]) {
    await send(new Request(`${direct}/event-loop`));
    let isDone = false;
    const seen = new Set<number>();
    const browse = async () => {
      do seen.add((await send(new Request(`${url}/me`, { headers: user.navigation }))).status);
      while (!isDone);
    };
    const browsing = browse();
    const statuses = await sendAll(requests);
    isDone = true;
    await browsing;
    const { longestMs } = (await (await send(new Request(`${direct}/event-loop`))).json()) as { longestMs: number };
    return { statuses, seen: [...seen], longestMs };
  }

  const each = (request: (path: string, index: number) => Request) =>
    BASES.slice(0, 2).flatMap((base) =>
      ROUTES.flatMap((route) => [1, 2, 3].map((index) => request(`${url}${base}/${route}`, index))),
    );
  const get = (path: string, headers: object = {}) => new Request(path, { headers: { ...page, ...headers } });
  const post = (path: string, type: string, body: string) =>
    new Request(path, { method: 'POST', body, headers: { ...page, origin: 'null', 'content-type': type } });

  const bodies: [type: string, body: string][] = [
    ['application/octet-stream', 'x'.repeat(1_000_000)],
    ['application/json', `[${'0,'.repeat(450_000)}0]`],
    ['application/json', `{${Array.from({ length: 60_000 }, (_, index) => `"m${index}":"x"`).join(',')}}`],
  ];
  const bodyOf = (index: number) => bodies[index - 1] as [type: string, body: string];

  function forgedCookies(): string {
    const names = Array.from({ length: 150 }, (_, index) => `${forgedName}${String(index).padStart(16, '0')}=x`);
    return names.join('; ');
  }

  test('serves its users during a flood of every route', async () => {
    const user = new BrowserUser(provider, send);
    expect((await user.visit(`${url}/auth/login?returnTo=/me`, { username: 'verified' })).status).toBe(200);

    const ordinary = [
      ...each((path) => get(path)),
      ...each((path) => get(`${path}?returnTo=/x&state=x`)),
      ...each((path) => post(path, 'application/x-www-form-urlencoded', 'a=x')),
      // The body parsers of the site read these, too.
      ...each((_path, index) => post(`${url}/other`, ...bodyOf(index))),
    ];
    const quiet = await observe(user, ordinary);
    expect(quiet.seen).toEqual([200]);

    const cookie = forgedCookies();
    const hostile = [
      ...each((path) => get(path, { cookie })),
      ...each((path) => get(`${path}?returnTo=/${'%C3%A9'.repeat(500)}&state=${'s'.repeat(3000)}`)),
      ...each((path, index) => post(path, ...bodyOf(index))),
    ];
    const flood = await observe(user, hostile);
    expect(flood.seen).toEqual([200]);
    expect(flood.statuses.filter((status) => status >= 500)).toEqual([]);
    expect(flood.longestMs / Math.max(quiet.longestMs, MIN_BLOCKED_MS)).toBeLessThan(MAX_RATIO);
  });

  test('serves a browser in which another site has started many logins', async () => {
    const user = new BrowserUser(provider, send);
    await user.visit(`${url}/auth/login?returnTo=/me`, { username: 'verified' });
    for (const base of BASES) {
      for (let attempt = 0; attempt < 8; attempt += 1) {
        await user.get(`${url}${base}/login`, { 'sec-fetch-site': 'cross-site' });
      }
    }
    expect((await send(new Request(`${url}/me`, { headers: user.navigation }))).status).toBe(200);
    const started = await user.get(`${url}/two/login?returnTo=/me`, { 'sec-fetch-site': 'same-origin' });
    const service = started.headers.get('location') as string;
    const callback = await provider.signIn(service, { as: 'verified' });
    const { status, url: end } = await user.visit(callback, { username: 'verified' });
    expect([status, end.pathname]).toEqual([200, '/me']);
  });
});
