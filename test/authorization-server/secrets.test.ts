import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { deserializeTokenSet, serializeTokenSet } from '../../lib/authorization-server/token-set.js';
import { Secret } from '../../lib/secret.js';
import { HostileAuthorizationServer, json, type ReceivedRequest } from './hostile-authorization-server.js';
import { clientOf, errorOf, signIn } from './sign-in.js';

/** Everything a log could make of a value. */
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

describe('attack 198: no secret is printed', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  const SECRETS = /planted|s3cret|eyJ/;

  test("by the authorization server's object", async () => {
    const client = clientOf(hostile);
    await signIn(hostile, client);
    expect(printed(client)).not.toMatch(SECRETS);
  });

  test('by a token set, its params included', async () => {
    hostile.behaviour.token = (members) => ({ ...members, device_token: 'planted-device', note: 'kept' });
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    const thawed = deserializeTokenSet(JSON.parse(JSON.stringify(serializeTokenSet(tokens))));
    for (const one of [tokens, thawed, await client.refresh(tokens)]) {
      expect(printed(one)).not.toMatch(SECRETS);
      expect(printed(one.params)).not.toMatch(SECRETS);
      expect(one.params).toMatchObject({ token_type: 'bearer', expires_in: 1800, scope: 'openid', note: 'kept' });
      expect(one.params.access_token).toBe(one.accessToken.reveal());
      expect(one.params.id_token).toBe(one.idToken?.reveal());
    }
  });

  test('a token set comes back from its sealable form as it was', async () => {
    const { tokens } = await signIn(hostile, clientOf(hostile));
    const sealable = serializeTokenSet(tokens);
    expect(sealable.accessToken).toMatch(/^planted-access-/);
    const thawed = deserializeTokenSet(JSON.parse(JSON.stringify(sealable)));
    expect(serializeTokenSet(thawed)).toEqual(sealable);
    expect(thawed.accessToken).toBeInstanceOf(Secret);
    expect(thawed.params).toEqual(tokens.params);
  });

  type Answer = (request: ReceivedRequest) => { status: number; body: unknown };
  /** The server says back everything that it was told. */
  const echo = ({ headers, form }: ReceivedRequest) => {
    const told = [...form.values(), headers.authorization, hostile.clientSecret].join(' ');
    return {
      error: 'invalid_request',
      error_description: told,
      error_uri: `https://docs.example/?${form}`,
      access_token: told,
    };
  };
  test.each<[string, Answer]>([
    ['echoes it in a refusal', (request) => ({ status: 400, body: echo(request) })],
    ['echoes it in an acceptance', (request) => ({ status: 200, body: echo(request) })],
    ['echoes it in a failure', (request) => ({ status: 500, body: echo(request) })],
    [
      'echoes the code as the error',
      ({ form }) => ({
        status: 400,
        body: { error: form.get('code') ?? form.get('token') ?? form.get('refresh_token') },
      }),
    ],
    ['answers no JSON', ({ form }) => ({ status: 200, body: `${form}` })],
    [
      'answers a token of no use',
      () => ({ status: 200, body: { access_token: 'planted token', token_type: 'bearer' } }),
    ],
    [
      'answers a bad ID Token',
      () => ({ status: 200, body: { access_token: 'planted', token_type: 'bearer', id_token: 'eyJ.planted.x' } }),
    ],
  ])('by what comes of a request, when the server %s', async (_, answer) => {
    const respond = (request: ReceivedRequest, response: Parameters<typeof json>[0]) => {
      const { status, body } = answer(request);
      json(response, status, body);
    };
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    hostile.behaviour.endpoints = { '/oauth/token': respond, '/oauth/revoke': respond };
    const acts = [
      () => signIn(hostile, client).catch((error: unknown) => error),
      () => client.refresh(tokens).catch((error: unknown) => error),
      () => client.revoke(tokens.accessToken).catch((error: unknown) => error),
      () =>
        clientOf(hostile, { flow: 'profile' })
          .refresh(tokens)
          .catch((error: unknown) => error),
    ];
    for (const act of acts) expect(printed(await act())).not.toMatch(SECRETS);
  });

  test("by an error of the ID Token's validation", async () => {
    for (const name of ['iss', 'sub', 'aud', 'azp', 'nonce', 'at_hash', 'exp', 'iat', 'auth_time']) {
      hostile.behaviour.claims = (claims) => ({ ...claims, [name]: ['planted', { planted: 'planted' }] });
      expect(printed(await errorOf(signIn(hostile, clientOf(hostile))))).not.toMatch(SECRETS);
    }
  });

  test('by an error of the callback', async () => {
    for (const name of ['code', 'state', 'iss', 'error']) {
      const meddled = signIn(hostile, clientOf(hostile), {}, (callback) => callback.append(name, 'planted secret'));
      expect(printed(await errorOf(meddled))).not.toMatch(SECRETS);
    }
  });
});
