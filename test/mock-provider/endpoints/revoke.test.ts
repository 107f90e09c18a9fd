import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { post, profile, refresh, registerStrict, revoke, tokensOf } from '../wire.js';

let formA: RegisteredClient;
let formB: RegisteredClient;
beforeAll(() => {
  ({ profile: formA, openid: formB } = provider.clients);
});

test('a client of either flow without Basic, or with the secret in the body, is refused with 401', async () => {
  const { refresh_token } = await tokensOf(provider, formA);
  const secret = { client_id: formA.clientID, client_secret: formA.clientSecret };
  for (const fields of [{}, secret, { client_id: formA.clientID }]) {
    const { status, json, headers } = await post(provider, '/oauth/revoke', undefined, {
      token: refresh_token,
      ...fields,
    });
    expect([status, json.error]).toEqual([401, 'invalid_client']);
    expect(headers.get('www-authenticate')).toMatch(/^Basic realm="/);
  }
  expect((await refresh(provider, formA, refresh_token)).status).toBe(200);
});

describe('a revocation request', () => {
  test('without token is refused', async () => {
    const { status, json } = await post(provider, '/oauth/revoke', formB, {});
    expect([status, json.error]).toEqual([400, 'invalid_request']);
  });

  test('for an unknown, malformed, expired or revoked token gets 200 and no body', async () => {
    const { access_token, refresh_token } = await tokensOf(provider, formA);
    await revoke(provider, formA, refresh_token);
    for (const token of ['bogus', '\u00e9', 'x'.repeat(10_000), access_token, refresh_token]) {
      const { status, text } = await revoke(provider, formA, token);
      expect([status, text]).toEqual([200, '']);
    }
    const late = await tokensOf(provider, formA);
    provider.clock.advance('31 days');
    expect((await revoke(provider, formA, late.refresh_token)).status).toBe(200);
  });
});

describe('revocation of a token pair', () => {
  test.each(['access_token', 'refresh_token'] as const)('by its %s revokes both tokens', async (name) => {
    for (const client of [formA, formB]) {
      const tokens = await tokensOf(provider, client, { scope: 'basic' });
      expect((await revoke(provider, client, tokens[name])).status).toBe(200);
      expect((await profile(provider, tokens.access_token)).status).toBe(401);
      expect((await refresh(provider, client, tokens.refresh_token)).json.error).toBe('invalid_grant');
    }
  });

  test.each(['refresh_token', 'bogus'])('ignores the token_type_hint %s', async (hint) => {
    const { access_token } = await tokensOf(provider, formA);
    await post(provider, '/oauth/revoke', formA, { token: access_token, token_type_hint: hint });
    expect((await profile(provider, access_token)).status).toBe(401);
  });

  test('by a token that a refresh replaced revokes no token', async () => {
    const old = await tokensOf(provider, formA);
    const { json } = await refresh(provider, formA, old.refresh_token);
    expect((await revoke(provider, formA, old.refresh_token)).status).toBe(200);
    expect((await profile(provider, json.access_token)).status).toBe(200);
  });
});

test('a token of another client is refused and remains valid', async () => {
  const { access_token, refresh_token } = await tokensOf(provider, formA);
  for (const token of [access_token, refresh_token]) {
    const { status, json } = await revoke(provider, registerStrict(provider, 'profile'), token);
    expect([status, json.error]).toEqual([400, 'unauthorized_client']);
  }
  expect((await profile(provider, access_token)).status).toBe(200);
});
