import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, Visitor } from '../visitor.js';
import { authorizeURL, codeOf, profile, redeem, refresh, registerStrict, revoke, send, tokensOf } from '../wire.js';

let one: MockProvider;
let other: MockProvider;
beforeAll(async () => {
  [one, other] = [await startMockProvider(), await startMockProvider()];
});
afterAll(() => Promise.all([one.stop(), other.stop()]));

describe('another provider refuses', () => {
  test('the codes, tokens, ID Tokens and clients of a provider', async () => {
    const code = await codeOf(one, one.clients.openid);
    expect((await redeem(other, other.clients.openid, code)).json.error).toBe('invalid_grant');
    const tokens = await tokensOf(one, one.clients.openid, { scope: 'openid basic' });
    expect((await profile(other, tokens.access_token)).status).toBe(401);
    expect((await refresh(other, other.clients.openid, tokens.refresh_token)).json.error).toBe('invalid_grant');
    await revoke(other, other.clients.openid, tokens.refresh_token);
    const hinted = authorizeURL(other, other.clients.openid, { id_token_hint: tokens.id_token, prompt: 'none' });
    const refused = await send(other, hinted.slice(other.issuer.length));
    expect(refused.location.searchParams.get('error')).toBe('invalid_request');
    expect((await profile(one, tokens.access_token)).status).toBe(200);
    const client = registerStrict(one, 'openid');
    expect((await send(other, authorizeURL(other, client).slice(other.issuer.length))).status).toBe(400);
    expect((await redeem(other, client, 'code')).json.error).toBe('invalid_client');
  });

  test('its cookies, which a browser sends because cookies ignore ports', async () => {
    const visitor = new Visitor(one);
    await visitor.signIn(await visitor.get(authorizePath(one)), 'verified');
    const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    const renamed = cookie.replaceAll(new URL(one.issuer).port, new URL(other.issuer).port);
    for (const sent of [cookie, renamed]) {
      const silent = await send(other, authorizePath(other, { prompt: 'none' }), { headers: { cookie: sent } });
      expect(silent.location.searchParams.get('error')).toBe('login_required');
    }
    const known = await send(one, authorizePath(one, { prompt: 'none' }), { headers: { cookie } });
    expect(known.location.searchParams.get('error')).toBe('consent_required');
  });
});
