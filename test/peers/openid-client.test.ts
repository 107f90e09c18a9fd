import * as client from 'openid-client';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';

const redirectURI = 'http://127.0.0.1:5001/callback';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

async function configuration(): Promise<client.Configuration> {
  const { clientID, clientSecret } = provider.clients.openid;
  const found = await client.discovery(
    new URL(provider.issuer),
    clientID,
    undefined,
    client.ClientSecretBasic(clientSecret),
    { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  );
  return found;
}

async function signIn(
  config: client.Configuration,
): Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers> {
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
  });
  const callback = await provider.signIn(url.href, { as: 'verified' });
  return client.authorizationCodeGrant(config, new URL(callback), { pkceCodeVerifier, expectedState, expectedNonce });
}

describe('openid-client, used directly, at the mock provider', () => {
  test('signs in with its own checks on, the signature included, and reads userinfo', async () => {
    const config = await configuration();
    const tokens = await signIn(config);
    const claims = tokens.claims();
    expect(claims?.sub).toMatch(/^[0-9a-f-]{36}$/);
    const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    expect(userinfo.sub).toBe(claims?.sub);
  });

  test('decision 53: refreshes, and the pair before it is dead', async () => {
    const config = await configuration();
    const tokens = await signIn(config);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()?.sub).toBe(tokens.claims()?.sub);
    const api = new URL(`${provider.apiURL}/api/v1/users/current`);
    const withOld = client.fetchProtectedResource(config, tokens.access_token, api, 'GET');
    await expect(withOld).rejects.toMatchObject({ status: 401 });
    const answer = await client.fetchProtectedResource(config, refreshed.access_token, api, 'GET');
    expect(answer.status).toBe(200);
  });

  test('decision 63: revokes', async () => {
    const config = await configuration();
    const tokens = await signIn(config);
    await client.tokenRevocation(config, tokens.access_token);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
