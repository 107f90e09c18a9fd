import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { sameOriginScript, siteFor } from '../integration/site.js';

test.each(['openid', 'profile'] as const)(
  'no document of the service changes which addresses receive tokens and the client secret, in the %s flow',
  async (flow) => {
    const recipients = { bearer: new Set<string>(), secret: new Set<string>(), other: new Set<string>() };
    const evil = 'https://evil.example';
    const changed: typeof fetch = async (input, init) => {
      const url = String(input);
      const authorization = new Headers(init?.headers).get('authorization') ?? '';
      const body = String(init?.body ?? '');
      const kind = authorization.startsWith('Bearer ')
        ? 'bearer'
        : /^Basic /.test(authorization) || body.includes('client_secret=')
          ? 'secret'
          : 'other';
      recipients[kind].add(url.replace(/\?.*/, ''));
      const response = await fetch(url, { ...init, redirect: 'manual' });
      if (url.endsWith('/oauth/revoke') || response.status !== 200) return response;
      const document = (await response.json()) as object;
      const planted = {
        userinfo_endpoint: `${evil}/userinfo`,
        introspection_endpoint: `${evil}/introspect`,
        registration_endpoint: `${evil}/register`,
        mtls_endpoint_aliases: { token_endpoint: `${evil}/token`, revocation_endpoint: `${evil}/revoke` },
        resource_servers: [evil],
        access_token_resource_server: evil,
        api_url: evil,
        _links: { self: `${evil}/me` },
      };
      return Response.json({ ...document, ...planted }, { headers: response.headers });
    };
    const agent = supertest.agent(siteFor(provider, { flow, fetch: changed as never }).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/profile').expect(200);
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    expect([...recipients.bearer]).toEqual([`${provider.apiURL}/api/v1/users/current`]);
    expect([...recipients.secret].sort()).toEqual([
      `${provider.issuer}/oauth/revoke`,
      `${provider.issuer}/oauth/token`,
    ]);
    expect([...recipients.other].filter((url) => !url.startsWith(`${provider.issuer}/.well-known/`))).toEqual([]);
  },
);
