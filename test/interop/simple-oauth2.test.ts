import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RegisteredClient } from 'passport-clinician/mock-provider';
import { type AccessToken, AuthorizationCode } from 'simple-oauth2';
import { BrowserUser } from '../helpers/browser-user.js';
import { provider } from '../helpers/provider.js';

const redirectURI = 'http://127.0.0.1:5001/callback';
const verified = { username: 'verified', password: 'clinician' };

let registered: Record<'body' | 'header', RegisteredClient>;
beforeAll(() => {
  const registration = { flow: 'profile', redirectURIs: [redirectURI] } as const;
  registered = {
    body: provider.registerClient(registration),
    header: provider.registerClient({ ...registration, tokenEndpointAuthMethod: 'client_secret_basic' }),
  };
});

/** Only the host is configured: the library's default paths are those of the service. */
function clientWith(authorizationMethod: 'body' | 'header'): AuthorizationCode {
  const { clientID: id, clientSecret: secret } = registered[authorizationMethod];
  return new AuthorizationCode({
    client: { id, secret },
    auth: { tokenHost: provider.issuer },
    // Its default, 'strict', rejects every response without JSON, also that of a revocation, which has no content.
    http: { json: true },
    options: { authorizationMethod },
  });
}

async function signIn(client: AuthorizationCode, input: Record<string, string> = verified): Promise<AccessToken> {
  const state = randomUUID();
  const url = client.authorizeURL({ redirect_uri: redirectURI, scope: ['basic', 'email'], state });
  const { searchParams } = await new BrowserUser().authorize(url, input);
  expect(searchParams.get('state')).toBe(state);
  return client.getToken({ code: searchParams.get('code') ?? '', redirect_uri: redirectURI });
}

async function statusOf({ token }: AccessToken): Promise<number> {
  const headers = { authorization: `Bearer ${token.access_token}` };
  return (await fetch(`${provider.apiURL}/api/v1/users/current`, { headers })).status;
}

const refused = (statusCode: number, error: string): object => ({
  output: { statusCode },
  data: { payload: { error } },
});

describe('simple-oauth2 at the mock provider, Form A', () => {
  test('with the secret in the form: code, refresh, refresh with less scope', async () => {
    const tokens = await signIn(clientWith('body'));
    expect(tokens.token).toMatchObject({ token_type: 'bearer', expires_in: 3600, expires_at: expect.any(Date) });
    expect(await statusOf(tokens)).toBe(200);

    const refreshed = await tokens.refresh();
    expect([await statusOf(tokens), await statusOf(refreshed)]).toEqual([401, 200]);
    const narrowed = await refreshed.refresh({ scope: ['basic'] });
    expect(await statusOf(narrowed)).toBe(200);
    const widened = narrowed.refresh({ scope: ['basic', 'colleagues'] });
    await expect(widened).rejects.toMatchObject(refused(400, 'invalid_scope'));
  });

  test('a refresh token that is used twice revokes the tokens after it', async () => {
    const tokens = await signIn(clientWith('body'));
    const refreshed = await tokens.refresh();
    await expect(tokens.refresh()).rejects.toMatchObject(refused(400, 'invalid_grant'));
    expect(await statusOf(refreshed)).toBe(401);
  });

  test.each(['access_token', 'refresh_token'] as const)(
    'with the secret in a header: the revocation of the %s revokes both',
    async (token) => {
      const tokens = await signIn(clientWith('header'));
      await tokens.revoke(token);
      expect(await statusOf(tokens)).toBe(401);
      await expect(tokens.refresh()).rejects.toMatchObject(refused(400, 'invalid_grant'));
    },
  );

  test('revoking both tokens of a pair is not an error', async () => {
    const tokens = await signIn(clientWith('header'));
    await tokens.revokeAll();
    expect(await statusOf(tokens)).toBe(401);
  });

  test('a revocation with the secret in the form is refused, and revokes nothing', async () => {
    const tokens = await signIn(clientWith('body'));
    await expect(tokens.revokeAll()).rejects.toMatchObject(refused(401, 'invalid_client'));
    expect(await statusOf(tokens)).toBe(200);
  });

  test('receives a denial', async () => {
    const url = clientWith('body').authorizeURL({ redirect_uri: redirectURI, scope: 'basic' });
    const { searchParams } = await new BrowserUser().authorize(url, { ...verified, decision: 'deny' });
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.has('code')).toBe(false);
  });
});
