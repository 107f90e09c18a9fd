import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { signIn, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';
import { VARIABLES } from '../../lib/options/environment.js';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test.each([{}, { https: true }])('provider.env configures a site that reads process.env: %j', (options) =>
  withMockProvider(options, async (provider) => {
    Object.assign(process.env, provider.env);
    const { ca } = provider;
    const clinician = clinicianLogin.fromEnv(ca === undefined ? {} : { ca });
    const secret = process.env.SESSION_SECRET as string;
    const app = express();
    app.use(session({ secret, resave: false, saveUninitialized: false }), clinician);
    app.get('/notes', clinician.requireVerified(), (_req, res) => void res.send('notes'));
    const agent = request.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/notes').expect(200);
  }),
);

test('provider.env has every variable of fromEnv(), does not change, and has its own session secret', () =>
  withMockProvider((provider) =>
    withMockProvider((other) => {
      const { env } = provider;
      expect(Object.keys(env).sort()).toEqual(Object.values(VARIABLES).sort());
      provider.reset();
      expect([provider.env === env, Object.isFrozen(env)]).toEqual([true, true]);
      expect(other.env.SESSION_SECRET).not.toBe(env.SESSION_SECRET);
    }),
  ));
