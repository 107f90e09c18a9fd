import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, textOf, Visitor } from '../visitor.js';
import {
  authorizeURL,
  codeOf,
  jwtPart,
  profile,
  redeem,
  refresh,
  registerStrict,
  revoke,
  send,
  signIn,
  tokensOf,
} from '../wire.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ lifetimes: { accessToken: '10 minutes' } });
});
afterAll(() => provider.stop());

/** @returns a new sandbox and the main provider. */
const others = () => [provider.sandbox(), provider];

describe('another sandbox and the main provider refuse', () => {
  test('a code of a sandbox', async () => {
    const one = provider.sandbox();
    const code = await codeOf(one, one.clients.openid);
    for (const other of others()) {
      expect((await redeem(other, other.clients.openid, code)).json.error).toBe('invalid_grant');
    }
    expect((await redeem(one, one.clients.openid, code)).status).toBe(200);
  });

  test('the tokens of a sandbox', async () => {
    const one = provider.sandbox();
    const tokens = await tokensOf(one, one.clients.openid, { scope: 'openid basic' });
    for (const other of others()) {
      expect((await profile(other, tokens.access_token)).status).toBe(401);
      expect((await refresh(other, other.clients.openid, tokens.refresh_token)).json.error).toBe('invalid_grant');
      await revoke(other, other.clients.openid, tokens.refresh_token);
      const hinted = { id_token_hint: tokens.id_token, prompt: 'none' };
      const refused = await send(other, authorizeURL(other, other.clients.openid, hinted).slice(other.issuer.length));
      expect(refused.location.searchParams.get('error')).toBe('invalid_request');
    }
    expect((await profile(one, tokens.access_token)).status).toBe(200);
  });

  test('a client of a sandbox', async () => {
    const one = provider.sandbox();
    const client = registerStrict(one, 'openid');
    for (const other of others()) {
      expect((await send(other, authorizeURL(other, client).slice(other.issuer.length))).status).toBe(400);
      expect((await redeem(other, client, 'code')).json.error).toBe('invalid_client');
    }
  });

  test('a cookie of a sandbox: browsers do not send it, and it is ignored when it is sent', async () => {
    const [one, two] = [provider.sandbox(), provider.sandbox()];
    const visitor = new Visitor(one);
    const path = new URL(one.issuer).pathname;
    const login = await visitor.get(path + authorizePath(one));
    expect(textOf(await visitor.signIn(login, 'verified'))).toContain('asks for your approval');
    const names = [...visitor.cookies].map(([name, cookie]) => ({ name, path: cookie.path }));
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const cookie of names) expect(cookie.path).toBe(`${path}/oauth`);

    const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    const renamed = (other: MockProvider) =>
      cookie.replaceAll(
        new URL(one.issuer).pathname.replaceAll('/', '_'),
        new URL(other.issuer).pathname.replace(/\/$/, '').replaceAll('/', '_'),
      );
    for (const other of [two, provider]) {
      for (const sent of [cookie, renamed(other)]) {
        const silent = await send(other, authorizePath(other, { prompt: 'none' }), { headers: { cookie: sent } });
        expect(silent.location.searchParams.get('error')).toBe('login_required');
      }
    }
    const known = await send(one, authorizePath(one, { prompt: 'none' }), { headers: { cookie } });
    expect(known.location.searchParams.get('error')).toBe('consent_required');
  });
});

test('the session check is unchanged only at the provider of the session', async () => {
  const [one, two] = [provider.sandbox(), provider.sandbox()];
  const { clientID } = one.clients.openid;
  const callbacks = await Promise.all([one, two].map((each) => signIn(each, each.clients.openid)));
  const [sessionState = ''] = callbacks.map((callback) => callback.searchParams.get('session_state') ?? '');
  const poller = { clientID, sessionState, origin: 'http://127.0.0.1:5001' };
  expect([one, two, provider].map((each) => each.checkSession(poller))).toEqual(['unchanged', 'changed', 'changed']);
  const script = async (each: MockProvider) => (await send(each, '/oauth/session_state')).text;
  expect(await script(one)).toContain('_sandbox_');
  expect(await script(one)).not.toBe(await script(two));
});

