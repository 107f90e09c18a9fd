import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { freePort } from '../helpers.js';
import { ServerProcess } from './server-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const composeFolder = join(root, 'example-app/compose');
/** The folder of nginx in its container. */
const NGINX_FOLDER = '/tmp';
/** Longer than nginx waits for a response of the site. */
const FETCH_TIMEOUT_MS = 70_000;

type Environment = Readonly<Record<string, string>>;

/** A service of compose.yaml: what the tests use of it. */
interface Service {
  command: readonly string[];
  environment: Environment;
  healthcheck: { test: readonly string[] };
}

/** The files of example-app/compose, with the addresses of containers replaced by local ones. */
interface Compose {
  services: Readonly<Record<'site-1' | 'site-2' | 'proxy' | 'mock-provider', Service>>;
  mockProvider: string;
  nginxTemplate: string;
  certificateScript: string;
}

/** The services of compose.yaml as processes of this machine, except for Redis. */
export interface Deployment {
  /** The URL of the site for browsers. */
  url: string;
  sites: readonly ServerProcess[];
  nginx: ServerProcess;
  /** Sends a request as a browser that trusts the certificate. */
  send(request: Request): Promise<Response>;
  /** @returns the exit code of the health check of a site process, or of the provider */
  checkHealth(service: 'site-1' | 'site-2' | 'mock-provider'): number | null;
  stop(): Promise<void>;
}

interface Ports {
  /** Of nginx. */
  site: number;
  service: number;
  /** Of the processes behind it. */
  'site-1': number;
  'site-2': number;
  'mock-provider': number;
}

const SITES = ['site-1', 'site-2'] as const;
const SESSION_SECRET = 'operations-session-secret-0123456789-0123456789';

