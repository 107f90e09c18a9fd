import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../architecture/imports.js';
import { siteFor } from '../../integration/site.js';
import type { Peer } from './peers.js';

/** What a site is told when it is made. */
export interface SiteSettings {
  /** To read userinfo, too, where it can. */
  userinfo: boolean;
}

/** A site under test that runs. */
export interface PeerSite {
  readonly origin: string;
  /** Makes it anew, in a process that lives: nothing is left of what went before. */
  make(settings: SiteSettings): Promise<void>;
  /** Resolves when its process ends. */
  gone(): Promise<void>;
  stop(): Promise<void>;
}

const host = join(root, 'test', 'faults', 'peers', 'host.mjs');

/** Our own, from the sources, in this process: what would crash it crashes the test. */
export async function ownSite(provider: MockProvider): Promise<PeerSite> {
  let answer: RequestListener = (_req, res) => void res.writeHead(503).end();
  const server = createServer((req, res) => answer(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async make() {
      const callbackURL = `${origin}/auth/callback`;
      const onEvent = () => undefined;
      answer = siteFor(provider, { scope: 'openid basic', callbackURL, timeout: 2_500, onEvent }).app;
    },
    gone: () => new Promise(() => undefined),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A peer's, in a process of its own. */
export async function peerSite(provider: MockProvider, { site, settings, lacksPKCE }: Peer): Promise<PeerSite> {
  const { issuer } = provider;
  let child: ChildProcess;
  let exited: Promise<void>;

  function told(): Promise<unknown[]> {
    const ended = exited.then(() => Promise.reject(new Error(`The site of ${site} ended before it could be asked.`)));
    return Promise.race([once(child, 'message'), ended]);
  }

  async function start(port = '0'): Promise<string> {
    const env = { PATH: process.env.PATH, NODE_ENV: 'test', NODE_NO_WARNINGS: '1', PEER: site, PORT: port };
    child = fork(host, [], { env, execArgv: [], stdio: 'ignore' });
    exited = once(child, 'exit').then(() => undefined);
    const [{ origin }] = (await told()) as [{ origin: string }];
    return origin;
  }

  const isAlive = () => child.exitCode === null && child.signalCode === null;
  async function stop(): Promise<void> {
    if (!isAlive()) return;
    child.kill('SIGKILL');
    await exited;
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
    async make({ userinfo }) {
      if (!isAlive()) await start(new URL(origin).port);
      const made = told();
      child.send({ issuer, clientID, clientSecret, userinfo, ...settings });
      await made;
    },
    gone: () => exited,
    stop,
  };
}
