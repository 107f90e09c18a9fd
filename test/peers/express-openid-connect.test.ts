import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';

const file = join(dirname(fileURLToPath(import.meta.url)), 'sites', 'express-openid-connect.mjs');

let provider: MockProvider;
let site: ChildProcess;
let address: string;
beforeAll(async () => {
  provider = await startMockProvider();
  const { clientID, clientSecret } = provider.clients.openid;
  const env = {
    NODE_ENV: 'test',
    PATH: process.env.PATH,
    ISSUER: provider.issuer,
    CLIENT_ID: clientID,
    CLIENT_SECRET: clientSecret,
  };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  site = child;
  [address] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
});
beforeEach(() => provider.reset());
afterAll(async () => {
  const gone = once(site, 'exit');
  site.kill();
  await gone;
  await provider.stop();
});

describe('express-openid-connect at the mock provider', () => {
  test('signs in with PKCE and client_secret_basic', async () => {
    const agent = request.agent(address);
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/login' });
    expect(response.body).toEqual({ signedIn: true, sub: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  test('decision 35: a denial signs nobody in', async () => {
    const agent = request.agent(address);
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/login', deny: true });
    expect(response.status).toBe(400);
    expect((await agent.get('/')).body).toEqual({ signedIn: false, sub: null });
  });
});
