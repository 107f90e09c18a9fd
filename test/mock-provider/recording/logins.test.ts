import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import {
  api,
  authorizeURL,
  codeOf,
  encode,
  post,
  redeem,
  refresh,
  revoke,
  send,
  signIn,
  token,
  tokensOf,
} from '../wire.js';

const paths = (login: number) =>
  provider.logins.find((one) => one.login === login)?.requests.map(({ method, path }) => `${method} ${path}`);

describe('provider.logins', () => {
  test('a login contains all requests with its codes and tokens, refreshed ones included', async () => {
    const { openid } = provider.clients;
    const first = await tokensOf(provider, openid, { scope: 'openid basic' });
    const other = await tokensOf(provider, provider.clients.profile, { as: 'pending' });
    const second = (await refresh(provider, openid, first.refresh_token)).json;
    await api(provider, '/api/v1/users/current', second.access_token);
    await api(provider, '/api/v1/users/current', other.access_token);
    await revoke(provider, openid, second.refresh_token);
    await send(
      provider,
      `/oauth/logout?${encode({ id_token_hint: second.id_token, post_logout_redirect_uri: 'http://127.0.0.1:5001/bye' })}`,
    );
    expect(provider.logins).toMatchObject([
      { login: 1, clientID: openid.clientID, clinician: 'verified', outcome: 'signed in' },
      { login: 2, clientID: provider.clients.profile.clientID, clinician: 'pending', outcome: 'signed in' },
    ]);
    expect(paths(1)).toEqual([
      'GET /oauth/authorize',
      'POST /oauth/login',
      'GET /oauth/resume',
      'POST /oauth/consent',
      'POST /oauth/token',
      'POST /oauth/token',
      'GET /api/v1/users/current',
      'POST /oauth/revoke',
      'GET /oauth/logout',
    ]);
    expect(paths(2)?.slice(-2)).toEqual(['POST /oauth/token', 'GET /api/v1/users/current']);
    expect(provider.requests.length).toBeGreaterThan(10);
    expect(provider.requests.filter(({ login, clinician }) => login === undefined && clinician !== undefined)).toEqual(
      [],
    );
    expect(provider.requests.at(-3)).toMatchObject({ login: 2, clinician: 'pending' });
  });

  test('the outcome follows the last request, the lifetimes and the issued tokens', async () => {
    const { profile, openid } = provider.clients;
    const outcome = () => provider.logins.at(-1)?.outcome;
    await provider.signIn(authorizeURL(provider, profile), { as: 'verified', deny: true });
    expect(outcome()).toBe('denied');
    await signIn(provider, openid, { prompt: 'none', code_challenge: 'x' });
    expect(outcome()).toBe('refused');
    await send(provider, '/oauth/authorize?client_id=unknown');
    expect(outcome()).toBe('refused');
    await send(provider, authorizeURL(provider, profile).slice(provider.issuer.length));
    expect(outcome()).toBe('open');
    provider.clock.advance('61 minutes');
    expect(outcome()).toBe('abandoned');
    const code = await codeOf(provider, profile, { state: 'another' });
    expect(outcome()).toBe('open');
    await token(provider, { ...profile, clientSecret: 'wrong' }, { grant_type: 'authorization_code', code });
    expect(outcome()).toBe('refused');
    await redeem(provider, profile, code);
    expect(outcome()).toBe('signed in');
    await redeem(provider, profile, code);
    expect(outcome()).toBe('signed in');
    await codeOf(provider, profile, { state: 'one more' });
    provider.clock.advance('11 minutes');
    expect(outcome()).toBe('abandoned');
    expect(provider.logins).toHaveLength(6);
  });

  test('a reloaded page continues its login, and the same URL after the login starts another', async () => {
    const address = authorizeURL(provider, provider.clients.profile).slice(provider.issuer.length);
    await send(provider, address);
    await send(provider, address);
    expect(provider.logins).toHaveLength(1);
    await codeOf(provider, provider.clients.profile);
    await codeOf(provider, provider.clients.profile);
    expect(provider.logins).toHaveLength(2);
  });

  test('requests outside a login have no login, and reset() restarts the numbers', async () => {
    await send(provider, '/.well-known/openid-configuration');
    await post(provider, '/oauth/token', provider.clients.profile, { grant_type: 'authorization_code', code: 'x' });
    expect(provider.requests.map(({ login, number }) => [number, login])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect(provider.problems).toMatchObject([{ request: 2 }]);
    provider.reset();
    await codeOf(provider, provider.clients.profile);
    expect(provider.requests[0]).toMatchObject({ number: 1, login: 1 });
  });
});
