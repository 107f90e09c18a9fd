import { beforeAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import type { RegisteredClient } from 'passport-clinician/mock-provider';
import { provider } from '../helpers/provider.js';
import { BrowserUser } from '../helpers.js';

const redirectURI = 'http://127.0.0.1:5001/callback';
const postLogoutRedirectURI = 'http://127.0.0.1:5001/bye';
const verified = { username: 'verified', password: 'clinician' };

let formA: RegisteredClient;
let formB: RegisteredClient;
beforeAll(() => {
  const redirectURIs = [redirectURI];
  const scope = 'openid basic email';
  formA = provider.registerClient({ flow: 'profile', redirectURIs });
  formB = provider.registerClient({
    flow: 'openid',
    redirectURIs,
    postLogoutRedirectURIs: [postLogoutRedirectURI],
    scope,
  });
});

const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];

function discover(authentication: client.ClientAuth, { clientID }: RegisteredClient): Promise<client.Configuration> {
  return client.discovery(new URL(provider.issuer), clientID, undefined, authentication, { execute });
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

/** Signs in by Form B with PKCE, state and nonce; openid-client checks them and the signature. */
async function signIn(
  config: client.Configuration,
  user: BrowserUser,
  more: Record<string, string> = {},
): Promise<Tokens & { callback: URL }> {
  const [pkceCodeVerifier, expectedState, expectedNonce] = [
    client.randomPKCECodeVerifier(),
    client.randomState(),
    client.randomNonce(),
  ];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectURI,
    scope: 'openid basic email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    ...more,
  });
  const callback = await user.authorize(url.href, verified);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  return Object.assign(await client.authorizationCodeGrant(config, callback, checks), { callback });
}

function resource(config: client.Configuration, accessToken: string): Promise<Response> {
  return client.fetchProtectedResource(config, accessToken, new URL(`${provider.apiURL}/api/v1/users/current`), 'GET');
}

const unauthorized = { status: 401 };
const invalidGrant = { error: 'invalid_grant' };

describe('openid-client at the mock provider', () => {
  test('Form B: code, userinfo, refresh, revocation, end session', async () => {
    const config = await discover(client.ClientSecretBasic(formB.clientSecret), formB);
    const user = new BrowserUser();
    const tokens = await signIn(config, user);
    const sub = tokens.claims()?.sub ?? '';
    expect(sub).toMatch(/^[0-9a-f-]{36}$/);
    const userinfo = await client.fetchUserInfo(config, tokens.access_token, sub);
    expect(userinfo).toMatchObject({ sub, email_verified: expect.any(Boolean), family_name: expect.any(String) });

    // A refresh revokes the pair before it.
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'openid basic' });
    expect(refreshed.claims()).toMatchObject({ sub, auth_time: tokens.claims()?.auth_time });
    expect(refreshed.scope).toBe('openid basic');
    await expect(resource(config, tokens.access_token)).rejects.toMatchObject(unauthorized);
    expect((await resource(config, refreshed.access_token)).status).toBe(200);

    // The revocation of one token of a pair revokes both.
    await client.tokenRevocation(config, refreshed.refresh_token ?? '', { token_type_hint: 'refresh_token' });
    await expect(resource(config, refreshed.access_token)).rejects.toMatchObject(unauthorized);
    const again = client.refreshTokenGrant(config, refreshed.refresh_token ?? '');
    await expect(again).rejects.toMatchObject(invalidGrant);

    // End session returns with the state, and the user is no longer signed in at the provider.
    const silent = await signIn(config, user, { prompt: 'none' });
    expect(silent.claims()?.sub).toBe(sub);
    const endSession = client.buildEndSessionUrl(config, {
      id_token_hint: silent.id_token ?? '',
      post_logout_redirect_uri: postLogoutRedirectURI,
      state: 'signed-out',
    });
    expect((await user.authorize(endSession.href, {})).href).toBe(`${postLogoutRedirectURI}?state=signed-out`);
    await expect(signIn(config, user, { prompt: 'none' })).rejects.toMatchObject({ error: 'login_required' });
  });

  test('Form A: code with the secret in the form, refresh, revocation', async () => {
    const config = await discover(client.ClientSecretPost(formA.clientSecret), formA);
    const expectedState = client.randomState();
    const query = { redirect_uri: redirectURI, scope: 'basic email', state: expectedState };
    const { href } = client.buildAuthorizationUrl(config, query);
    const callback = await new BrowserUser().authorize(href, verified);
    const tokens = await client.authorizationCodeGrant(config, callback, { expectedState });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(tokens.id_token).toBeUndefined();
    expect(await (await resource(config, tokens.access_token)).json()).toMatchObject({ verified: true });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(resource(config, tokens.access_token)).rejects.toMatchObject(unauthorized);
    expect((await resource(config, refreshed.access_token)).status).toBe(200);

    // The revocation endpoint requires Basic, for Form A too.
    const secretPost = client.tokenRevocation(config, refreshed.access_token);
    await expect(secretPost).rejects.toMatchObject(unauthorized);
    const basic = await discover(client.ClientSecretBasic(formA.clientSecret), formA);
    await client.tokenRevocation(basic, refreshed.access_token);
    const again = client.refreshTokenGrant(config, refreshed.refresh_token ?? '');
    await expect(again).rejects.toMatchObject(invalidGrant);
  });

  test('response type code id_token: a response in the fragment, with a valid c_hash', async () => {
    const config = await discover(client.ClientSecretBasic(formB.clientSecret), formB);
    client.useCodeIdTokenResponseType(config);
    const tokens = await signIn(config, new BrowserUser());
    expect(new URLSearchParams(tokens.callback.hash.slice(1)).has('id_token')).toBe(true);
    expect(tokens.claims()?.sub).toMatch(/^[0-9a-f-]{36}$/);
  });
});
