import { describe, expect, test } from '@jest/globals';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { testCertificates } from '../../authorization-server/test-certificates.js';
import { takePrinted } from '../../helpers/printed.js';
import { provider } from '../../helpers/provider.js';
import { basic, codeOf, jwtPart, profile, redeem, send, signIn, tokensOf, VERIFIER } from '../wire.js';
import { callOperation, tokenIn } from './operations.js';

const call = (operation: string, body: unknown, headers?: Record<string, string>) =>
  callOperation(provider, operation, body, headers);
const openedText = async (open: string) =>
  (await send(provider, `/_mock/inspector/state.json?${new URLSearchParams({ open })}`)).text;
/** The sections of an exchange, by title. */
async function sectionsOf(number: number): Promise<Record<string, { json?: string; values: { name: string }[] }>> {
  const { opened } = JSON.parse(await openedText(`request-${number}`));
  const { sections } = opened.exchanges.find((one: { number: number }) => one.number === number);
  return Object.fromEntries(sections.map((section: { title: string }) => [section.title, section]));
}
const lastNumber = () => provider.requests.at(-1)?.number ?? 0;
const shownValue = async (request: number, part: string, name: string) =>
  (await call('value', { request, part, name })).json.value;

/** Redeems a code. @returns every secret of the exchange, with its place */
async function exchangeSecrets() {
  const { openid } = provider.clients;
  const code = await codeOf(provider, openid, { nonce: 'a nonce that is as long as one' });
  const redirect = lastNumber();
  const { json } = await redeem(provider, openid, code);
  const request = lastNumber();
  const secrets: [request: number, part: string, name: string, value: string][] = [
    [redirect, 'redirect', 'code', code],
    [request, 'header', 'Authorization', basic(openid)],
    [request, 'form', 'code', code],
    [request, 'form', 'code_verifier', VERIFIER],
    [request, 'body', 'access_token', json.access_token],
    [request, 'body', 'refresh_token', json.refresh_token],
    [request, 'body', 'id_token', json.id_token],
    [request, 'claims', 'nonce', 'a nonce that is as long as one'],
  ];
  return { secrets, request, json };
}

describe('a masked value', () => {
  test('is sent on request, one at a time, is not stored by a browser, and is in no view and no record', async () => {
    const { secrets, request } = await exchangeSecrets();
    const { headers } = await call('value', { request, part: 'form', name: 'code' });
    expect([headers['cache-control'], headers['access-control-allow-origin']]).toEqual(['no-store', undefined]);
    for (const [request, part, name, value] of secrets) expect(await shownValue(request, part, name)).toBe(value);
    const texts = [await openedText('login-1'), JSON.stringify(provider.requests), provider.trace()];
    for (const [, , name, value] of secrets) {
      for (const text of texts) expect([name, JSON.stringify(text).includes(value)]).toEqual([name, false]);
    }
  });

  test('is not sent to a page of another origin, another host name, another machine or a proxy', async () => {
    const { secrets } = await exchangeSecrets();
    const [[request, part, name, value] = []] = secrets;
    const body = { request, part, name };
    for (const [headers, status] of [
      [{ origin: 'https://evil.example' }, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ host: 'evil.example' }, 403],
      [{ 'x-forwarded-for': '127.0.0.1' }, 403],
      [{ 'x-inspector-token': '' }, 403],
      [{ 'x-inspector-token': 'x'.repeat(32) }, 403],
      [{ 'content-type': 'text/plain' }, 415],
    ] as [Record<string, string>, number][]) {
      const reply = await call('value', body, headers);
      expect([headers, reply.status, reply.text.includes(value as string)]).toEqual([headers, status, false]);
    }
    expect((await send(provider, '/_mock/inspector/operations/value')).status).toBe(405);
  });

  test('is not available where other machines reach the provider', async () => {
    const https = { key: testCertificates.key, cert: testCertificates.good };
    await using reachable = await startMockProvider({ host: '0.0.0.0', https });
    expect(takePrinted()).toEqual([expect.stringContaining('mock_provider_reachable')]);
    await signIn(reachable, reachable.clients.openid);
    const page = await (await reachable.fetch(`${reachable.issuer}/`)).text();
    const response = await reachable.fetch(`${reachable.issuer}/_mock/inspector/operations/value`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-inspector-token': tokenIn(page) },
      body: JSON.stringify({ request: 1, part: 'query', name: 'state' }),
    });
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('are not stored')]);
    const state = await (await reachable.fetch(`${reachable.issuer}/_mock/inspector/state.json`)).text();
    expect(state).not.toContain('"part"');
    expect(state).not.toContain('ID Token claims');
  });

  test('is never a password, and nothing that the exchange does not have', async () => {
    await tokensOf(provider, provider.clients.openid);
    const login = provider.requests.find(({ path, method }) => path === '/oauth/login' && method === 'POST')?.number;
    for (const [request, part, name] of [
      [login, 'form', 'password'],
      [login, 'form', 'toString'],
      [login, 'body', '__proto__'],
      [login, 'claims', 'sub'],
      [9999, 'form', 'code'],
    ]) {
      const { status, json } = await call('value', { request, part, name });
      expect([name, status, json.error]).toEqual([name, 404, 'not_found']);
    }
    expect((await call('value', { request: login, part: 'cookie', name: 'a' })).status).toBe(400);
  });

  test('is deleted by a reset, and after 500 newer requests', async () => {
    const { request } = await exchangeSecrets();
    for (let count = 0; count < 500; count += 1) await provider.fetch(`${provider.issuer}/.well-known/jwks.json`);
    expect((await call('value', { request, part: 'form', name: 'code' })).status).toBe(404);
    const { request: newer } = await exchangeSecrets();
    expect(await shownValue(newer, 'form', 'code_verifier')).toBe(VERIFIER);
    provider.reset();
    expect((await call('value', { request: newer, part: 'form', name: 'code_verifier' })).status).toBe(404);
  });
});

