import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath } from '../visitor.js';
import { authorizeURL, basic, codeFields, jwtPart } from '../wire.js';

/** Adds an error handler that returns the message. */
function withErrorText(app: Express): Express {
  return app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message);
  });
}

describe('behind a body parser', () => {
  test('a body fails with the fix', async () => {
    const app = withErrorText(express().use(express.urlencoded(), provider.app));
    const { status, text } = await supertest(app).post('/oauth/token').send('code=a-secret');
    expect([status, text]).toEqual([500, expect.stringContaining('Mount provider.app before every body parser')]);
    expect(text).not.toContain('secret');
    await supertest(app).get('/.well-known/jwks.json').expect(200);
  });

  test('without next the message is the response', async () => {
    const app = express().use(express.urlencoded());
    app.use((req, res) => provider.app(req, res));
    const server = supertest(app);
    const { status, text } = await server.post('/oauth/token').send('code=one&code=two');
    expect([status, text]).toEqual([500, expect.stringContaining('before every body parser')]);
  });
});

test('behind a site that sets a Content-Type, an empty response has none, and another one its own', async () => {
  const app = express().use((_req, res, next) => {
    res.type('text/plain');
    next();
  }, provider.app);
  const empty = await supertest(app).options('/.well-known/jwks.json');
  const document = await supertest(app).get('/.well-known/jwks.json');
  expect([empty.type, document.type]).toEqual(['', 'application/json']);
});

describe('mounted at a path', () => {
  test('a provider without that path in publicURL fails with the fix, and passes on unknown paths', async () => {
    const app = withErrorText(express().use('/idp', provider.app));
    const { status, text } = await supertest(app).get('/idp/oauth/authorize');
    expect([status, text]).toEqual([500, expect.stringContaining('a publicURL that ends in /idp')]);
    await supertest(app).get('/idp/something').expect(404);
  });

  const issuer = 'http://127.0.0.1:5001/idp';

  test('a provider with that publicURL serves everything below it, and the metadata also as RFC 8414 section 3.1 defines', async () => {
    await using below = await startMockProvider({ publicURL: issuer });
    const app = express().use(below.app);
    app.get('/oauth/token', (_req, res) => void res.send('the site'));
    const at = supertest(app);
    const { body } = await at.get('/idp/.well-known/openid-configuration');
    const urls = Object.entries(body).filter(([member]) => /_endpoint$|_uri$|_iframe$/.test(member));
    expect(urls.length).toBeGreaterThan(4);
    for (const [, url] of urls) expect(url).toMatch(`${issuer}/`);
    expect((await at.get('/.well-known/oauth-authorization-server/idp')).body.issuer).toBe(issuer);
    expect((await at.get('/oauth/token')).text).toBe('the site');
  });

  test('a provider with that publicURL has it as iss and aud, in its cookies, and in the links and forms of its pages', async () => {
    await using below = await startMockProvider({ publicURL: issuer });
    const client = below.clients.openid;
    for (const path of [authorizePath(below), '/oauth/sign-in', '/oauth/sign-out', '/oauth/authorize']) {
      const page = await below.fetch(issuer + path, { headers: { accept: 'text/html' } });
      const addresses = [...(await page.text()).matchAll(/\s(?:href|action|src)="([^"]*)"/g)];
      expect(addresses.length).toBeGreaterThan(1);
      for (const [, address] of addresses) expect(address).toMatch(/^\/idp\//);
      for (const cookie of page.headers.getSetCookie()) expect(cookie).toContain('; Path=/idp/oauth;');
    }
    const callback = new URL(await below.signIn(authorizeURL(below, client), { as: 'verified' }));
    const form = new URLSearchParams(codeFields(client, callback.searchParams.get('code') ?? '') as never);
    const authorized = { method: 'POST', body: form, headers: { authorization: basic(client) } };
    const tokens = await below.fetch(`${issuer}/oauth/token`, authorized);
    const { id_token } = (await tokens.json()) as { id_token: string };
    const { iss, aud } = jwtPart(id_token, 'claims');
    expect([iss, aud]).toEqual([issuer, [issuer, client.clientID]]);
  });
});