/** Starts the services in a temporary folder, and waits until they are ready. */
export async function startDeployment(redisURL: string): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'));
  const ports = await freePorts();
  const compose = localCompose(folder, ports, redisURL);
  execFileSync('sh', [compose.certificateScript, folder]);
  writeFileSync(join(folder, 'mock-provider.json'), compose.mockProvider);
  writeNginxConfig(folder, compose, ports);

  const started: ServerProcess[] = [];
  function start(name: string, command: readonly string[], env: Environment, endSignal?: 'SIGTERM'): ServerProcess {
    const output = join(folder, `${name}.out`);
    const server = new ServerProcess(name, command, {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
      output,
      endSignal,
    });
    started.push(server);
    return server;
  }

  async function startSite(name: (typeof SITES)[number]): Promise<ServerProcess> {
    const { command, environment } = compose.services[name];
    const site = start(name, command, { ...environment, PORT: String(ports[name]) });
    await ready(site, `http://127.0.0.1:${ports[name]}/readyz`);
    return site;
  }

  async function stop(): Promise<void> {
    for (const server of started) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const { 'mock-provider': mockProvider, proxy } = compose.services;
    // The command line overrides the address in the container.
    const address = ['--host', '127.0.0.1', '--port', String(ports['mock-provider'])];
    const provider = start('provider', [...mockProvider.command, ...address], {});
    const [, ...args] = proxy.command.map((text) => (text === NGINX_FOLDER ? folder : text));
    const nginx = start('nginx', [process.env.NGINX as string, ...args], {}, 'SIGTERM');
    await ready(provider, `http://127.0.0.1:${ports['mock-provider']}/.well-known/openid-configuration`);
    const sites = await Promise.all(SITES.map(startSite));
    const url = `https://127.0.0.1:${ports.site}`;
    const send = createSend(readFileSync(join(folder, 'cert.pem'), 'utf8'));
    await ready(nginx, `${url}/readyz`, (address) => send(new Request(address)));
    return {
      url,
      sites,
      nginx,
      send,
      checkHealth(service) {
        const [, program = '', ...args] = compose.services[service].healthcheck.test;
        const { status } = spawnSync(program, args, { env: { PATH: process.env.PATH, PORT: String(ports[service]) } });
        return status;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freePorts(): Promise<Ports> {
  const [site = 0, service = 0, site1 = 0, site2 = 0, mockProvider = 0] = await Promise.all(
    Array.from({ length: 5 }, freePort),
  );
  return { site, service, 'site-1': site1, 'site-2': site2, 'mock-provider': mockProvider };
}

/** @param addresses the text to insert for each address of a container; each of them must occur */
function readCompose(addresses: Readonly<Record<string, string>>, variables: Environment): Compose {
  const missing = new Set(Object.keys(addresses));
  const read = (file: string): string => {
    let text = readFileSync(join(composeFolder, file), 'utf8');
    for (const [address, local] of Object.entries(addresses)) {
      if (text.includes(address)) missing.delete(address);
      text = text.replaceAll(address, local);
    }
    return text;
  };
  const compose = {
    services: parse(interpolate(read('compose.yaml'), variables)).services,
    mockProvider: read('mock-provider.json'),
    nginxTemplate: readFileSync(join(composeFolder, 'nginx.conf.template'), 'utf8'),
    certificateScript: join(composeFolder, 'certificate.sh'),
  };
  if (missing.size > 0) throw new Error(`example-app/compose does not use ${[...missing].join(', ')}`);
  return compose;
}

/** Inserts the variables of the shell as Compose does: `${NAME:?message}` is required. */
function interpolate(text: string, variables: Environment): string {
  return text.replace(/\$\{(\w+):\?([^}]*)\}/g, (_all, name: string, message: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(message);
    return value;
  });
}

/** Inserts the environment into a template as the nginx image does: other variables are nginx's own. */
function substitute(template: string, environment: Environment): string {
  return template.replace(/\$\{(\w+)\}/g, (all, name: string) => environment[name] ?? all);
}

/** Reads compose.yaml and its files, with the addresses of this machine instead of those in containers. */
function localCompose(folder: string, ports: Ports, redisURL: string): Compose {
  const addresses = {
    'rounds.localhost:8443': `127.0.0.1:${ports.site}`,
    'service.localhost:8444': `127.0.0.1:${ports.service}`,
    'site-1:3000': `127.0.0.1:${ports['site-1']}`,
    'site-2:3000': `127.0.0.1:${ports['site-2']}`,
    'mock-provider:4400': `127.0.0.1:${ports['mock-provider']}`,
    '127.0.0.1:4400': `127.0.0.1:${ports['mock-provider']}`,
    'redis://redis:6379': redisURL,
    '/certificates': folder,
    '/mock-provider.json': join(folder, 'mock-provider.json'),
  };
  return readCompose(addresses, { SESSION_SECRET });
}

function writeNginxConfig(folder: string, { services, nginxTemplate }: Compose, { site, service }: Ports): void {
  const ports = { SITE_PORT: String(site), SERVICE_PORT: String(service) };
  writeFileSync(join(folder, 'nginx.conf'), substitute(nginxTemplate, { ...services.proxy.environment, ...ports }));
}

/** Waits until a server responds with success. @throws its output where it ends */
async function ready(
  server: ServerProcess,
  url: string,
  get: (url: string) => Promise<Response> = fetch,
): Promise<void> {
  while ((await get(url).catch(() => undefined))?.ok !== true) {
    if (!server.isRunning) throw new Error(`${server.name} ended: ${server.output()}`);
    await sleep(20);
  }
}

/** @returns a function that sends requests with any headers, as a browser that trusts this certificate */
function createSend(ca: string): Deployment['send'] {
  return async (request) => {
    const { method, url, headers } = request;
    const body = await request.text();
    const options = { method, ca, headers: Object.fromEntries(headers), timeout: FETCH_TIMEOUT_MS };
    const sent = https.request(url, options);
    sent.on('timeout', () => sent.destroy(new Error(`no response of ${url}`)));
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const received = new Headers();
    for (const [name, values = []] of Object.entries(response.headersDistinct)) {
      for (const value of values) received.append(name, value);
    }
    return new Response((await text(response)) || null, { status: response.statusCode as number, headers: received });
  };
}
