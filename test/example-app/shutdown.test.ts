import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { BrowserUser } from '../helpers.js';
import { delaysStarted, holdResponse, isBuilt, type SiteProcess, startSite } from './site-process.js';

const PROFILE = '/api/v1/users/current';
let provider: MockProvider;
let site: SiteProcess | undefined;
beforeEach(async () => {
  provider = await startMockProvider({ apiPort: 0 });
});
afterEach(async () => {
  site?.child.kill('SIGKILL');
  await provider.stop();
});

/** Starts the site, and signs a user in. */
async function signedIn() {
  const started = await startSite(provider);
  site = started;
  const user = new BrowserUser(provider);
  const { status } = await user.visit(`${started.url}/auth/login?returnTo=/account`, { username: 'verified' });
  expect(status).toBe(200);
  return { site: started, user };
}

/** Waits until the provider has received the request whose response is delayed, and then sends SIGTERM. */
async function stopDuringRequest({ child }: SiteProcess): Promise<void> {
  await delaysStarted(provider);
  child.kill('SIGTERM');
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** @returns a connection that has been used for a request. */
async function openIdle(url: string): Promise<Socket> {
  const socket = await open(url);
  socket.write('GET /healthz HTTP/1.1\r\nHost: site\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

(isBuilt ? describe : describe.skip)('SIGTERM', () => {
  test('exits with code 0 after the last response: idle connections close at once, unused ones at the end', async () => {
    const { site, user } = await signedIn();
    const unused = await open(site.url);
    const idle = await openIdle(site.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = async (path: string) => {
      const request = httpGet(`${site.url}${path}`, { agent, headers: user.navigation });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return { statusCode: response.statusCode, connection: response.headers.connection };
    };
    holdResponse(provider, PROFILE);
    const inProgress = send('/profile');
    await stopDuringRequest(site);
    await once(idle, 'close');
    expect(await inProgress).toEqual({ statusCode: 200, connection: 'close' });
    await expect(send('/api/me')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    if (!unused.closed) await once(unused, 'close');
    expect(await site.ended).toBe(0);
    expect(site.output.err).toBe('');
    agent.destroy();
  });

  test('followed by SIGINT exits at once with code 1', async () => {
    const { site, user } = await signedIn();
    provider.faults.next('delay', { endpoint: PROFILE, delay: '30 seconds' });
    const idle = await openIdle(site.url);
    const page = user.get(`${site.url}/profile`).catch(() => undefined);
    await stopDuringRequest(site);
    await once(idle, 'close'); // The process has received the first signal.
    site.child.kill('SIGINT');
    expect(await site.ended).toBe(1);
    await page;
  });
});
