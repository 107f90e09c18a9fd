import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** A form of an unknown origin. */
const ambiguous = { Origin: 'null' };

/** Fails a request whose body is enumerated: only a few names are read. */
const refuseEnumeration: RequestHandler = (req, _res, next) => {
  req.body = new Proxy(req.body as object, {
    ownKeys() {
      throw new Error('the body is enumerated');
    },
  });
  next();
};

describe('a body that a parser of the site has read', () => {
  const PATHS = ['/auth/logout', '/auth/forget', '/auth/session-check'];
  const bodies: [kind: string, parser: RequestHandler, type: string, body: string | Buffer][] = [
    [
      '10 MB of bytes',
      express.raw({ type: '*/*', limit: '11mb' }),
      'application/octet-stream',
      Buffer.alloc(10 * 1024 * 1024, 'a'),
    ],
    [
      'a JSON array of 5 MB',
      express.json({ limit: '6mb' }),
      'application/json',
      JSON.stringify(Array(2_500_000).fill(0)),
    ],
    [
      'a form with 1,000 fields',
      express.urlencoded({ extended: false, limit: '1mb' }),
      'application/x-www-form-urlencoded',
      Array.from({ length: 1000 }, (_, index) => `field${index}=x`).join('&'),
    ],
    ['a JSON object', express.json(), 'application/json', '{"a":1,"state":{"b":"c"},"userID":["x",1,"y"]}'],
  ];

  test.each(bodies)('of %s is never enumerated', async (_kind, parser, type, body) => {
    const { app } = siteFor(provider);
    const parsed = express().use(parser, refuseEnumeration, app);
    for (const path of PATHS) {
      const { status } = await supertest(parsed).post(path).set(ambiguous).type(type).send(body);
      expect([path, status]).toEqual([path, 403]);
    }
  });
});

describe('a session_state', () => {
  async function callbackWith(length: number) {
    const site = siteFor(provider);
    const agent = supertest.agent(site.app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    back.searchParams.set('session_state', 's'.repeat(length));
    return { ...site, agent, response: await agent.get(back.pathname + back.search) };
  }

  test('of more than 512 characters ends the sign-in, and nothing is stored', async () => {
    const { agent, response, sessions } = await callbackWith(513);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      code: 'callback_malformed',
      detail: expect.stringContaining('session_state'),
    });
    await agent.get('/me').expect(401);
    expect(JSON.stringify(sessions)).not.toContain('sss');
  });

  test('of 512 characters is stored', async () => {
    const { agent, response } = await callbackWith(512);
    expect(response.headers.location).toBe('/');
    await agent.get('/me').expect(200);
  });
});
