import { describe, expect, test } from '@jest/globals';
import { Secret } from '../../lib/sealing/sealer.js';
import { hostile } from './hostile.js';
import { clientOf } from './sign-in.js';

describe('endSession', () => {
  const parameters = {
    idTokenHint: new Secret('a.b.c'),
    postLogoutRedirectURI: 'https://app.example/bye',
    state: 's t+a/te',
  };

  test('returns a URL with the ID Token, the redirect URI and the state', async () => {
    const url = new URL((await clientOf(hostile).endSession(parameters)) as string);
    expect(url.origin + url.pathname).toBe(`${hostile.issuer}/oauth/logout`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      id_token_hint: 'a.b.c',
      post_logout_redirect_uri: 'https://app.example/bye',
      state: 's t+a/te',
      client_id: hostile.clientID,
    });
  });

  test('returns undefined where the service has no such endpoint', async () => {
    hostile.behaviour.metadata = ({ end_session_endpoint, ...document }) => document;
    expect(await clientOf(hostile).endSession(parameters)).toBeUndefined();
  });
});