describe('the view of an exchange', () => {
  test('has the JSON of the token response and the claims of the ID Token, without tokens', async () => {
    const { request, json } = await exchangeSecrets();
    const { Response: body, 'ID Token claims': claims } = await sectionsOf(request);
    const mask = '[masked]';
    const masked = { access_token: mask, refresh_token: mask, id_token: mask };
    expect(JSON.parse(body?.json ?? '')).toEqual({ ...json, ...masked });
    expect(JSON.parse(claims?.json ?? '')).toEqual({ ...jwtPart(json.id_token, 'claims'), nonce: mask });
    expect(claims?.values).toEqual([{ name: 'nonce', value: mask, part: 'claims' }]);
  });

  test('has the response as the site received it, after a fault', async () => {
    provider.faults.next('wrongSubject');
    const { id_token } = await tokensOf(provider, provider.clients.openid);
    const { sub } = jwtPart(id_token as string, 'claims');
    expect(JSON.parse((await sectionsOf(lastNumber()))['ID Token claims']?.json ?? '')).toMatchObject({ sub });
    provider.faults.next('malformedJSON');
    await redeem(provider, provider.clients.openid, await codeOf(provider, provider.clients.openid));
    const { Response: body } = await sectionsOf(lastNumber());
    expect(body?.json).toBe('{\n  "the whole body": "[masked]"\n}');
    const { access_token } = await tokensOf(provider, provider.clients.openid, { scope: 'openid basic' });
    provider.faults.next('malformedJSON', { endpoint: '/api/v1/users/current' });
    await profile(provider, access_token);
    expect((await sectionsOf(lastNumber())).Response?.json).toBe(body?.json);
    expect(await shownValue(lastNumber(), 'body', 'the whole body')).toMatch(/^\{"id" .*\}$/);
  });

  test('masks a member of the token response that it does not know', async () => {
    provider.faults.next('pollutedJSON');
    await tokensOf(provider, provider.clients.openid).catch(() => undefined);
    const { Response: body } = await sectionsOf(lastNumber());
    const known = ['token_type', 'expires_in', 'scope'];
    const shown = Object.entries(JSON.parse(body?.json ?? '') as object).filter(([, value]) => value !== '[masked]');
    expect(shown.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('masks every claim of a token of another issuer, whose user may be a real one', async () => {
    const { id_token = '' } = await tokensOf(provider, provider.clients.openid);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'https://real.example', sub: 'a real user', email: 'real@clinic.example', aud: 'site' };
    const [header, , signature] = id_token.split('.');
    await send(provider, `/oauth/logout?id_token_hint=${header}.${encode(claims)}.${signature}`);
    const { 'ID Token claims': foreign } = await sectionsOf(lastNumber());
    expect(Object.values(JSON.parse(foreign?.json ?? ''))).toEqual(Array(4).fill('[masked]'));
    expect(await openedText(`request-${lastNumber()}`)).not.toContain('real');
    await send(provider, `/oauth/logout?id_token_hint=${id_token}`);
    const { 'ID Token claims': own } = await sectionsOf(lastNumber());
    expect(JSON.parse(own?.json ?? '')).toMatchObject({ iss: provider.issuer });
  });

  test('has the claims of an ID Token in a redirect', async () => {
    await signIn(provider, provider.clients.openid, { response_type: 'code id_token', nonce: 'n' });
    const { Redirect: redirect, 'ID Token claims': claims } = await sectionsOf(lastNumber());
    expect(redirect?.values).toContainEqual({ name: 'id_token', value: '[masked]', part: 'redirect' });
    expect(JSON.parse(claims?.json ?? '')).toMatchObject({ iss: provider.issuer, c_hash: expect.any(String) });
  });
});
