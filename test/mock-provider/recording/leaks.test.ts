import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import {
  api,
  authorize,
  basic,
  encode,
  post,
  REDIRECT_URI,
  redeem,
  refresh,
  revoke,
  send,
  signIn,
  VERIFIER,
} from '../wire.js';

const PLANTED = 'planted-0123456789-0123456789';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Everything that the provider records. */
const recorded = () =>
  [JSON.stringify([provider.requests, provider.logins, provider.problems]), provider.trace(), provider.report()].join();

describe('records contain no secret', () => {
  test('every secret of a sign-in, a refresh, API requests and a logout is masked', async () => {
    const { openid } = provider.clients;
    const scope = 'openid basic email colleagues';
    const secrets = ['a-state-of-many-bits-0123456789', 'a-nonce-of-many-bits-0123456789'] as const;
    const callback = await signIn(provider, openid, { scope, state: secrets[0], nonce: secrets[1] });
    const code = callback.searchParams.get('code') ?? '';
    const first = (await redeem(provider, openid, code)).json;
    const second = (await refresh(provider, openid, first.refresh_token)).json;
    const profile = await api(provider, '/api/v1/users/current', second.access_token);
    await post(provider, '/oauth/userinfo', undefined, { access_token: second.access_token });
    await api(provider, '/api/v1/colleagues', second.access_token, {
      'if-none-match': profile.headers.get('etag') ?? '',
    });
    await revoke(provider, openid, second.access_token);
    await send(
      provider,
      `/oauth/logout?${encode({ id_token_hint: second.id_token, post_logout_redirect_uri: REDIRECT_URI, state: PLANTED })}`,
    );
    const pairs = [first, second].flatMap(({ access_token, refresh_token, id_token }) => [
      access_token,
      refresh_token,
      id_token,
    ]);
    const { email, lastname, npi } = profile.json;
    const sent = [...secrets, ...pairs, code, VERIFIER, openid.clientSecret, PLANTED, basic(openid)];
    for (const secret of [...sent, email, lastname, String(npi), profile.headers.get('etag')?.slice(1, -1)]) {
      expect(secret).toEqual(expect.any(String));
      expect(recorded()).not.toContain(secret);
    }
    const cookies = provider.requests.flatMap((one) => [...one.cookies, ...one.setCookies]);
    expect(new Set(cookies.map((name) => name.replace(/_\d+_/, '_')))).toEqual(
      new Set(['clinician_mock_session', 'clinician_mock_browser_state', 'clinician_mock_interaction']),
    );
  });

  const places: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['an iss', () => send(provider, `/oauth/authorize?iss=${PLANTED}`)],
    ['the name of a parameter', () => send(provider, `/oauth/authorize?${PLANTED}`)],
    ['the state of a refused request', () => send(provider, `/oauth/authorize?state=${PLANTED}`)],
    ['a scope', () => authorize(provider, provider.clients.openid, { scope: `openid ${PLANTED}` })],
    ['a repeated name', () => authorize(provider, provider.clients.openid, { [PLANTED]: ['1', '2'] })],
    ['the client_id', () => send(provider, `/oauth/authorize?client_id=${PLANTED}`)],
    [
      'swapped Basic credentials',
      () =>
        send(provider, '/oauth/token', {
          method: 'POST',
          headers: { ...FORM, authorization: basic({ clientID: PLANTED, clientSecret: 'x' }) },
          body: 'grant_type=x',
        }),
    ],
    ['the path', () => send(provider, `/oauth/token/${PLANTED}`)],
    ['a bare Authorization header', () => send(provider, '/oauth/userinfo', { headers: { authorization: PLANTED } })],
    ['a cookie', () => send(provider, '/oauth/authorize', { headers: { cookie: `sid=${PLANTED}; ${PLANTED}` } })],
    [
      'other headers',
      () =>
        send(provider, '/oauth/userinfo', {
          headers: { 'x-api-key': PLANTED, referer: `http://a/?c=${PLANTED}`, 'if-none-match': PLANTED },
        }),
    ],
    ['a message', () => send(provider, `/inbox/conversations/new_message?message=${PLANTED}&url=https://${PLANTED}`)],
    [
      'a username',
      () => send(provider, '/oauth/login', { method: 'POST', headers: FORM, body: `username=${PLANTED}&password=x` }),
    ],
  ];
  test.each(places)('a secret sent as %s is masked', async (_place, ask) => {
    await ask();
    expect(provider.requests).toHaveLength(1);
    expect(recorded()).not.toContain('planted-');
  });

  test('a short secret sent as the client_id or in a URL is masked', async () => {
    const secret = 's3cret-0';
    provider.registerClient({ clientID: 'mine', clientSecret: secret, flow: 'openid', redirectURIs: [REDIRECT_URI] });
    await send(provider, `/oauth/authorize?client_id=${secret}`);
    await send(provider, `/oauth/authorize?client_id=mine&redirect_uri=http://me:${secret}@127.0.0.1/`);
    await send(provider, '/oauth/token', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${secret}:mine`)}`, 'content-type': FORM['content-type'] },
      body: 'grant_type=authorization_code',
    });
    expect(provider.problems).toHaveLength(3);
    expect(recorded()).not.toContain(secret);
  });

  test('unknown parameters are recorded by name, with masked values', async () => {
    await send(provider, `/oauth/authorize?redirect_url=${encodeURIComponent(REDIRECT_URI)}&clientSecret=${PLANTED}`);
    expect(provider.requests[0]?.query).toEqual({ redirect_url: '[masked]', clientSecret: '[masked]' });
  });

  test('many parameters and long names are recorded in bounded size', async () => {
    const many = Array.from({ length: 900 }, (_, index) => `p${index}=${'x'.repeat(20)}`).join('&');
    await send(provider, '/oauth/token', { method: 'POST', headers: FORM, body: `${many}&${'n'.repeat(5000)}=1` });
    expect(Object.keys(provider.requests[0]?.form ?? {})).toHaveLength(51);
    await send(provider, `/${'long/'.repeat(1000)}`);
    expect(JSON.stringify(provider.requests[1]).length).toBeLessThan(1000);
  });
});
