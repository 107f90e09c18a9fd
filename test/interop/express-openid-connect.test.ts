import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { BrowserUser } from '../helpers/browser-user.js';

const file = join(dirname(fileURLToPath(import.meta.url)), 'sites', 'express-openid-connect.mjs');
const client = { clientID: 'a-clinic', clientSecret: 'with-a:colon+plus%and space' };

let provider: MockProvider;
let site: ChildProcess;
let address: string;
beforeAll(async () => {
  provider = await startMockProvider();
  const env = {
    NODE_ENV: 'test',
    PATH: process.env.PATH,
    ISSUER: provider.issuer,
    CLIENT_ID: client.clientID,
    CLIENT_SECRET: client.clientSecret,
  };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  site = child;
  [address] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  provider.registerClient({
    ...client,
    flow: 'openid',
    scope: 'openid basic',
    redirectURIs: [`${address}/callback`],
    postLogoutRedirectURIs: [address],
  });
});
beforeEach(() => provider.reset());
afterAll(async () => {
  const exit = once(site, 'exit');
  site.kill();
  await exit;
  await provider.stop();
});

const subject = expect.stringMatching(/^[0-9a-f-]{36}$/);
const signedOut = { signedIn: false, sub: null };

describe('express-openid-connect at the mock provider', () => {
  test('signs in with PKCE and client_secret_basic', async () => {
    const agent = request.agent(address);
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/login' });
    expect(response.body).toEqual({ signedIn: true, sub: subject });
  });

  test('refreshes, and reads userinfo with the new access token', async () => {
    const agent = request.agent(address);
    const { body } = await signIn(agent, provider, { as: 'verified', loginPath: '/login' });
    expect((await agent.get('/refresh')).body).toEqual({ isNewToken: true, sub: body.sub });
    expect((await agent.get('/userinfo')).body).toMatchObject({ sub: body.sub, name: expect.any(String) });
  });

  test('logs out at the provider too, and returns', async () => {
    const user = new BrowserUser();
    const input = { username: 'verified', password: 'clinician', decision: 'approve' };
    const signedIn = await user.visit(`${address}/login`, input);
    const again = await user.visit(`${address}/silent`, {});
    expect(JSON.parse(again.text)).toEqual(JSON.parse(signedIn.text));
    expect(JSON.parse(again.text)).toEqual({ signedIn: true, sub: subject });

    const after = await user.visit(`${address}/logout`, {});
    expect(after.url.href).toBe(`${address}/`);
    expect(JSON.parse(after.text)).toEqual(signedOut);
    const silent = await user.visit(`${address}/silent`, {});
    expect(silent.url.searchParams.get('error')).toBe('login_required');
    expect(silent.status).toBe(400);
  });
});
