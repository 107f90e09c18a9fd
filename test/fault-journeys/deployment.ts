import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ClinicianEvent } from '../../lib/index.js';
import { type FlowName, type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import type { ServerProcess } from '../contracts/redis-server.js';
import { freePort } from '../helpers.js';

const PROGRAM = fileURLToPath(new URL('site-process.mjs', import.meta.url));
/** The time limit of the site's requests to the provider. */
const REQUEST_TIMEOUT_MS = 1_000;

type Message = { event: ClinicianEvent } | { listening: true } | { done: number };

/** A server with the sessions and the tokens of a site. */
export interface Database extends Omit<ServerProcess, 'port'> {
  /** Makes everything expire earlier. */
  advance(ms: number): Promise<void>;
}

/** Two processes of one site behind a load balancer, with one database and one provider. */
export interface Deployment {
  provider: MockProvider;
  database: Database;
  url: string;
  /** The addresses of the processes themselves. */
  processURLs: readonly string[];
  /** @returns the events of both processes since the last call */
  events(): Promise<ClinicianEvent[]>;
  /** Moves the clocks of the provider and of both processes. */
  advance(ms: number): Promise<void>;
  /** Sends SIGKILL to a process. */
  kill(index: number): Promise<void>;
  /** Starts the processes that are not running. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function deploy(
  flow: FlowName,
  clinicians: readonly string[],
  startDatabase: () => Promise<Database>,
): Promise<Deployment> {
  const [provider, database] = await Promise.all([
    startMockProvider({ issParameter: true, clinicians: clinicians.map((username) => ({ username })) }),
    startDatabase(),
  ]);
  const [publicPort, ...ports] = (await Promise.all([freePort(), freePort(), freePort()])) as [number, number, number];
  const url = `http://127.0.0.1:${publicPort}`;
  const { clientID, clientSecret } = provider.clients[flow];
  const { issuer, apiURL } = provider;
  const options = {
    ...{ issuer, apiURL, clientID, clientSecret, flow, timeout: REQUEST_TIMEOUT_MS },
    callbackURL: `${url}/auth/callback`,
    secret: 'fault-journeys-secret-0123456789-0123456789',
    scope: flow === 'openid' ? 'openid basic' : 'basic',
  };
  const events: ClinicianEvent[] = [];
  let offset = 0;
  let count = 0;

  function isRunning(child: ChildProcess | undefined): child is ChildProcess {
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async function launch(port: number): Promise<ChildProcess> {
    const site = { port, databaseURL: database.url, offset, options };
    const child = fork(PROGRAM, {
      env: { PATH: process.env.PATH ?? '', SITE: JSON.stringify(site) },
      // Each lost connection to the database is a line of the standard error.
      stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
    });
    child.on('message', (message: Message) => void ('event' in message && events.push(message.event)));
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('a site process did not start'))),
    ]);
    return child;
  }

  /** Sends a command to a process, and waits until it has run. */
  async function command(child: ChildProcess, text: object): Promise<void> {
    count += 1;
    const number = count;
    const reply = new Promise<void>((resolve) => {
      child.on('message', function receive(message: Message) {
        if (!('done' in message) || message.done !== number) return;
        child.off('message', receive);
        resolve();
      });
    });
    child.send({ ...text, number });
    await reply;
  }

  let children = await Promise.all(ports.map(launch));
  const balancer = createBalancer(ports).listen(publicPort, '127.0.0.1');
  await once(balancer, 'listening');

  return {
    provider,
    database,
    url,
    processURLs: ports.map((port) => `http://127.0.0.1:${port}`),
    async events() {
      // The messages of a process arrive in order: its earlier events before the reply.
      await Promise.all(children.filter(isRunning).map((child) => command(child, {})));
      return events.splice(0);
    },
    async advance(ms) {
      offset += ms;
      provider.clock.advance(ms);
      await Promise.all(children.filter(isRunning).map((child) => command(child, { offset })));
    },
    async kill(index) {
      const child = children[index] as ChildProcess;
      if (child.kill('SIGKILL')) await once(child, 'exit');
    },
    async restart() {
      children = await Promise.all(
        children.map((child, index) => (isRunning(child) ? child : launch(ports[index] as number))),
      );
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL');
      balancer.closeAllConnections();
      await balancer[Symbol.asyncDispose]();
      await provider.stop();
      await database.dispose();
    },
  };
}

/**
 * A load balancer: sends requests to several ports in turn, and skips a port that does not respond. Each request has its own
 * connection: a process could close an idle one while a request is sent. Only GET is sent again after a lost connection.
 */
function createBalancer(ports: readonly number[]): Server {
  let count = 0;
  return createServer(async (req, res) => {
    const { method = 'GET', url = '/', headers } = req;
    const body = await buffer(req).catch(() => undefined);
    const attempt = (left: number): void => {
      count += 1;
      const port = ports[count % ports.length] as number;
      const options = { host: '127.0.0.1', port, method, path: url, headers, agent: false };
      const forwarded = forward(options, (response) => {
        res.writeHead(response.statusCode as number, response.headers);
        // Closes the connection where the process is killed in the middle of its response.
        pipeline(response, res, () => undefined);
      });
      forwarded.on('error', ({ code }: NodeJS.ErrnoException) => {
        const canRepeat = left > 0 && !res.headersSent && (method === 'GET' || code === 'ECONNREFUSED');
        if (canRepeat) attempt(left - 1);
        else res.destroy();
      });
      forwarded.end(body);
    };
    if (body !== undefined) attempt(ports.length);
  });
}
