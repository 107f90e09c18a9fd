import { ExpressAuth, type ExpressAuthConfig, getSession } from '@auth/express';
import { beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import type { RegisteredClient } from 'passport-clinician/mock-provider';
import request from 'supertest';
import { provider } from '../helpers/provider.js';

const origin = 'http://127.0.0.1:5001';

let openid: RegisteredClient;
let profile: RegisteredClient;
beforeAll(() => {
  const redirectURIs = [`${origin}/auth/callback/clinician`];
  openid = provider.registerClient({ flow: 'openid', redirectURIs, scope: 'openid basic' });
  profile = provider.registerClient({ flow: 'profile', redirectURIs });
});

type Provider = ExpressAuthConfig['providers'][number];

/** Form B: by discovery, with every check of the library. */
const formB = (): Provider => ({
  id: 'clinician',
  name: 'Clinician',
  type: 'oidc',
  issuer: provider.issuer,
  clientId: openid.clientID,
  clientSecret: openid.clientSecret,
  authorization: { params: { scope: 'openid basic' } },
  checks: ['pkce', 'state', 'nonce'],
  idToken: false, // reads userinfo instead
});

/** Form A: configured endpoints, the secret in the form, no PKCE, and the profile of the API. */
const formA = (): Provider => ({
  id: 'clinician',
  name: 'Clinician',
  type: 'oauth',
  clientId: profile.clientID,
  clientSecret: profile.clientSecret,
  client: { token_endpoint_auth_method: 'client_secret_post' },
  authorization: { url: `${provider.issuer}/oauth/authorize`, params: { scope: 'basic email' } },
  token: `${provider.issuer}/oauth/token`,
  userinfo: `${provider.apiURL}/api/v1/users/current`,
  checks: ['state'],
  profile: ({ id, full_name, email }) => ({ id: String(id), name: full_name, email }),
});

function site(settings: Provider): Express {
  const config: ExpressAuthConfig = {
    providers: [settings],
    secret: 'only for this test, and long enough for a key',
    trustHost: true,
    logger: { error: () => undefined },
  };
  const app = express();
  app.use('/auth', ExpressAuth(config));
  app.get('/me', async (req, res) => void res.json((await getSession(req, config))?.user ?? null));
  return app;
}

/** Signs in as the library's sign-in page does: reads the CSRF token and posts the form. */
async function signIn(agent: ReturnType<typeof request.agent>): Promise<string> {
  agent.set('host', new URL(origin).host); // the library reads its own origin from Host
  const { body } = await agent.get('/auth/csrf');
  const form = { csrfToken: body.csrfToken, callbackUrl: `${origin}/me` };
  const redirect = await agent.post('/auth/signin/clinician').type('form').send(form).expect(302);
  const callback = new URL(await provider.signIn(String(redirect.headers.location), { as: 'verified' }));
  const response = await agent.get(callback.pathname + callback.search).expect(302);
  return String(response.headers.location);
}

describe('@auth/express at the mock provider', () => {
  test('Form B: signs in with PKCE, state and nonce, and reads userinfo', async () => {
    const agent = request.agent(site(formB()));
    expect(await signIn(agent)).toBe(`${origin}/me`);
    expect((await agent.get('/me')).body).toMatchObject({ name: expect.any(String), image: expect.any(String) });
  });

  test('Form A: signs in with the secret in the form, and reads the profile', async () => {
    const agent = request.agent(site(formA()));
    expect(await signIn(agent)).toBe(`${origin}/me`);
    const { body } = await agent.get('/me');
    expect(body).toMatchObject({ name: expect.any(String), email: expect.stringContaining('@') });
  });
});
