import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RegisteredClient } from 'passport-clinician/mock-provider';
import { type AccessToken, AuthorizationCode } from 'simple-oauth2';
import { provider } from '../helpers/provider.js';
import { BrowserUser } from '../helpers.js';

const redirectURI = 'http://127.0.0.1:5001/callback';

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

async function signIn(client: AuthorizationCode): Promise<AccessToken> {
  const state = randomUUID();
  const url = client.authorizeURL({ redirect_uri: redirectURI, scope: ['basic', 'email'], state });
  const { searchParams } = await new BrowserUser().authorize(url, { username: 'verified', password: 'clinician' });
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

  test('with the secret in a header: the revocation of both tokens is no error', async () => {
    const tokens = await signIn(clientWith('header'));
    await tokens.revokeAll();
    expect(await statusOf(tokens)).toBe(401);
  });
});
