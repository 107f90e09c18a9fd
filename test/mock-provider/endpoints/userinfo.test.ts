import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import {
  api,
  encode,
  type Fields,
  jwtPart,
  refresh,
  registerStrict,
  send,
  sendRaw,
  tokensOf,
  type WireResponse,
} from '../wire.js';

let client: RegisteredClient;
beforeAll(() => {
  client = provider.clients.openid;
});

const PATH = '/oauth/userinfo';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function inBody(fields: Fields, headers: Record<string, string> = {}): Promise<WireResponse> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return send(provider, PATH, { method: 'POST', headers: form, body: encode(fields) });
}

describe('the access token', () => {
  test('is accepted in the header of GET and POST and in a POST form', async () => {
    const { access_token, id_token } = await tokensOf(provider, client);
    const responses = [
      await api(provider, PATH, access_token),
      await send(provider, PATH, { method: 'POST', headers: bearer(access_token) }),
      await inBody({ access_token }),
    ];
    for (const { status, json } of responses)
      expect([status, json]).toEqual([200, { sub: jwtPart(id_token, 'claims').sub }]);
  });

  test('is refused in header and form, repeated, or in the query', async () => {
    const { access_token } = await tokensOf(provider, client);
    const responses = [
      await inBody({ access_token }, bearer(access_token)),
      await inBody({ access_token: [access_token, access_token] }),
      await send(provider, `${PATH}?access_token=${access_token}`),
      await send(provider, `${PATH}?access_token=${access_token}`, { headers: bearer(access_token) }),
    ];
    for (const { status, json, headers } of responses) {
      expect([status, json.error]).toEqual([400, 'invalid_request']);
      expect(headers.get('www-authenticate')).toContain('error="invalid_request"');
    }
  });

  test('is accepted with Bearer in any case, and with no other scheme', async () => {
    const { access_token } = await tokensOf(provider, client);
    expect((await send(provider, PATH, { headers: { authorization: `bearer ${access_token}` } })).status).toBe(200);
    for (const value of [`${access_token},${access_token}`, `${access_token} ${access_token}`, '']) {
      expect((await send(provider, PATH, { headers: { authorization: `Bearer ${value}` } })).status).toBe(401);
    }
  });
});

describe('a refusal', () => {
  test('without a token has a challenge without an error code', async () => {
    for (const init of [{}, { method: 'POST' }, { headers: { authorization: 'Basic eDp5' } }]) {
      const { status, json, headers } = await send(provider, PATH, init);
      expect([status, json]).toEqual([401, { error: 'invalid_token', error_description: 'no access token provided' }]);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="[^"]+"$/);
    }
  });

  test('of an invalid, expired or other token has invalid_token', async () => {
    const { access_token, refresh_token, id_token } = await tokensOf(provider, client);
    provider.clock.advance('31 minutes');
    for (const token of ['bogus', access_token, refresh_token, id_token]) {
      const { status, json, headers } = await api(provider, PATH, token);
      expect([status, json.error]).toEqual([401, 'invalid_token']);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  test('without the scope openid has insufficient_scope', async () => {
    const formA = await tokensOf(provider, provider.clients.profile);
    const narrow = await tokensOf(provider, client, { scope: 'openid basic' });
    const { json } = await refresh(provider, client, narrow.refresh_token, { scope: 'basic' });
    for (const token of [formA.access_token, json.access_token]) {
      const { status, json, headers } = await api(provider, PATH, token);
      expect([status, json.error]).toEqual([403, 'insufficient_scope']);
      expect(headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="openid"');
    }
  });
});

describe('the claims', () => {
  test('are sub and those of the scope', async () => {
    const { sub } = provider.clinicians.get('verified');
    const basic = {
      name: 'Vera Castellanos, MD',
      given_name: 'Vera',
      middle_name: 'Ines',
      family_name: 'Castellanos',
      picture: `${provider.apiURL}/oauth/photo.svg?of=vera-castellanos`,
    };
    const email = { email: 'vera.castellanos@clinic.example', email_verified: true };
    const expected = {
      openid: { sub },
      'openid basic': { sub, ...basic },
      'openid email': { sub, ...email },
      'openid basic email': { sub, ...basic, ...email },
    };
    for (const [scope, claims] of Object.entries(expected)) {
      const { access_token } = await tokensOf(provider, client, { scope });
      const { json, headers } = await api(provider, PATH, access_token);
      expect(json).toEqual(claims);
      expect(headers.get('content-type')).toBe('application/json');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('without a value are absent', async () => {
    const { access_token } = await tokensOf(provider, client, { as: 'minimal', scope: 'openid basic email' });
    const { json } = await api(provider, PATH, access_token);
    expect(Object.keys(json).sort()).toEqual(['family_name', 'given_name', 'name', 'sub']);
  });
});

test('a blacklisted application gets no response, in the header and in a form', async () => {
  const banned = registerStrict(provider, 'openid');
  const { access_token } = await tokensOf(provider, banned);
  provider.blacklist(banned.clientID);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const noResponse = { status: 0, headers: {}, text: '' };
  expect(await sendRaw(provider, { path: PATH, headers: bearer(access_token) })).toEqual(noResponse);
  const body = encode({ access_token });
  expect(await sendRaw(provider, { path: PATH, method: 'POST', headers, body })).toEqual(noResponse);
  expect(provider.problems.map(({ rule }) => rule)).toEqual(Array(2).fill('blacklisted-client-no-response'));
  provider.unblacklist(banned.clientID);
  expect((await api(provider, PATH, access_token)).status).toBe(200);
});
