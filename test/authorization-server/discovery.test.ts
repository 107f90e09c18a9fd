import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { freePort } from '../helpers.js';
import { hostile } from './hostile.js';
import { HostileAuthorizationServer, json } from './hostile-authorization-server.js';
import {
  type ClientOptions,
  clientOf,
  errorOf,
  type Members,
  outcomeOf,
  signIn,
  testClock,
  withMember,
  without,
} from './sign-in.js';

const DOCUMENT = '/.well-known/openid-configuration';
const OAUTH_DOCUMENT = '/.well-known/oauth-authorization-server';

describe('discovery', () => {
  const requested = (options: ClientOptions = {}) => outcomeOf(clientOf(hostile, options).request());
  const requestedWith = (metadata: (document: Members) => unknown, options: ClientOptions = {}) => {
    hostile.behaviour.metadata = metadata;
    return requested(options);
  };

  test('happens at the first sign-in, once for concurrent ones', async () => {
    const client = clientOf(hostile);
    expect(hostile.requests).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, () => client.request()));
    expect(hostile.requestsTo(DOCUMENT)).toHaveLength(1);
  });

  test('is repeated after an hour', async () => {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    await client.request();
    clock.advance(3599);
    await client.request();
    expect(hostile.requestsTo(DOCUMENT)).toHaveLength(1);
    clock.advance(1);
    await client.request();
    expect(hostile.requestsTo(DOCUMENT)).toHaveLength(2);
  });

  test('is repeated by a check shortly before the hour is over, and not by the sign-in after it', async () => {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    await client.request();
    clock.advance(3301);
    await client.checks.metadata();
    clock.advance(300);
    await client.request();
    expect(hostile.requestsTo(DOCUMENT)).toHaveLength(2);
  });

  test('fails with a retryable error while the service is down, and works afterwards', async () => {
    const port = await freePort();
    const down = new HostileAuthorizationServer();
    await down.listen(port);
    const client = clientOf(down);
    await down.stop();
    expect(await errorOf(client.request())).toMatchObject({
      name: 'ServiceUnavailableError',
      code: 'service_unreachable',
      retryable: true,
      status: 503,
    });
    const up = new HostileAuthorizationServer();
    await up.listen(port);
    try {
      expect((await signIn(up, client)).tokens.subject).toBe(up.subject);
    } finally {
      await up.stop();
    }
  });

  test.each([500, 429])('fails with a retryable error for status %d', async (status) => {
    const client = clientOf(hostile);
    hostile.behaviour.endpoints[DOCUMENT] = (_, response) => json(response, status, {});
    expect(await errorOf(client.request())).toMatchObject({ code: 'service_error', retryable: true });
    hostile.behaviour.endpoints = {};
    expect(await outcomeOf(client.request())).toBe('done');
  });

  test.each<[string, (document: Members) => unknown, string]>([
    ['another issuer', withMember('issuer', 'https://mallet.example'), 'issuer_mismatch'],
    ['the issuer with an extra slash', (members) => ({ ...members, issuer: `${members.issuer}/` }), 'issuer_mismatch'],
    ['no issuer', without('issuer'), 'issuer_mismatch'],
    ['no token endpoint', without('token_endpoint'), 'response_malformed'],
    ['no authorization endpoint', without('authorization_endpoint'), 'response_malformed'],
    ['no jwks_uri', without('jwks_uri'), 'response_malformed'],
    ['PKCE without S256', withMember('code_challenge_methods_supported', ['plain']), 'response_malformed'],
  ])('rejects a document with %s', async (_, change, code) => {
    expect(await requestedWith(change)).toBe(code);
  });

  describe('scope offline_access', () => {
    const offline = (scopes: unknown) => {
      hostile.behaviour.metadata = withMember('scopes_supported', scopes);
      return clientOf(hostile).request({ scope: ['openid', 'offline_access'] });
    };

    test('is requested where the metadata lists it', async () => {
      const { url } = await offline(['openid', 'offline_access']);
      expect(new URL(url).searchParams.get('scope')).toBe('openid offline_access');
    });

    test.each([
      ['other scopes', ['openid']],
      ['no scopes', undefined],
      ['a string that has it', 'openid offline_access'],
    ])('is refused where the metadata lists %s', async (_, scopes) => {
      expect(await errorOf(offline(scopes))).toMatchObject({
        code: 'option_invalid',
        option: 'scope',
        message: expect.stringContaining("'offline_access', which the metadata of the service does not list"),
      });
    });

    test('is refused in the profile flow', async () => {
      const client = clientOf(hostile, { flow: 'profile' });
      expect(await outcomeOf(client.request({ scope: ['basic', 'offline_access'] }))).toBe('option_invalid');
    });

    test('no other scope that the metadata lists is added to those of the flow', async () => {
      hostile.behaviour.metadata = withMember('scopes_supported', ['openid', 'admin']);
      const error = await errorOf(clientOf(hostile).request({ scope: ['openid', 'admin'] }));
      expect(error.message).toContain("which the 'openid' flow does not have");
    });
  });

  const endpoints = ['authorization', 'token', 'revocation', 'end_session'].map((name) => `${name}_endpoint`);
  const elsewhere = [
    ...['https://mallet.example/x', 'http://169.254.169.254/latest/meta-data', 'http://127.0.0.1:1/x'],
    ...['file:///etc/passwd', 'javascript:alert(1)', '/oauth/token', '', 42, null],
  ];
  const refused = [
    ...[...endpoints, 'jwks_uri'].map((name) => [name, elsewhere[0]]),
    ...elsewhere.map((address) => ['token_endpoint', address]),
  ];
  test.each(refused)('rejects %s at %j, and sends no request to it', async (name, address) => {
    expect(await requestedWith(withMember(name as string, address))).toBe('metadata_endpoint_refused');
    expect(hostile.requests.map(({ path }) => path)).toEqual([DOCUMENT]);
  });

  test('rejects credentials in an endpoint', async () => {
    const address = `${hostile.issuer}/oauth/token`.replace('//', '//ann:pw@');
    expect(await requestedWith(withMember('token_endpoint', address))).toBe('metadata_endpoint_refused');
  });

  test('accepts another origin of allowedEndpointOrigins', async () => {
    const other = await HostileAuthorizationServer.start();
    try {
      const elsewhere = withMember('jwks_uri', `${other.issuer}/.well-known/jwks.json`);
      expect(await requestedWith(elsewhere)).toBe('metadata_endpoint_refused');
      const client = clientOf(hostile, { endpointOrigins: [hostile.issuer, other.issuer] });
      expect((await signIn(hostile, client)).tokens.subject).toBe(hostile.subject);
      expect(other.requestsTo('/.well-known/jwks.json')).toHaveLength(1);
    } finally {
      await other.stop();
    }
  });

  test('uses PKCE when the document does not mention it', async () => {
    hostile.behaviour.metadata = without('code_challenge_methods_supported');
    const { transaction } = await clientOf(hostile).request();
    expect(transaction.codeVerifier).toBeDefined();
  });

  test('uses the endpoints of the document, with their query', async () => {
    hostile.behaviour.metadata = withMember('authorization_endpoint', `${hostile.issuer}/elsewhere?tenant=1`);
    const url = new URL((await clientOf(hostile).request()).url);
    expect(url.pathname).toBe('/elsewhere');
    expect(url.searchParams.get('tenant')).toBe('1');
  });

  test('works with the built-in fetch', async () => {
    expect((await signIn(hostile, clientOf(hostile, { fetch: globalThis.fetch }))).tokens.subject).toBe(
      hostile.subject,
    );
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) =>
      response.writeHead(307, { location: '/elsewhere' }).end();
    expect(await outcomeOf(signIn(hostile, clientOf(hostile, { fetch: globalThis.fetch })))).toBe('response_malformed');
    expect(hostile.requestsTo('/elsewhere')).toEqual([]);
  });

  describe('without an OpenID configuration', () => {
    /** Publishes only the document of RFC 8414, with the members that the service spec lists for it. */
    function publish(change: (document: Members) => unknown = (document) => document, path = OAUTH_DOCUMENT): void {
      hostile.behaviour.endpoints[path] = (_, response) => {
        const { issuer, authorization_endpoint, token_endpoint } = hostile.metadata();
        const revocation_endpoint = `${hostile.issuer}/oauth/revoke`;
        json(response, 200, change({ issuer, authorization_endpoint, token_endpoint, revocation_endpoint }));
      };
      hostile.behaviour.endpoints[DOCUMENT] = (_, response) => json(response, 404, {});
    }

    test('the authorization server metadata is used, and cached for an hour', async () => {
      publish();
      const clock = testClock();
      const client = clientOf(hostile, { clock });
      const { tokens } = await signIn(hostile, client);
      expect(tokens.subject).toBe(hostile.subject);
      clock.advance(3599);
      await client.request();
      const documents = [DOCUMENT, OAUTH_DOCUMENT].map((path) => hostile.requestsTo(path).length);
      expect(documents).toEqual([1, 1]);
    });

    test('the endpoints that only an OpenID configuration lists are the fixed paths of the service spec', async () => {
      publish();
      const client = clientOf(hostile);
      const { tokens } = await signIn(hostile, client);
      expect(await client.checkSessionIframe()).toBe(`${hostile.issuer}/oauth/session_state`);
      const { idToken } = tokens;
      const logout = { idTokenHint: idToken as NonNullable<typeof idToken>, postLogoutRedirectURI: 'x', state: 'y' };
      expect(await client.endSession(logout)).toMatch(`${hostile.issuer}/oauth/logout?`);
    });

    test.each<[string, (document: Members) => unknown, string]>([
      ['another issuer', withMember('issuer', 'https://mallet.example'), 'issuer_mismatch'],
      ['a jwks_uri that is null', withMember('jwks_uri', null), 'metadata_endpoint_refused'],
    ])('authorization server metadata with %s is rejected', async (_, change, code) => {
      publish(change);
      expect(await requested()).toBe(code);
    });

    test('the path of the issuer follows the well-known path', async () => {
      const issuer = `${hostile.issuer}/tenant/a/`;
      publish(withMember('issuer', issuer), `${OAUTH_DOCUMENT}/tenant/a`);
      expect(await requested({ issuer })).toBe('done');
      expect(hostile.requests.map(({ path }) => path)).toEqual([
        '/tenant/a/.well-known/openid-configuration',
        `${OAUTH_DOCUMENT}/tenant/a`,
      ]);
    });

    test('an unavailable second document is a retryable error, and the first is requested again', async () => {
      publish();
      const client = clientOf(hostile);
      hostile.behaviour.endpoints[OAUTH_DOCUMENT] = (_, response) => json(response, 503, {});
      expect(await errorOf(client.request())).toMatchObject({ code: 'service_error', retryable: true });
      publish();
      expect(await outcomeOf(client.request())).toBe('done');
      expect(hostile.requestsTo(DOCUMENT)).toHaveLength(2);
    });
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['status 410', (response) => json(response, 410, {})],
    ['another issuer', (response) => json(response, 200, { issuer: 'https://mallet.example' })],
    ['no JSON', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['no response', (response) => response.destroy()],
  ])('an OpenID configuration with %s is not replaced by authorization server metadata', async (_, respond) => {
    hostile.behaviour.endpoints[OAUTH_DOCUMENT] = (_, response) => json(response, 200, hostile.metadata());
    hostile.behaviour.endpoints[DOCUMENT] = (_, response) => void respond(response);
    expect(await requested()).not.toBe('done');
    expect(hostile.requests.map(({ path }) => path)).toEqual([DOCUMENT]);
  });
});
