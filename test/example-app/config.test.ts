import { expect, test } from '@jest/globals';
import request from 'supertest';
import { createSite } from '../../example-app/src/app.js';
import { configMessage, readConfig } from '../../example-app/src/config.js';

const SERVICE = {
  CLINICIAN_ISSUER: 'https://auth.service.example',
  CLINICIAN_API_URL: 'https://api.service.example',
  CLINICIAN_CLIENT_ID: 'rounds',
  CLINICIAN_CLIENT_SECRET: 'planted-client-secret',
};
const LIVE = { ...SERVICE, APP_URL: 'https://rounds.example', SESSION_SECRET: 'planted-session-secret-0123456789' };

/** @returns the message that a start with these settings fails with, or undefined when the site starts. */
function startWith(env: Record<string, string>): string | undefined {
  try {
    const config = readConfig(env);
    if (!config.usesMockProvider) createSite(config);
    return undefined;
  } catch (error) {
    return configMessage(error) ?? `no message: ${error}`;
  }
}

test('without settings the site is on this machine, uses the mock provider and requests every scope', () => {
  const { sessionSecrets, environment, ...config } = readConfig({});
  expect(config).toEqual({
    port: 3000,
    appURL: 'http://127.0.0.1:3000',
    sameSite: 'lax',
    signInBy: 'passport',
    flow: 'openid',
    offeredScope: ['openid', 'basic', 'colleagues', 'email'],
    usesMockProvider: true,
    readyzDetails: false,
    shutdownTimeoutMs: 12_000,
  });
  expect(environment).toEqual({
    APP_URL: 'http://127.0.0.1:3000',
    SESSION_SECRET: sessionSecrets[0],
    CLINICIAN_SCOPE: 'openid basic colleagues email',
  });
  expect([sessionSecrets.length, sessionSecrets[0]?.length]).toEqual([1, 43]);
  expect(readConfig({}).sessionSecrets).not.toEqual(sessionSecrets);
});

test('SESSION_SECRET has one secret, or several separated by spaces', () => {
  const secretsOf = (value: string) => readConfig({ ...LIVE, SESSION_SECRET: value }).sessionSecrets;
  expect(secretsOf(LIVE.SESSION_SECRET)).toEqual([LIVE.SESSION_SECRET]);
  expect(secretsOf(' new-secret  old-secret\n')).toEqual(['new-secret', 'old-secret']);
});

test('flow, scope and port are read, and an empty value is ignored', () => {
  expect(readConfig({ CLINICIAN_FLOW: 'profile' }).offeredScope).toEqual(['basic', 'colleagues', 'email']);
  expect(readConfig({ CLINICIAN_SITE: 'drop-in' }).signInBy).toBe('drop-in');
  const scope = { CLINICIAN_SCOPE: ' openid  basic ', CLINICIAN_OPTIONAL_SCOPE: 'colleagues' };
  expect(readConfig(scope).offeredScope).toEqual(['openid', 'basic', 'colleagues']);
  expect(readConfig({ PORT: '8080', APP_URL: '', REDIS_URL: '' }).appURL).toBe('http://127.0.0.1:8080');
  expect(readConfig({ ...LIVE, APP_URL: 'https://rounds.example/' }).appURL).toBe('https://rounds.example');
  expect(readConfig({ APP_URL: 'http://localhost:3000' }).appURL).toBe('http://localhost:3000');
});

test('the policy of the pages allows the share script of the service, which is optional', async () => {
  expect(startWith({ ...LIVE, NODE_ENV: 'production' })).toBeUndefined();
  const config = readConfig({ ...LIVE, CLINICIAN_SHARE_SCRIPT_URL: 'https://share.service.example/share.js' });
  const { headers } = await request(createSite(config).app).get('/');
  expect(headers['content-security-policy']).toContain("script-src 'self' https://share.service.example");
});

test.each<[name: string, env: Record<string, string>, message: RegExp]>([
  ['PORT is not a number', { PORT: 'http' }, /^PORT must be a number from 1 to 65535, got 'http'\.$/],
  ['PORT is 0', { PORT: '0' }, /^PORT must be/],
  ['SHUTDOWN_SECONDS is 0', { SHUTDOWN_SECONDS: '0' }, /^SHUTDOWN_SECONDS must be a number from 1 to 3600, got '0'\.$/],
  [
    'READYZ_DETAILS is not true or false',
    { READYZ_DETAILS: 'yes' },
    /^READYZ_DETAILS must be 'true' or 'false', not 'yes'\.$/,
  ],
  ['APP_URL has a path', { APP_URL: 'https://a.example/x' }, /^APP_URL .* without a path, not 'https:/],
  ['APP_URL has a user name', { APP_URL: 'https://me@a.example' }, /^APP_URL must be/],
  ['APP_URL is public with the mock provider', { APP_URL: 'https://a.example' }, /^APP_URL is .*this machine only/],
  ['the flow is unknown', { CLINICIAN_FLOW: 'oidc' }, /^CLINICIAN_FLOW must be 'openid' or 'profile', not 'oidc'\.$/],
  ['the kind of site is unknown', { CLINICIAN_SITE: 'express' }, /^CLINICIAN_SITE must be 'passport' or 'drop-in'/],
  ['the session secret is missing', { ...LIVE, SESSION_SECRET: '' }, /: SESSION_SECRET is missing.*randomBytes/],
  [
    'the issuer is missing and another variable is set',
    { CLINICIAN_CLIENT_ID: 'rounds' },
    /CLINICIAN_ISSUER is missing.*\n {2}CLINICIAN_API_URL is missing/,
  ],
  ['REDIS_URL is not a URL', { REDIS_URL: 'localhost:6379' }, /^REDIS_URL must be a URL/],
  ['one of several is not a URL', { REDIS_URL: 'redis://a:6379,b:6379' }, /^REDIS_URL must be a URL .* or several/],
])('the start fails with a message when %s', (_name, env, expected) => {
  const message = startWith(env);
  expect(message).toMatch(expected);
  expect(message).not.toContain('planted');
});
