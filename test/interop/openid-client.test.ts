import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { type MockProvider, type RegisteredClient, startMockProvider } from 'passport-clinician/mock-provider';
import { BrowserUser } from '../browser-user.js';

const redirectURI = 'http://127.0.0.1:5001/callback';
const postLogoutRedirectURI = 'http://127.0.0.1:5001/bye';
const verified = { username: 'verified', password: 'clinician' };

let provider: MockProvider;
let formA: RegisteredClient;
let formB: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
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
beforeEach(() => provider.reset());
afterAll(() => provider.stop());

const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];

function found(authentication: client.ClientAuth, { clientID }: RegisteredClient): Promise<client.Configuration> {
  return client.discovery(new URL(provider.issuer), clientID, undefined, authentication, { execute });
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

/** Form B: with PKCE, state and nonce, all of them checked by openid-client, and the signature. */
async function signIn(
  config: client.Configuration,
  person: BrowserUser,
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
  const callback = await person.answer(url.href, verified);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  return Object.assign(await client.authorizationCodeGrant(config, callback, checks), { callback });
}

function resource(config: client.Configuration, accessToken: string): Promise<Response> {
  return client.fetchProtectedResource(config, accessToken, new URL(`${provider.apiURL}/api/v1/users/current`), 'GET');
}

const unauthorized = { status: 401 };
const invalidGrant = { error: 'invalid_grant' };

describe('openid-client, used directly, at the mock provider', () => {
  test('Form B: code, userinfo, refresh, revocation, end session', async () => {
    const config = await found(client.ClientSecretBasic(formB.clientSecret), formB);
    const person = new BrowserUser();
    const tokens = await signIn(config, person);
    const sub = tokens.claims()?.sub ?? '';
    expect(sub).toMatch(/^[0-9a-f-]{36}$/);
    const userinfo = await client.fetchUserInfo(config, tokens.access_token, sub);
    expect(userinfo).toMatchObject({ sub, email_verified: expect.any(Boolean), family_name: expect.any(String) });

    // Decision 53: the pair before a refresh is dead.
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'openid basic' });
    expect(refreshed.claims()).toMatchObject({ sub, auth_time: tokens.claims()?.auth_time });
    expect(refreshed.scope).toBe('openid basic');
    await expect(resource(config, tokens.access_token)).rejects.toMatchObject(unauthorized);
    expect((await resource(config, refreshed.access_token)).status).toBe(200);

    // Decision 61: revoking either one of a pair kills both.
    await client.tokenRevocation(config, refreshed.refresh_token ?? '', { token_type_hint: 'refresh_token' });
    await expect(resource(config, refreshed.access_token)).rejects.toMatchObject(unauthorized);
    const again = client.refreshTokenGrant(config, refreshed.refresh_token ?? '');
    await expect(again).rejects.toMatchObject(invalidGrant);

    // Decisions 80 and 82: back with the state, and nobody is signed in at the provider any more.
    const silently = await signIn(config, person, { prompt: 'none' });
    expect(silently.claims()?.sub).toBe(sub);
    const goodbye = client.buildEndSessionUrl(config, {
      id_token_hint: silently.id_token ?? '',
      post_logout_redirect_uri: postLogoutRedirectURI,
      state: 'over',
    });
    expect((await person.answer(goodbye.href, {})).href).toBe(`${postLogoutRedirectURI}?state=over`);
    await expect(signIn(config, person, { prompt: 'none' })).rejects.toMatchObject({ error: 'login_required' });
  });

  test('Form A: code with the secret in the form, refresh, revocation', async () => {
    const config = await found(client.ClientSecretPost(formA.clientSecret), formA);
    const expectedState = client.randomState();
    const query = { redirect_uri: redirectURI, scope: 'basic email', state: expectedState };
    const { href } = client.buildAuthorizationUrl(config, query);
    const callback = await new BrowserUser().answer(href, verified);
    const tokens = await client.authorizationCodeGrant(config, callback, { expectedState });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(tokens.id_token).toBeUndefined();
    expect(await (await resource(config, tokens.access_token)).json()).toMatchObject({ verified: true });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(resource(config, tokens.access_token)).rejects.toMatchObject(unauthorized);
    expect((await resource(config, refreshed.access_token)).status).toBe(200);

    // Decision 59: Basic is required here, for this form, too.
    const inTheForm = client.tokenRevocation(config, refreshed.access_token);
    await expect(inTheForm).rejects.toMatchObject(unauthorized);
    const basic = await found(client.ClientSecretBasic(formA.clientSecret), formA);
    await client.tokenRevocation(basic, refreshed.access_token);
    const again = client.refreshTokenGrant(config, refreshed.refresh_token ?? '');
    await expect(again).rejects.toMatchObject(invalidGrant);
  });

  test('decision 18: code id_token, by the fragment, with the c_hash checked', async () => {
    const config = await found(client.ClientSecretBasic(formB.clientSecret), formB);
    client.useCodeIdTokenResponseType(config);
    const tokens = await signIn(config, new BrowserUser());
    expect(new URLSearchParams(tokens.callback.hash.slice(1)).has('id_token')).toBe(true);
    expect(tokens.claims()?.sub).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('decisions 20 and 35: hears of a denial', async () => {
    const config = await found(client.ClientSecretBasic(formB.clientSecret), formB);
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectURI,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const callback = await new BrowserUser().answer(url.href, { ...verified, decision: 'deny' });
    const answer = client.authorizationCodeGrant(config, new URL(callback), { pkceCodeVerifier });
    await expect(answer).rejects.toMatchObject({ error: 'access_denied', error_description: expect.any(String) });
  });
});
