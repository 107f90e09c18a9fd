import { afterEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { runChecks } from '../../lib/cli/doctor/run-checks.js';
import { readSettings } from '../../lib/cli/doctor/settings.js';
import { type ClinicianEventName, clinicianLogin } from '../../lib/index.js';
import { recordedServers } from './recorded-servers.js';
import { ReplayServer } from './replay-server.js';

const sessionSecret = 'only-for-this-test-and-long-enough-for-a-key';
const sameOriginForm = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };
const running: ReplayServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

describe.each(recordedServers)('$name $version', (recorded) => {
  async function start(clientSecret?: string): Promise<ReplayServer> {
    const server = await new ReplayServer(recorded, clientSecret).start();
    running.push(server);
    return server;
  }

  /** A site at the server. The response to `POST /refresh` has the code of the error, or `done`. */
  function siteAt({ issuer, clientID, redirectURI, clientSecret }: ReplayServer, secret = clientSecret) {
    const names: ClinicianEventName[] = [];
    const clinician = clinicianLogin({
      ...{ issuer, clientID, clientSecret: secret, callbackURL: redirectURI },
      secret: sessionSecret,
      scope: ['openid', ...(recorded.refreshScope ? [recorded.refreshScope] : [])],
      onEvent: ({ name }) => names.push(name),
    });
    const app = express();
    app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false }));
    app.use(clinician);
    app.get('/me', clinician.requireLogin(), (req, res) => void res.json(req.clinician.identity));
    app.post('/refresh', clinician.requireLogin(), async (req, res) => {
      const outcome = await clinician
        .grant(req)
        .refresh()
        .then(
          () => 'done',
          (error: { code: string }) => error.code,
        );
      res.json({ outcome, state: await clinician.grant(req).state() });
    });
    return { app, names };
  }

  async function signIn(server: ReplayServer, app: Express) {
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const callback = server.authorize(String(headers.location));
    const response = await agent.get(callback.pathname + callback.search);
    return { agent, response };
  }

  test('signs in, refreshes twice, and signs out', async () => {
    const server = await start();
    const { app, names } = siteAt(server);
    const { agent, response } = await signIn(server, app);
    expect([response.status, response.headers.location]).toEqual([302, '/']);
    const me = await agent.get('/me').expect(200);
    expect(me.body).toMatchObject({ id: server.subject, issuer: server.issuer });

    for (let count = 0; count < 2; count += 1) {
      const { body } = await agent.post('/refresh').expect(200);
      expect(body).toMatchObject({ outcome: 'done', state: { refreshable: true } });
    }

    const { url } = (await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(200)).body;
    await agent.get('/me').expect(401);
    const hasLogout = 'end_session_endpoint' in recorded.metadata.members(server.issuer);
    expect(url).toBe(hasLogout ? '/auth/end-session' : '/auth/logged-out');
    if (hasLogout) {
      const { headers } = await agent.get(url).expect(302);
      const logout = await fetch(String(headers.location), { redirect: 'manual' });
      const back = new URL(String(logout.headers.get('location')));
      await agent.get(back.pathname + back.search).expect(200);
      // The logout reaches the session, also where a revocation would have ended it.
      expect(server.logouts).toEqual([true]);
    }
    const revocations = server.requestsTo('revocation_endpoint');
    expect(revocations).toHaveLength(recorded.revocation ? 1 : 0);
    expect(names).toEqual(
      expect.arrayContaining(['signed_out', recorded.revocation ? 'revoked' : 'revocation_unsupported']),
    );
    expect(names).not.toContain('revocation_failed');
    const addresses = server.requests.map(({ path }) => path);
    expect(addresses).not.toContain('/oauth/revoke');
  });

  test('signs out to the page of the site when the user is forgotten', async () => {
    const server = await start();
    const { app, names } = siteAt(server);
    const { agent } = await signIn(server, app);
    await agent.post('/auth/forget').set(sameOriginForm).expect(303);
    await agent.get('/me').expect(401);
    expect(names).toContain('forgotten');
  });

  test('ends the login when the refresh token has expired', async () => {
    const server = await start();
    const { app } = siteAt(server);
    const { agent } = await signIn(server, app);
    server.expireRefreshTokens();
    expect((await agent.post('/refresh')).body).toEqual({ outcome: 'grant_ended' });
    await agent.get('/me').expect(401);
  });

  test('signs in again without an end of the new login', async () => {
    const server = await start();
    const { app } = siteAt(server);
    const { agent } = await signIn(server, app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const callback = server.authorize(String(headers.location));
    await agent.get(callback.pathname + callback.search).expect(302);
    expect(server.hasSession).toBe(true);
    expect((await agent.post('/refresh').expect(200)).body.outcome).toBe('done');
  });

  test('an invalid code does not sign in', async () => {
    const server = await start();
    const { app } = siteAt(server);
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const callback = server.authorize(String(headers.location));
    callback.searchParams.set('code', 'another');
    const response = await agent.get(callback.pathname + callback.search);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body.code).toBe(recorded.errors.code.members?.error);
  });

  test('a wrong client secret is named by the error', async () => {
    const server = await start();
    const { app } = siteAt(server, 'another');
    const { response, agent } = await signIn(server, app);
    expect(response.status).toBe(500);
    expect(response.body).toMatchObject({ code: recorded.errors.client.members?.error });
    await agent.get('/me').expect(401);
  });

  test('has no problem for doctor', async () => {
    const server = await start();
    const results = await runChecks(
      readSettings(
        { folder: process.cwd() },
        {
          CLINICIAN_ISSUER: server.issuer,
          CLINICIAN_CLIENT_ID: server.clientID,
          CLINICIAN_CLIENT_SECRET: server.clientSecret,
          CLINICIAN_SCOPE: 'openid',
          APP_URL: 'http://127.0.0.1:3000',
          SESSION_SECRET: sessionSecret,
        },
      ),
    );
    const problems = results.filter(({ outcome }) => outcome === 'problem').map(({ check }) => check);
    // The replayed server has no authorization endpoint.
    expect(problems.filter((check) => check !== 'registration')).toEqual([]);
    const hasWarning = results.some(({ message }) => message.includes('no revocation_endpoint'));
    expect(hasWarning).toBe(recorded.revocation === undefined);
  });

  test.each(['a secret with spaces', 'a:b', '100%', 'a+b', '\u00e4\u20ac', "!~'()"])(
    'a secret such as "%s" is accepted where the server decodes it',
    async (secret) => {
      const server = await start(secret);
      const { response } = await signIn(server, siteAt(server).app);
      expect(response.status === 302).toBe(recorded.decodesBasic);
    },
  );
});
