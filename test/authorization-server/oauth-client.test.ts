import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { resolveClientConfig } from '../../lib/authorization-server/client-config.js';
import type { FlowName } from '../../lib/authorization-server/flows.js';
import { OAuthClient } from '../../lib/authorization-server/oauth-client.js';
import { createFetch } from '../../lib/http/http.js';
import { Secret } from '../../lib/sealing/secret.js';
import { hostile } from './hostile.js';
import { json } from './hostile-authorization-server.js';
import { codeOf, testClock } from './sign-in.js';

const fetch = createFetch();

function oauthClient(flow: FlowName = 'openid', clock = testClock()): OAuthClient {
  const { issuer, clientID, redirectURI } = hostile;
  const clientSecret = new Secret(hostile.clientSecret);
  return new OAuthClient(resolveClientConfig({ issuer, clientID, clientSecret, redirectURI, flow, clock, fetch }));
}

const tokens = (name: string) => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  token_type: 'Bearer',
});
const refresh = (oauth: OAuthClient, name: string) =>
  oauth.requestTokens('refresh_token', { refresh_token: name }, async (response) => response);
const revoked = () => hostile.requestsTo('/oauth/revoke').map(({ form }) => form.get('token'));

describe('a token request', () => {
  test('returns the response, and its members as the service sent them', async () => {
    const members = { ...tokens('one'), expires_in: '60', id_token: 'not.a.jwt', scope: 'openid', other: [1] };
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => json(response, 200, members);
    expect(await refresh(oauthClient(), 'one')).toEqual({
      members,
      accessToken: 'access-one',
      refreshToken: 'refresh-one',
      idToken: 'not.a.jwt',
      expiresIn: 60,
      scope: ['openid'],
    });
  });

  test('gets the members of its own response while others are in progress, in any order', async () => {
    const waiting = new Map<string, ServerResponse>();
    hostile.behaviour.endpoints['/oauth/token'] = ({ form }, response) => {
      waiting.set(form.get('refresh_token') as string, response);
      if (waiting.size < 3) return;
      for (const [name, open] of [...waiting].reverse()) json(open, 200, tokens(name));
    };
    const oauth = oauthClient();
    const responses = await Promise.all(['one', 'two', 'three'].map((name) => refresh(oauth, name)));
    expect(responses.map(({ members }) => members)).toEqual(['one', 'two', 'three'].map(tokens));
  });

  test('that is refused revokes its own tokens, and not those of another in progress', async () => {
    hostile.behaviour.endpoints['/oauth/token'] = ({ form }, response) => {
      const name = form.get('refresh_token') as string;
      json(response, 200, { ...tokens(name), ...(name === 'two' && { token_type: 'mac' }) });
    };
    const oauth = oauthClient();
    const [one, two] = await Promise.allSettled([refresh(oauth, 'one'), refresh(oauth, 'two')]);
    expect([one.status, two.status]).toEqual(['fulfilled', 'rejected']);
    expect(revoked()).toEqual(['refresh-two']);
  });

  test('that fails is followed by one that succeeds', async () => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => json(response, 400, { error: 'invalid_grant' });
    const oauth = oauthClient();
    expect(await codeOf(refresh(oauth, 'one'))).toBe('invalid_grant');
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => json(response, 200, tokens('two'));
    expect((await refresh(oauth, 'two')).accessToken).toBe('access-two');
    expect(revoked()).toEqual([]);
  });

  test('throws an error that contains no token', async () => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) =>
      json(response, 200, { ...tokens('one'), scope: [1] });
    const error: unknown = await refresh(oauthClient(), 'one').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'grant_ended', cause: { code: 'response_malformed' } });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/access-one|refresh-one/);
  });
});

describe('the revocation of refused tokens', () => {
  test.each([
    ['the refresh token', tokens('one'), ['refresh-one']],
    ['the access token, without a refresh token', { access_token: 'access-one' }, ['access-one']],
    ['nothing, without tokens', { access_token: '', refresh_token: 1 }, []],
  ])('revokes %s', async (_title, members, expected) => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) =>
      json(response, 200, { ...members, token_type: 'mac' });
    expect(await codeOf(refresh(oauthClient(), 'one'))).toBe('grant_ended');
    expect(revoked()).toEqual(expected);
  });

  test('that fails leaves the error as it is', async () => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) =>
      json(response, 200, { ...tokens('one'), token_type: 'mac' });
    hostile.behaviour.endpoints['/oauth/revoke'] = (_, response) => json(response, 503, {});
    expect(await codeOf(refresh(oauthClient(), 'one'))).toBe('grant_ended');
    expect(revoked()).toEqual(['refresh-one']);
  });
});

describe('the metadata', () => {
  const requests = () => hostile.requestsTo('/.well-known/openid-configuration').length;

  test('is requested once by concurrent calls, and again after an hour', async () => {
    const clock = testClock();
    const oauth = oauthClient('openid', clock);
    await Promise.all([oauth.metadata(), oauth.endSessionURL({}), oauth.authorizationURL(new URLSearchParams())]);
    expect(requests()).toBe(1);
    clock.advance(3_600);
    await oauth.metadata();
    expect(requests()).toBe(2);
  });

  test('that expires soon is requested by a check, and not by the request after it', async () => {
    const clock = testClock();
    const oauth = oauthClient('openid', clock);
    await oauth.metadata();
    clock.advance(3_301);
    await oauth.checkMetadata();
    clock.advance(300);
    await oauth.metadata();
    expect(requests()).toBe(2);
  });

  test('is not requested in the profile flow, which has fixed paths', async () => {
    const url = await oauthClient('profile').authorizationURL(new URLSearchParams({ state: 's' }));
    expect(url).toBe(`${hostile.issuer}/oauth/authorize?state=s&client_id=client+one&response_type=code`);
    expect(requests()).toBe(0);
  });
});
