import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { type AuthenticateCallback, Passport } from 'passport';
import supertest from 'supertest';
import {
  type AuthenticateOptions,
  type ClinicianEvent,
  ClinicianStrategy,
  type ClinicianStrategyOptions,
  type FlowName,
  MemoryTokenStore,
  type VerifyFunction,
} from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

const FLOWS = ['openid', 'profile'] as const;
const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;
const acceptAll: VerifyFunction = async (_a: string, _r: string, profile: { id: string }) => ({ id: profile.id });

type Options = Partial<ClinicianStrategyOptions> & { verify?: VerifyFunction };
interface Routes {
  finish?: AuthenticateOptions;
  /** A custom callback, in place of Passport's own. */
  custom?: AuthenticateCallback;
}

/** A site that has only Passport. */
function siteWith({ verify = acceptAll, ...options }: Options = {}, { finish = {}, custom }: Routes = {}) {
  const tokenStore = options.tokenStore as MemoryTokenStore | undefined;
  const strategy = new ClinicianStrategy({ ...loginOptions(provider, options), ...options }, verify);
  const passport = new Passport();
  const sessions = new session.MemoryStore();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app: Express = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions }));
  app.use(passport.session());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', (req, res, next) => {
    const handler = custom
      ? passport.authenticate('clinician', finish, (...args: Parameters<AuthenticateCallback>) => {
          custom(...args);
          res.json({ info: args[2] });
        })
      : passport.authenticate('clinician', finish);
    handler(req, res, next);
  });
  app.get('/auth/callback', (req, res) => void res.json({ user: req.user, info: req.authInfo }));
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ code: error.code });
  }) as ErrorRequestHandler);
  return { app, strategy, sessions, tokenStore };
}

describe.each(FLOWS)('a further login of the same session, in the %s flow', (flow: FlowName) => {
  test('revokes and erases the tokens before', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app, strategy } = siteWith({ flow, tokenStore });
    const agent = supertest.agent(app);
    const first = await signIn(agent, provider, { as: 'verified' });
    expect(revocations()).toBe(0);
    const second = await signIn(agent, provider, { as: 'verified' });
    expect([revocations(), tokenStore.size]).toEqual([1, 1]);
    expect(await strategy.grant(first.body.info.grantID).state()).toBeUndefined();
    expect(await strategy.grant(second.body.info.grantID).state()).toBeDefined();
  });

  test('in another browser revokes nothing', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app } = siteWith({ flow, tokenStore });
    await signIn(supertest.agent(app), provider, { as: 'verified' });
    await signIn(supertest.agent(app), provider, { as: 'verified' });
    expect([revocations(), tokenStore.size]).toEqual([0, 2]);
  });

  test('with session: false, or a custom callback that does not sign in, leaves the tokens to the site', async () => {
    for (const routes of [{ finish: { session: false } }, { custom: () => undefined }]) {
      const tokenStore = new MemoryTokenStore();
      const { app, strategy } = siteWith({ flow, tokenStore }, routes);
      const agent = supertest.agent(app);
      const first = await signIn(agent, provider, { as: 'verified' });
      await signIn(agent, provider, { as: 'verified' });
      expect([revocations(), tokenStore.size]).toEqual([0, 2]);
      expect(await strategy.grant(first.body.info.grantID).state()).toBeDefined();
    }
  });

  test('that the session store cannot save revokes its tokens, and signs no user in', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app, sessions } = siteWith({ flow, tokenStore });
    const { set } = sessions;
    sessions.set = (_id, _session, done) => done?.(new Error('down'));
    const page = await signIn(supertest.agent(app), provider, { as: 'verified' });
    expect([page.status, page.body.code]).toEqual([503, 'session_unavailable']);
    expect([revocations(), tokenStore.size]).toEqual([1, 0]);
    sessions.set = set;
  });
});

describe.each(FLOWS)('without a token store, in the %s flow', (flow: FlowName) => {
  const accessTokens: string[] = [];
  const refreshTokens: string[] = [];
  const remember =
    (result: () => unknown): VerifyFunction =>
    async (accessToken: string, refreshToken: string, _profile: object) => {
      accessTokens.push(accessToken);
      refreshTokens.push(refreshToken);
      return result();
    };
  const isValid = async (accessToken: string | undefined) => {
    const headers = { Authorization: `Bearer ${accessToken}` };
    return (await provider.fetch(`${provider.apiURL}/api/v1/users/current`, { headers })).status === 200;
  };

  test.each<[string, () => unknown]>([
    ['refuses the user', () => false],
    [
      'fails',
      () => {
        throw new Error('the database is down');
      },
    ],
  ])('a verify function that %s leaves no valid tokens', async (_title, result) => {
    const { app } = siteWith({ flow, verify: remember(result) });
    await signIn(supertest.agent(app), provider, { as: 'verified' }).catch(() => undefined);
    expect(revocations()).toBe(1);
    expect(await isValid(accessTokens.at(-1))).toBe(false);
  });

  test.each(['accessToken', 'refreshToken'] as const)(
    'an accepted login keeps its tokens until strategy.revoke() with its %s',
    async (name) => {
      const { app, strategy } = siteWith({ flow, verify: remember(() => ({ id: 1 })) });
      await signIn(supertest.agent(app), provider, { as: 'verified' });
      const [accessToken, refreshToken] = [accessTokens.at(-1), refreshTokens.at(-1)];
      expect([revocations(), await isValid(accessToken)]).toEqual([0, true]);
      await strategy.revoke(name === 'accessToken' ? { accessToken } : { refreshToken });
      expect([revocations(), await isValid(accessToken)]).toEqual([1, false]);
    },
  );
});

describe('strategy.revoke()', () => {
  test('reports a service that fails as an event, without the token', async () => {
    const events: ClinicianEvent[] = [];
    const { strategy } = siteWith({ onEvent: (event) => events.push(event) });
    provider.faults.always('serverError', { endpoint: '/oauth/revoke' });
    await strategy.revoke({ accessToken: 'planted-access', refreshToken: 'planted-refresh' });
    await strategy.close();
    expect(events.map(({ name }) => name)).toContain('revocation_failed');
    expect(JSON.stringify(events)).not.toContain('planted');
  });

  test.each([undefined, null, {}, 'planted', { accessToken: '' }, { idToken: 'planted' }])(
    'refuses %j, which has no token to revoke',
    async (tokens) => {
      const error = await siteWith()
        .strategy.revoke(tokens as never)
        .catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'argument_invalid', message: expect.stringContaining('strategy.revoke()') });
      expect(String(error)).not.toContain('planted');
    },
  );
});

test.each([{}, { session: false }])('the profile that a sign-in with %j has read is revalidated', async (finish) => {
  const { app, strategy } = siteWith({ tokenStore: new MemoryTokenStore() }, { finish });
  const { body } = await signIn(supertest.agent(app), provider, { as: 'verified' });
  expect((await strategy.grant(body.info.grantID).api.profile()).verified).toBe(true);
  const statuses = provider.requests.filter(({ path }) => path === '/api/v1/users/current').map(({ status }) => status);
  expect(statuses).toEqual([200, 304]);
});
