import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../architecture/imports.js';
import { freePort } from '../../helpers/free-port.js';
import { siteFor } from '../../integration/site.js';
import type { Library } from './libraries.js';

export interface SiteSettings {
  /** True to request userinfo where the library can. */
  userinfo: boolean;
  /** The timeout of a library that has one. */
  timeoutMs: number;
}

/** A running site under test. */
export interface LibrarySite {
  readonly origin: string;
  /** Creates the site again, without any state, in the running process. */
  create(settings: SiteSettings): Promise<void>;
  /** Resolves when its process exits. */
  exited(): Promise<void>;
  stop(): Promise<void>;
}

const host = join(root, 'test', 'faults', 'interop', 'host.mjs');

/** The site of this package runs in the test's process: a crash fails the test. */
export async function ownSite(provider: MockProvider): Promise<LibrarySite> {
  let handler: RequestListener = (_req, res) => void res.writeHead(503).end();
  const server = createServer((req, res) => handler(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async create({ timeoutMs: timeout }) {
      const callbackURL = `${origin}/auth/callback`;
      const onEvent = () => undefined;
      handler = siteFor(provider, { scope: 'openid basic', callbackURL, timeout, onEvent }).app;
    },
    exited: () => new Promise(() => undefined),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The site of another library runs in its own process. */
export async function librarySite(
  provider: MockProvider,
  { site, settings, lacksPKCE }: Library,
): Promise<LibrarySite> {
  const { issuer } = provider;
  let child: ChildProcess;
  let exit: Promise<void>;

  function nextMessage(): Promise<unknown[]> {
    const exited = exit.then(() => Promise.reject(new Error(`The site of ${site} exited before it replied.`)));
    return Promise.race([once(child, 'message'), exited]);
  }

  const port = await freePort();
  async function start(): Promise<string> {
    const env = { PATH: process.env.PATH, NODE_ENV: 'test', NODE_NO_WARNINGS: '1', LIBRARY: site, PORT: String(port) };
    child = fork(host, [], { env, execArgv: [], stdio: 'ignore' });
    exit = once(child, 'exit').then(() => undefined);
    const [{ origin }] = (await nextMessage()) as [{ origin: string }];
    return origin;
  }

  const isRunning = () => child.exitCode === null && child.signalCode === null;
  async function stop(): Promise<void> {
    if (!isRunning()) return;
    child.kill('SIGKILL');
    await exit;
  }

  const origin = await start();
  const { clientID, clientSecret } = lacksPKCE
    ? provider.registerClient({
        flow: 'openid',
        scope: 'openid basic',
        requirePKCE: false,
        redirectURIs: [`${origin}/callback`],
      })
    : provider.clients.openid;

  return {
    origin,
    async create({ userinfo, timeoutMs }) {
      if (!isRunning()) await start();
      const created = nextMessage();
      child.send({ issuer, clientID, clientSecret, userinfo, timeoutMs, ...settings });
      await created;
    },
    exited: () => exit,
    stop,
  };
}
