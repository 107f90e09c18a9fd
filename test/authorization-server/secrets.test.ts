import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { deserializeTokenSet, serializeTokenSet, type TokenSet } from '../../lib/authorization-server/token-set.js';
import { hostile } from './hostile.js';
import { json, type ReceivedRequest } from './hostile-authorization-server.js';
import { clientOf, errorOf, signIn } from './sign-in.js';

/** @returns every text that a log may print for a value. */
function printed(value: unknown): string {
  const error = value instanceof Error ? [value.stack, value.message, String(value), printed(value.cause)] : [];
  return [
    inspect(value, { depth: 20, showHidden: false, getters: true }),
    JSON.stringify(value),
    JSON.stringify({ ...(value as object) }),
    `${Object.values((value ?? {}) as object).map(String)}`,
    ...error,
  ].join('\n');
}

describe('secrets are not printed', () => {
  const SECRETS = /planted|s3cret|eyJ/;

  test('by a client', async () => {
    const client = clientOf(hostile);
    await signIn(hostile, client);
    expect(printed(client)).not.toMatch(SECRETS);
  });

  test('by a token set or its params, also after it was serialized', async () => {
    hostile.behaviour.token = (members) => ({ ...members, device_token: 'planted-device', note: 'other' });
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    const serialized = serializeTokenSet(tokens);
    const restored = deserializeTokenSet(JSON.parse(JSON.stringify(serialized))) as TokenSet;
    expect([serializeTokenSet(restored), restored.params]).toEqual([serialized, tokens.params]);
    for (const one of [tokens, restored, await client.refresh(tokens)]) {
      expect(printed(one)).not.toMatch(SECRETS);
      expect(printed(one.params)).not.toMatch(SECRETS);
      expect(one.params).toMatchObject({ token_type: 'bearer', expires_in: 1800, scope: 'openid', note: 'other' });
      expect(one.params.access_token).toBe(one.accessToken.reveal());
      expect(one.params.id_token).toBe(one.idToken?.reveal());
    }
  });

  test.each(['client_secret', 'code', 'code_verifier', 'refresh_token', 'token'])(
    'by an error when the server repeats only the %s',
    async (name) => {
      const client = clientOf(hostile);
      const { tokens } = await signIn(hostile, client);
      const repeated: string[] = [];
      const respond = ({ form }: ReceivedRequest, response: Parameters<typeof json>[0]) => {
        const secret = name === 'client_secret' ? hostile.clientSecret : form.get(name);
        if (secret !== null) repeated.push(secret);
        json(response, 400, { error: 'invalid_request', error_description: `Received ${secret}.` });
      };
      hostile.behaviour.endpoints = { '/oauth/token': respond, '/oauth/revoke': respond };
      const errors = [
        await errorOf(signIn(hostile, client)),
        await errorOf(client.refresh(tokens)),
        await errorOf(client.revoke(tokens.accessToken)),
      ];
      expect(repeated).not.toEqual([]);
      for (const secret of repeated) expect(errors.map(printed).join()).not.toContain(secret);
    },
  );

  test('by an error of the ID Token validation', async () => {
    for (const name of ['iss', 'sub', 'aud', 'azp', 'nonce', 'at_hash', 'exp', 'iat', 'auth_time']) {
      hostile.behaviour.claims = (claims) => ({ ...claims, [name]: ['planted', { planted: 'planted' }] });
      expect(printed(await errorOf(signIn(hostile, clientOf(hostile))))).not.toMatch(SECRETS);
    }
  });
});