describe('an issuer with a path', () => {
  test('has its metadata below it (OpenID Connect Discovery) and as RFC 8414 section 3.1 defines', async () => {
    const sandbox = provider.sandbox();
    const { origin, pathname } = new URL(sandbox.issuer);
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const below = await send(sandbox, `/.well-known/${name}`);
      const before = await fetch(`${origin}/.well-known/${name}${pathname}`);
      expect(await before.json()).toEqual(below.json);
      expect(below.json.issuer).toBe(sandbox.issuer);
      const urls = Object.entries(below.json).filter(([member]) => /_endpoint$|_uri$|_iframe$/.test(member));
      expect(urls.length).toBeGreaterThan(4);
      for (const [, url] of urls) expect(url).toMatch(new RegExp(`^${sandbox.issuer}/`));
    }
  });

  test('is the iss and an aud of its ID Tokens', async () => {
    const sandbox = provider.sandbox();
    const { id_token } = await tokensOf(sandbox, sandbox.clients.openid);
    const { iss, aud } = jwtPart(id_token, 'claims');
    expect([iss, aud]).toEqual([sandbox.issuer, [sandbox.issuer, sandbox.clients.openid.clientID]]);
  });

  test('is the prefix of every link, form and file of its pages', async () => {
    const sandbox = provider.sandbox({ verification: 'queued' });
    const { origin, pathname } = new URL(sandbox.issuer);
    for (const path of [
      authorizePath(sandbox),
      '/oauth/sign-in',
      '/oauth/sign-out',
      '/oauth/authorize',
      '/oauth/login',
    ]) {
      const page = await fetch(sandbox.issuer + path, { headers: { accept: 'text/html' } });
      const addresses = [...(await page.text()).matchAll(/\s(?:href|action|src)="([^"]*)"/g)].map(
        ([, address]) => address,
      );
      expect(addresses.length).toBeGreaterThan(1);
      for (const address of addresses) expect(new URL(address as string, origin).pathname).toMatch(`${pathname}/`);
      expect((await fetch(origin + addresses[0])).status).toBe(200);
    }
    const inbox = await send(sandbox, '/inbox/conversations');
    expect(inbox.location.pathname).toBe(`${pathname}/oauth/sign-in`);
    expect((await fetch(sandbox.shareScriptURL)).status).toBe(200);
  });
});

describe('a sandbox', () => {
  test('stop() removes only that sandbox, and its number is not used again', async () => {
    const [one, two] = [provider.sandbox(), provider.sandbox()];
    await one.stop();
    await one.stop();
    const { status, json } = await send(one, '/oauth/token', { method: 'POST' });
    expect([status, json.error_description]).toEqual([
      404,
      expect.stringContaining('This sandbox does not exist or was stopped'),
    ]);
    const { origin, pathname } = new URL(one.issuer);
    expect((await fetch(`${origin}/.well-known/openid-configuration${pathname}`)).status).toBe(404);
    expect((await send(two, '/.well-known/jwks.json')).status).toBe(200);
    expect(provider.sandbox().issuer).not.toBe(one.issuer);
  });

  test('reset() clears only that sandbox, and a sandbox of it is a sibling', async () => {
    const one = provider.sandbox();
    const two = one.sandbox();
    expect(two.issuer).toMatch(new RegExp(`^${provider.issuer}/sandbox/\\d+$`));
    await Promise.all([tokensOf(one, one.clients.openid), tokensOf(two, two.clients.openid)]);
    one.reset();
    expect([one.requests.length, two.requests.length > 0]).toEqual([0, true]);
    await one.stop();
    expect((await send(two, '/.well-known/jwks.json')).status).toBe(200);
  });

  test('has the options of the main provider unless its own replace them', async () => {
    const [same, other] = [provider.sandbox(), provider.sandbox({ lifetimes: { accessToken: '1 minute' } })];
    expect((await tokensOf(same, same.clients.profile)).expires_in).toBe(600);
    expect((await tokensOf(other, other.clients.profile)).expires_in).toBe(60);
  });

  test.each(['port', 'host', 'https', 'publicURL', 'apiPort', 'control'])(
    'option %s is refused with the fix',
    (name) => {
      expect(() => provider.sandbox({ [name]: 1 })).toThrow(
        `sandbox() has no option ${name}: a sandbox shares the provider's.`,
      );
    },
  );

  test('a misspelled option and a stopped provider fail with the fix', async () => {
    expect(() => provider.sandbox({ spellin: 'both' } as never)).toThrow('Did you mean spelling?');
    const short = await startMockProvider();
    await short.stop();
    expect(() => short.sandbox()).toThrow('The provider was stopped');
  });

  test('its fetch and its app handle only its own addresses', async () => {
    const [one, two] = [provider.sandbox(), provider.sandbox()];
    expect((await one.fetch(`${one.issuer}/.well-known/jwks.json`)).status).toBe(200);
    await expect(one.fetch(`${two.issuer}/.well-known/jwks.json`)).rejects.toThrow(`handles only ${one.issuer}`);
    await expect(one.fetch(`${provider.issuer}/.well-known/jwks.json`)).rejects.toThrow(
      `handles only ${one.issuer}, not ${provider.issuer}`,
    );
    expect((await provider.fetch(`${two.issuer}/.well-known/jwks.json`)).status).toBe(200);
  });
});
