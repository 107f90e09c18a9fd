import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { type MockProvider, type RegisteredClient, startMockProvider } from 'passport-clinician/mock-provider';
import { BrowserUser } from '../helpers/browser-user.js';

const redirectURI = 'http://127.0.0.1:5001/callback';
const postLogoutRedirectURI = 'http://127.0.0.1:5001/bye';
const verified = { username: 'verified', password: 'clinician' };
const loopback = { [oauth.allowInsecureRequests]: true };

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.stop());

type Algorithm = 'oidc' | 'oauth2';

/** A site that calls oauth4webapi: the provider's metadata, its client and its authentication. */
class Site {
  readonly registered: RegisteredClient;
  readonly metadata: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly basic: oauth.ClientAuth;
  readonly user = new BrowserUser();

  constructor(registered: RegisteredClient, metadata: oauth.AuthorizationServer) {
    this.registered = registered;
    this.metadata = metadata;
    this.client = { client_id: registered.clientID };
    this.basic = oauth.ClientSecretBasic(registered.clientSecret);
  }

  static async at(registered: RegisteredClient, algorithm: Algorithm): Promise<Site> {
    const issuer = new URL(provider.issuer);
    const response = await oauth.discoveryRequest(issuer, { algorithm, ...loopback });
    return new Site(registered, await oauth.processDiscoveryResponse(issuer, response));
  }

  /** @returns the redirect to the site */
  async authorize(query: Record<string, string>): Promise<URL> {
    const url = new URL(this.metadata.authorization_endpoint ?? '');
    const { clientID } = this.registered;
    url.search = String(
      new URLSearchParams({ client_id: clientID, redirect_uri: redirectURI, response_type: 'code', ...query }),
    );
    return this.user.authorize(url.href, verified);
  }

  redeem(
    authentication: oauth.ClientAuth,
    checked: URLSearchParams,
    verifier: string | typeof oauth.nopkce,
  ): Promise<Response> {
    const { metadata, client } = this;
    return oauth.authorizationCodeGrantRequest(
      metadata,
      client,
      authentication,
      checked,
      redirectURI,
      verifier,
      loopback,
    );
  }

  async refresh(
    authentication: oauth.ClientAuth,
    token: string | undefined,
    more: Record<string, string> = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const options = { ...loopback, additionalParameters: more };
    const response = await oauth.refreshTokenGrantRequest(
      this.metadata,
      this.client,
      authentication,
      token ?? '',
      options,
    );
    return oauth.processRefreshTokenResponse(this.metadata, this.client, response);
  }

  async revoke(token: string | undefined): Promise<void> {
    const { metadata, client, basic } = this;
    const response = await oauth.revocationRequest(metadata, client, basic, token ?? '', loopback);
    await oauth.processRevocationResponse(response);
  }

  profile(accessToken: string): Promise<Response> {
    const url = new URL(`${provider.apiURL}/api/v1/users/current`);
    return oauth.protectedResourceRequest(accessToken, 'GET', url, undefined, undefined, loopback);
  }
}

/** Signs in by Form B with every check of oauth4webapi. */
async function signIn(site: Site, more: Record<string, string> = {}): Promise<oauth.TokenEndpointResponse> {
  const { metadata, client, basic } = site;
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const callback = await site.authorize({
    scope: 'openid basic',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...more,
  });
  const checked = oauth.validateAuthResponse(metadata, client, callback, state);
  const response = await site.redeem(basic, checked, verifier);
  const expected = { expectedNonce: nonce, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response, expected);
  await oauth.validateApplicationLevelSignature(metadata, response, loopback);
  return tokens;
}

const clientB = (): RegisteredClient =>
  provider.registerClient({
    flow: 'openid',
    redirectURIs: [redirectURI],
    postLogoutRedirectURIs: [postLogoutRedirectURI],
    scope: 'openid basic',
  });
