import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { systemClock } from '../../lib/clock.js';
import { isClinicianError } from '../../lib/errors.js';
import { Secret } from '../../lib/secret.js';
import { freeze, type RotatingServer, rotatingServer } from './rotating-server.js';
import type { Task } from './vault-process.js';
import { SECRET } from './vault-under-test.js';

/** A token endpoint on a real socket, before the rotating server that the other tests use in process. */
export interface TokenEndpoint {
  url: string;
  server: RotatingServer;
  /** The next request is carried out or not, and never answered. @returns when it has come */
  loseNext(carriedOut: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const server = rotatingServer({ ...systemClock, pass: () => undefined });
  let lost: { carriedOut: boolean; come: () => void } | undefined;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const presented = (await req.toArray()).join('');
    const losing = lost;
    lost = undefined;
    const pair = { accessToken: new Secret(''), refreshToken: new Secret(presented), expiresAt: 0 };
    if (losing?.carriedOut === false) return losing.come();
    const [status, body] = await server.refresh(pair).then(
      (tokens) => [200, JSON.stringify(freeze(tokens))] as const,
      (error) => [isClinicianError(error) && error.code === 'invalid_grant' ? 400 : 503, ''] as const,
    );
    if (losing === undefined) res.writeHead(status).end(body);
    else losing.come();
  }

  const http = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/oauth/token`,
    server,
    loseNext: (carriedOut) =>
      new Promise((come) => {
        lost = { carriedOut, come };
      }),
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** One real process with a vault of its own. */
export interface VaultProcess {
  /** @returns what each of so many requests at once got: an access token, or `error: <code>` */
  accessTokens(grantID: string, requests: number): Promise<string[]>;
  /** Ends it as a machine that loses its power does. */
  kill(): Promise<void>;
}

export interface VaultProcesses {
  start(env: { REDIS_URL: string; TOKEN_ENDPOINT: string }): Promise<VaultProcess>;
  dispose(): Promise<void>;
}

export async function vaultProcesses(): Promise<VaultProcesses> {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  const program = join(folder, 'vault-process.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('vault-process.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  const children: ChildProcess[] = [];

  async function kill(child: ChildProcess): Promise<void> {
    if (child.kill('SIGKILL')) await once(child, 'exit');
  }

  return {
    async start(env) {
      const child = fork(program, { env: { ...process.env, NODE_OPTIONS: '', SECRET: SECRET.reveal(), ...env } });
      children.push(child);
      await once(child, 'message');
      return {
        async accessTokens(grantID, requests) {
          const task: Task = { grantID, requests };
          child.send(task);
          const [answers] = (await once(child, 'message')) as [string[]];
          return answers;
        },
        kill: () => kill(child),
      };
    },
    async dispose() {
      await Promise.all(children.filter((child) => child.exitCode === null && child.signalCode === null).map(kill));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
