import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
// @ts-expect-error: a build script without types
import { embedText } from '../../scripts/embed-text.mjs';
import { root } from '../architecture/imports.js';
import { navigation, sameOriginForm, sameOriginScript } from '../integration/site.js';
import type { LateSiteSettings } from './late-site.js';

let provider: MockProvider;
let folder: string;
beforeAll(async () => {
  provider = await startMockProvider({ port: 0 });
  folder = mkdtempSync(join(root, 'node_modules', '.late-')); // where it finds the packages
  await build({
    entryPoints: [fileURLToPath(new URL('late-site.ts', import.meta.url))],
    outfile: join(folder, 'late-site.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [embedText],
    packages: 'external',
    logLevel: 'warning',
  });
});
afterEach(() => provider.reset());
afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** How long after the timeout of the site everything has finished, in milliseconds. */
const SETTLE_MS = 350;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' };

type Agent = ReturnType<typeof supertest.agent>;

describe.each(['drop-in', 'Passport', 'strategy'] as const)('a response that was sent before, site: %s', (path) => {
  let child: ChildProcess;
  let agent: Agent;
  let origin: string;
  beforeAll(async () => {
    const { issuer, apiURL, clients } = provider;
    const { clientID, clientSecret } = clients.openid;
    const settings: LateSiteSettings = { path, options: { issuer, apiURL, clientID, clientSecret } };
    const env = { ...process.env, NODE_OPTIONS: '', SETTINGS: JSON.stringify(settings) };
    child = fork(join(folder, 'late-site.mjs'), { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const [{ port }] = (await once(child, 'message')) as [AddressInfo];
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(() => void child.kill('SIGKILL'));

  const set = (settings: Record<string, unknown>) =>
    supertest(origin)
      .get(`/set?${new URLSearchParams(settings as Record<string, string>)}`)
      .expect(200);

  /** Starts a login and signs in at the service. @returns the path of the callback, not requested yet. */
  async function callbackOf(): Promise<string> {
    const { headers } = await agent.get('/auth/login').set('Sec-Fetch-Site', 'same-origin').expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    return back.pathname + back.search;
  }

  const revocations = () => provider.requests.filter(({ path: requested }) => requested === '/oauth/revoke').length;
  /** Returns the codes of the errors that have reached the error handler of the site. */
  const errors = async () => (await supertest(origin).get('/errors')).body as string[];
  /** Waits for the next error: a busy machine takes longer than the delays. */
  async function nextErrors(): Promise<string[]> {
    for (;;) {
      const found = await errors();
      if (found.length > 0) return found;
      await pause(50);
    }
  }
  const hasDelays = async () => (await supertest(origin).get('/delays')).body.delays > 0;

  /** Runs requests that the timeout answers, waits for what is still running, and expects that the process runs. */
  async function expectSurvival(settings: Record<string, unknown>, run: () => Promise<unknown>): Promise<void> {
    await errors();
    await set({ timeout: 40, ...settings });
    try {
      await run();
    } finally {
      await pause(SETTLE_MS);
      while (await hasDelays()) await pause(20);
      await set({});
    }
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    await supertest(origin).get('/').expect(200);
  }

  beforeEach(() => {
    agent = supertest.agent(origin);
  });

  test.each([
    ['the user', { user: 100 }],
    ['the user, whose look-up fails', { user: 100, failure: 'reject' }],
    ['the user, who is denied', { user: 100, failure: 'deny' }],
    ['the session store', { session: 100 }],
    ['the user, with a callback that responds to everything', { user: 100, failure: 'throw' }],
  ])('a callback that waits for %s signs no user in and ends no process', async (_title, settings) => {
    const callback = await callbackOf();
    await expectSurvival(settings, () => agent.get(callback).set(navigation).expect(503, 'timeout'));
    if (!('failure' in settings)) expect(await nextErrors()).toEqual(['session_unavailable']);
    else if (settings.failure !== 'throw') expect(await nextErrors()).toHaveLength(1);
    if (path === 'strategy' && !('user' in settings)) return;
    while (revocations() === 0) await pause(20);
    expect((await agent.get('/')).body).toEqual({ user: null, grants: false });
    expect(revocations()).toBe(1);
  });

  test('a callback and a login that wait for the service end no process', async () => {
    const callback = await callbackOf();
    provider.faults.next('delay', { endpoint: '/oauth/token', delay: '100 ms' });
    await expectSurvival({}, () => agent.get(callback).set(navigation).expect(503, 'timeout'));
    expect((await agent.get('/')).body).toEqual({ user: null, grants: false });
  });

  if (path === 'strategy') return;

  async function signIn(): Promise<void> {
    await agent.get(await callbackOf()).expect(302);
    expect((await agent.get('/')).body).toEqual({ user: { id: 'user' }, grants: true });
  }

  test('a callback of a signed-in user that waits for the user ends neither the login nor a process', async () => {
    await signIn();
    const callback = await callbackOf();
    await expectSurvival({ user: 100 }, () => agent.get(callback).set(navigation).expect(503, 'timeout'));
    expect((await agent.get('/')).body).toEqual({ user: { id: 'user' }, grants: true });
  });

  test.each(['none', 'reject'])('a guard that waits for the token store (%s) ends no process', async (failure) => {
    await signIn();
    await expectSurvival({ tokens: 100, failure }, () => agent.get('/guarded').set(navigation).expect(503, 'timeout'));
    if (failure === 'reject') expect(await nextErrors()).toEqual(['token_store_unavailable']);
  });

  test('the middleware that waits for the session store ends no process', async () => {
    await signIn();
    // The session remains, although its login has ended.
    await set({ failure: 'throw' });
    await agent.post('/revoke').expect(200);
    await expectSurvival({ session: 100 }, () => agent.put('/auth/login').expect(503, 'timeout'));
  });

  test('a logout that waits for the session store ends no process', async () => {
    await signIn();
    await expectSurvival({ session: 100 }, () => agent.post('/auth/logout').set(sameOriginForm).expect(503, 'timeout'));
  });

  test('a session check that waits for the session store ends no process', async () => {
    await signIn();
    await agent.post('/auth/session-check').set(sameOriginScript).expect(200, { event: 'session-changed' });
    await expectSurvival({ session: 100 }, () => agent.get('/').set(pageView).expect(503, 'timeout'));
  });
});