const unauthorized = { status: 401 };
const invalidGrant = { error: 'invalid_grant', status: 400 };

describe('oauth4webapi at the mock provider', () => {
  test('Form B: code, userinfo, refresh, revocation, end session', async () => {
    const site = await Site.at(clientB(), 'oidc');
    const { metadata, client, basic } = site;
    const tokens = await signIn(site);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const sub = claims?.sub ?? '';
    expect(claims).toMatchObject({ auth_time: expect.any(Number), azp: client.client_id });
    const userinfo = await oauth.userInfoRequest(metadata, client, tokens.access_token, loopback);
    expect(await oauth.processUserInfoResponse(metadata, client, sub, userinfo)).toMatchObject({ sub });

    const refreshed = await site.refresh(basic, tokens.refresh_token, { scope: 'openid' });
    expect(oauth.getValidatedIdTokenClaims(refreshed)).toMatchObject({ sub, auth_time: claims?.auth_time });
    await expect(site.profile(tokens.access_token)).rejects.toMatchObject(unauthorized);
    await expect(site.profile(refreshed.access_token)).rejects.toMatchObject({ status: 403 }); // without the scope basic
    const full = await site.refresh(basic, refreshed.refresh_token);
    expect((await site.profile(full.access_token)).status).toBe(200);

    await site.revoke(full.access_token);
    await site.revoke('never issued'); // RFC 7009 section 2.2: not an error
    await expect(site.refresh(basic, full.refresh_token)).rejects.toMatchObject(invalidGrant);

    const { id_token = '' } = await signIn(site, { prompt: 'none' });
    const endSession = new URL(metadata.end_session_endpoint ?? '');
    const query = { id_token_hint: id_token, post_logout_redirect_uri: postLogoutRedirectURI, state: 'signed-out' };
    endSession.search = String(new URLSearchParams(query));
    expect((await site.user.authorize(endSession.href, {})).href).toBe(`${postLogoutRedirectURI}?state=signed-out`);
    await expect(signIn(site, { prompt: 'none' })).rejects.toMatchObject({ error: 'login_required' });
  });

  test('Form A, with the OAuth metadata: code, refresh, revocation', async () => {
    const registered = provider.registerClient({ flow: 'profile', redirectURIs: [redirectURI] });
    const site = await Site.at(registered, 'oauth2');
    const { metadata, client } = site;
    const secretPost = oauth.ClientSecretPost(registered.clientSecret);
    const state = oauth.generateRandomState();
    const callback = await site.authorize({ scope: 'basic', state });
    const checked = oauth.validateAuthResponse(metadata, client, callback, state);
    const response = await site.redeem(secretPost, checked, oauth.nopkce);
    const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response);
    expect((await site.profile(tokens.access_token)).status).toBe(200);

    const refreshed = await site.refresh(secretPost, tokens.refresh_token);
    await expect(site.profile(tokens.access_token)).rejects.toMatchObject(unauthorized);
    await site.revoke(refreshed.refresh_token);
    await expect(site.profile(refreshed.access_token)).rejects.toMatchObject(unauthorized);
  });

  test('a code that is sent twice revokes its tokens', async () => {
    const registered = provider.registerClient({
      flow: 'profile',
      redirectURIs: [redirectURI],
      tokenEndpointAuthMethod: 'client_secret_basic',
    });
    const site = await Site.at(registered, 'oauth2');
    const { metadata, client, basic } = site;
    const checked = oauth.validateAuthResponse(metadata, client, await site.authorize({ scope: 'basic' }));
    const response = await site.redeem(basic, checked, oauth.nopkce);
    const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response);
    const second = await site.redeem(basic, checked, oauth.nopkce);
    const processed = oauth.processAuthorizationCodeResponse(metadata, client, second);
    await expect(processed).rejects.toMatchObject(invalidGrant);
    await expect(site.profile(tokens.access_token)).rejects.toMatchObject(unauthorized);
  });
});
