import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { basic, codeFields, codeOf } from './wire.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** Tells what an error says, as a site's own handler would. */
function telling(app: Express): Express {
  return app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message);
  });
}

describe('behind a body parser', () => {
  test.each([
    ['express.urlencoded()', express.urlencoded()],
    ['express.urlencoded({ extended: true })', express.urlencoded({ extended: true })],
    ['express.text()', express.text({ type: '*/*' })],
    ['express.raw()', express.raw({ type: '*/*' })],
  ])('%s: a form is what it was', async (_name, parser) => {
    const client = provider.clients.openid;
    const form = new URLSearchParams(codeFields(client, await codeOf(provider, client)) as Record<string, string>);
    const app = express().use(parser, provider.app);
    const { body } = await supertest(app).post('/oauth/token').set('Authorization', basic(client)).send(`${form}`);
    expect(body.token_type).toBe('bearer');
  });

  test('what it cannot tell is said with the fix, and never taken for something else (decision 5)', async () => {
    const app = telling(express().use(express.urlencoded(), provider.app));
    const twice = await supertest(app).post('/oauth/token').send('code=secret-one&code=secret-two');
    expect([twice.status, twice.text]).toEqual([
      500,
      expect.stringContaining('Mount provider.app before every body parser'),
    ]);
    expect(twice.text).not.toContain('secret');
    const first = await supertest(express().use(provider.app)).post('/oauth/token').send('code=one&code=two');
    expect(first.body.error).toBe('invalid_request');
  });

  test('without next the sentence is the answer', async () => {
    const app = express().use(express.urlencoded());
    app.use((req, res) => provider.app(req, res));
    const server = supertest(app);
    const { status, text } = await server.post('/oauth/token').send('code=one&code=two');
    expect([status, text]).toEqual([500, expect.stringContaining('before every body parser')]);
  });
});

describe('below a path', () => {
  test('a provider that does not know of the path says what to do; the rest of the path is the site', async () => {
    const app = telling(express().use('/idp', provider.app));
    const { status, text } = await supertest(app).get('/idp/oauth/authorize');
    expect([status, text]).toEqual([500, expect.stringContaining('a publicURL that ends in /idp')]);
    await supertest(app).get('/idp/something').expect(404);
  });

  test('with it all is below the path, the metadata also where RFC 8414 section 3.1 wants it', async () => {
    const issuer = 'http://127.0.0.1:5001/idp';
    const below = await startMockProvider({ publicURL: issuer });
    try {
      const app = express().use(below.app);
      app.get('/oauth/token', (_req, res) => void res.send('the site'));
      const at = supertest(app);
      expect((await at.get('/idp/.well-known/openid-configuration')).body.jwks_uri).toBe(
        `${issuer}/.well-known/jwks.json`,
      );
      expect((await at.get('/.well-known/oauth-authorization-server/idp')).body.issuer).toBe(issuer);
      expect((await at.get('/oauth/token')).text).toBe('the site');
      expect((await at.get('/idp/oauth/sign-in')).text).toContain('action="/idp/oauth/sign-in"');
      const sandbox = below.sandbox();
      expect(sandbox.issuer).toBe(`${issuer}/sandbox/1`);
      expect((await at.get('/idp/sandbox/1/.well-known/openid-configuration')).body.issuer).toBe(sandbox.issuer);
    } finally {
      await below.stop();
    }
  });

  test('plain http is for this machine alone there too (decision 4)', async () => {
    const open = startMockProvider({ publicURL: 'http://127.0.0.1:5001/idp', host: '0.0.0.0' });
    await expect(open).rejects.toThrow('host must be 127.0.0.1, localhost or ::1');
  });
});
