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
import { type RotatingServer, rotatingServer, serialize } from './rotating-server.js';
import type { Task } from './vault-process.js';
import { SECRET } from './vault-under-test.js';

/** A rotating server behind an HTTP endpoint. */
export interface TokenEndpoint {
  url: string;
  server: RotatingServer;
  /** Sends no response to the next request, and executes it or not. @returns when the request has arrived */
  loseNextResponse(isExecuted: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const server = rotatingServer({ ...systemClock, advance: () => undefined });
  let lost: { isExecuted: boolean; arrived: () => void } | undefined;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const presented = (await req.toArray()).join('');
    const losing = lost;
    lost = undefined;
    const pair = { accessToken: new Secret(''), refreshToken: new Secret(presented), expiresAt: 0 };
    if (losing?.isExecuted === false) return losing.arrived();
    const [status, body] = await server.refresh(pair).then(
      (tokens) => [200, JSON.stringify(serialize(tokens))] as const,
      (error) => [isClinicianError(error) && error.code === 'invalid_grant' ? 400 : 503, ''] as const,
    );
    if (losing === undefined) res.writeHead(status).end(body);
    else losing.arrived();
  }

  const http = createServer((req, res) => void handle(req, res)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/oauth/token`,
    server,
    loseNextResponse: (isExecuted) =>
      new Promise((arrived) => {
        lost = { isExecuted, arrived };
      }),
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** A child process with its own vault. */
export interface VaultProcess {
  /** @returns an access token, or `error: <code>`, for each of the concurrent requests */
  accessTokens(grantID: string, requests: number): Promise<string[]>;
  /** Sends SIGKILL. */
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
          const [results] = (await once(child, 'message')) as [string[]];
          return results;
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
