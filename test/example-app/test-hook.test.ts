import { describe, expect, test } from '@jest/globals';
import type { Express } from 'express';
import request from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { takePrinted } from '../helpers/printed.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from './site.js';

const token = 'a-token-of-a-test-with-40-characters-123';

/** Sends what a test in another process sends. */
const reset = (app: Express, body: object = {}, authorization = `Bearer ${token}`) =>
  request(app).post('/test/reset').set('Authorization', authorization).send(body);

describe('POST /test/reset', () => {
  test('shows revoked grants at the next request', async () => {
    const app = siteFor(provider, { testResetToken: token });
    const agent = request.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/notes').expect(200);
    provider.revokeGrants({ username: 'verified' });
    await agent.get('/notes').expect(200);
    await reset(app).expect(200);
    await agent.get('/notes').expect(401);
    expect(takePrinted().join('\n')).not.toContain(token);
  });

  test('sets the clock of the site to that of the provider, and back', async () => {
    const app = siteFor(provider, { testResetToken: token });
    const agent = request.agent(app);
    provider.clock.advance('5 hours');
    const { status } = await signIn(agent, provider, { as: 'verified' });
    expect([status, takePrinted().join()]).toEqual([502, expect.stringContaining('id_token_issued_in_future')]);
    const { body } = await reset(app, { now: provider.clock.now() }).expect(200);
    expect(Math.abs(body.now - provider.clock.now())).toBeLessThan(60_000);
    expect((await signIn(agent, provider, { as: 'verified' })).status).toBe(200);
    provider.reset();
    await reset(app, { now: provider.clock.now() }).expect(200);
    expect((await signIn(request.agent(app), provider, { as: 'verified' })).status).toBe(200);
  });

  test.each([
    ['no token', ''],
    ['another token', `Bearer ${token}4`],
    ['another token of the same length', `Bearer ${token.replace('a', 'b')}`],
    ['the token without its scheme', token],
    ['HTTP Basic', `Basic ${Buffer.from(`test:${token}`).toString('base64')}`],
  ])('refuses %s', async (_name, authorization) => {
    const app = siteFor(provider, { testResetToken: token });
    const { headers, text } = await reset(app, { now: 0 }, authorization).expect(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(text).not.toContain(token);
    await request(app).post(`/test/reset?access_token=${token}`).expect(401);
  });

  test.each([{ now: 'tomorrow' }, { now: 1.5 }, { now: null }, { now: [1] }, { now: -5 }, { now: 9e15 }])(
    'refuses %p',
    async (body) => {
      const app = siteFor(provider, { testResetToken: token });
      expect((await reset(app, body).expect(400)).body).toEqual({
        message: 'now must be milliseconds since the Unix epoch.',
      });
    },
  );

  test('does not exist without TEST_RESET_TOKEN', async () => {
    await reset(siteFor(provider)).expect(404);
    await reset(siteFor(provider), {}, 'Bearer undefined').expect(404);
  });
});
