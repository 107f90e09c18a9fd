import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import supertest from 'supertest';
import {
  type AuthenticateOptions,
  ClinicianStrategy,
  type FlowName,
  isClinicianError,
  type VerifyFunction,
} from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, type SiteOptions, sealingSecret } from '../integration/site.js';

/** As a site that replaces passport-oauth2 may read them. */
const { TokenError: tokenErrorAtLoad } = ClinicianStrategy as never as typeof OAuth2Strategy;

interface PassportSite {
  strategy: ClinicianStrategy;
  app: Express;
  errors: unknown[];
}

/** A site with Passport and one strategy. */
function passportSite(strategy: ClinicianStrategy, options: AuthenticateOptions = {}): PassportSite {
  const passport = new Passport();
  const errors: unknown[] = [];
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: object, done) => done(null, user as Express.User));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(passport.session());
  app.get('/auth/login', passport.authenticate('clinician', options));
  app.get(
    '/auth/callback',
    passport.authenticate('clinician', { failWithError: true, failureMessage: true }),
    (req, res) => {
      res.json({ user: req.user, info: req.authInfo });
    },
  );
  app.get('/me', (req, res) => void res.json({ user: req.user ?? null }));
  app.use(((error, req, res, _next) => {
    errors.push(error);
    res.status(error.status ?? 500).json({ messages: (req.session as { messages?: string[] }).messages });
  }) as ErrorRequestHandler);
  return { app, strategy, errors };
}

function strategyOf(
  verify: VerifyFunction,
  options: SiteOptions & { passReqToCallback?: boolean; skipUserProfile?: boolean } = {},
) {
  const { passReqToCallback, skipUserProfile, ...rest } = options;
  return new ClinicianStrategy(
    {
      ...loginOptions(provider, rest),
      ...(passReqToCallback !== undefined && { passReqToCallback }),
      ...(skipUserProfile !== undefined && { skipUserProfile }),
    },
    verify,
  );
}

/** Signs in. @returns the response to the callback and the authorization request. */
async function run(site: PassportSite, user: { as: string; deny?: boolean } = { as: 'verified' }) {
  const agent = supertest.agent(site.app);
  const started = await agent.get('/auth/login').expect(302);
  const callback = new URL(await provider.signIn(started.headers.location as string, user));
  const response = await agent.get(callback.pathname + callback.search);
  return { agent, response, authorize: new URL(started.headers.location as string) };
}

const accepts = async () => ({ ok: true });
type Done = (error: unknown, user: object) => void;
type Params = Record<string, unknown>;
const opaqueToken = expect.stringMatching(/^[\w-]{22,}$/);

describe("passport-oauth2's verify signatures", () => {
  test('(accessToken, refreshToken, profile, done)', async () => {
    const seen: unknown[] = [];
    const verify = (accessToken: string, refreshToken: string, profile: object, done: Done) => {
      seen.push(accessToken, refreshToken, profile);
      done(null, { name: 'four' });
    };
    const { response, agent } = await run(passportSite(strategyOf(verify)));
    expect(response.body.user).toEqual({ name: 'four' });
    expect(seen).toEqual([
      opaqueToken,
      opaqueToken,
      expect.objectContaining({ provider: 'clinician', verified: true }),
    ]);
    expect((await agent.get('/me')).body.user).toEqual({ name: 'four' });
  });

  test('(accessToken, refreshToken, params, profile, done): params is the token response', async () => {
    let params: Params = {};
    const verify = (_a: string, _r: string, tokenResponse: Params, profile: { id: string }, done: Done) => {
      params = tokenResponse;
      done(null, { id: profile.id });
    };
    await run(passportSite(strategyOf(verify)));
    expect(params).toMatchObject({ token_type: 'bearer', expires_in: 1800 });
    expect(params.id_token).toMatch(/^ey/);
    expect(JSON.stringify(params)).not.toContain('ey');
  });

  test('with passReqToCallback, 5 and 6 arguments', async () => {
    const five = (req: { url: string }, _a: string, _r: string, profile: { id: string }, done: Done) =>
      done(null, { at: req.url.split('?')[0], id: profile.id.length });
    const six = (req: { url: string }, _a: string, _r: string, params: Params, _p: object, done: Done) =>
      done(null, { at: req.url.split('?')[0], lasts: params.expires_in });
    const userBy = async (verify: unknown, flow: FlowName) => {
      const strategy = strategyOf(verify as VerifyFunction, { passReqToCallback: true, flow });
      return (await run(passportSite(strategy))).response.body.user;
    };
    expect(await userBy(five, 'openid')).toEqual({ at: '/auth/callback', id: 36 });
    expect(await userBy(six, 'profile')).toEqual({ at: '/auth/callback', lasts: 3600 });
  });

  test('an async function may return the user, or call done', async () => {
    const returns = async (_a: string, _r: string, profile: { displayName: string }) => ({ name: profile.displayName });
    const calls = async (_a: string, _r: string, _p: object, done: (e: unknown, u: object) => void) => {
      await Promise.resolve();
      setImmediate(() => done(null, { name: 'later' }));
    };
    const both = async (_a: string, _r: string, _params: object, _p: object, _done: unknown) => ({ name: 'returned' });
    expect((await run(passportSite(strategyOf(returns)))).response.body.user.name).toBe(
      provider.clinicians.get('verified').fullName,
    );
    expect((await run(passportSite(strategyOf(calls)))).response.body.user.name).toBe('later');
    expect((await run(passportSite(strategyOf(both)))).response.body.user.name).toBe('returned');
  });
});

describe('the verify function', () => {
  test('without a done parameter may return the user, and with rest parameters may call done', async () => {
    const returns = (_a: string, _r: string, profile: { id: string }) => ({ id: profile.id, by: 'return' });
    const denies = (_a: string, _r: string, _profile: object) => false;
    const calls = (...args: unknown[]) => {
      const done = args.at(-1) as (error: null, user: object) => void;
      setImmediate(() => done(null, { by: 'done' }));
    };
    expect((await run(passportSite(strategyOf(returns)))).response.body.user).toMatchObject({ by: 'return' });
    expect((await run(passportSite(strategyOf(denies)))).response.status).toBe(401);
    expect((await run(passportSite(strategyOf(calls)))).response.body.user).toEqual({ by: 'done' });
  });

  test('gets the normalised profile in both flows', async () => {
    for (const flow of ['openid', 'profile'] as const) {
      let profile: Record<string, unknown> = {};
      await run(
        passportSite(strategyOf(async (_a: string, _r: string, normalised: never) => (profile = normalised), { flow })),
      );
      const { firstName, lastName, fullName, email, npi } = provider.clinicians.get('verified');
      expect(profile).toMatchObject({
        provider: 'clinician',
        displayName: fullName,
        name: { givenName: firstName, familyName: lastName },
        emails: [{ value: email }],
        npi,
        verified: true,
      });
      expect(JSON.parse(profile._raw as string)).toEqual(profile._json);
      expect(profile.id).toMatch(flow === 'openid' ? /^[0-9a-f-]{36}$/ : /^\d{11}$/);
      expect(profile.serviceID).toMatch(/^\d{11}$/);
    }
  });

  test('gets no profile data with only scope openid, and no profile with skipUserProfile', async () => {
    const profiles: unknown[] = [];
    const verify = async (_a: string, _r: string, profile: unknown) => {
      profiles.push(profile);
      return { ok: true };
    };
    await run(passportSite(strategyOf(verify, { scope: 'openid' })));
    await run(passportSite(strategyOf(verify, { skipUserProfile: true })));
    expect(profiles).toEqual([{ provider: 'clinician', id: expect.stringMatching(/^[0-9a-f-]{36}$/) }, undefined]);
    expect(provider.requests.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
  });

  test('authorizationParams and userProfile of a subclass are called', async () => {
    class Own extends ClinicianStrategy {
      override authorizationParams() {
        return { ui_locales: 'en-US' };
      }
      override userProfile(accessToken: string, done: (error?: unknown, profile?: unknown) => void) {
        done(null, { id: 'own', length: accessToken.length });
      }
    }
    const strategy = new Own(loginOptions(provider), async (_a: string, _r: string, profile: object) => profile);
    const { response, authorize } = await run(passportSite(strategy));
    expect(authorize.searchParams.get('ui_locales')).toBe('en-US');
    expect(response.body.user).toMatchObject({ id: 'own' });
  });

  test('authorizationParams of a subclass cannot replace state', async () => {
    class Own extends ClinicianStrategy {
      override authorizationParams() {
        return { state: 'fixed' };
      }
    }
    const site = passportSite(new Own(loginOptions(provider), async () => ({})));
    await supertest(site.app).get('/auth/login').expect(500);
    expect(site.errors[0]).toMatchObject({ code: 'option_invalid' });
  });
});

describe('options of passport.authenticate()', () => {
  test('state and returnTo are in authInfo after the login, and state is not sent to the service', async () => {
    const site = passportSite(strategyOf(accepts), { state: 'planted', returnTo: '/cart' });
    const { response, authorize } = await run(site);
    expect(authorize.href).not.toContain('planted');
    expect(response.body.info).toEqual({ state: 'planted', returnTo: '/cart' });
  });

  test.each([
    ['retrunTo', 'returnTo'],
    ['id_token_hint', 'idTokenHint'],
    ['scopes', 'scope'],
  ])('the misspelled option %s is refused with the name %s', async (misspelled, name) => {
    const site = passportSite(strategyOf(accepts), {
      [misspelled]: 'x',
      session: true,
      failureMessage: true,
      keepSessionInfo: false,
      assignProperty: 'a',
    });
    await supertest(site.app).get('/auth/login').expect(500);
    const message = `passport-clinician: passport.authenticate() has no option '${misspelled}'. Did you mean '${name}'?`;
    expect(site.errors[0]).toMatchObject({ code: 'option_invalid', message });
  });

  test.each<[option: string, value: unknown, type: string]>([
    ['scope', 7, "must be a string such as 'openid basic', or an array of strings."],
    ['prompt', 'none login', "must be 'none', or one or more of 'login', 'consent' and 'create', separated by spaces."],
    ['display', 'touch', "must be 'page' or 'popup'."],
    ['idTokenHint', {}, 'must be a string.'],
    ['maxAge', '60', 'must be a number of milliseconds, 0 or more.'],
  ])('an invalid value of the option %s is refused: %j', async (option, value, type) => {
    const site = passportSite(strategyOf(accepts), { [option]: value });
    await supertest(site.app).get('/auth/login').expect(500);
    const message = `passport-clinician: option '${option}' ${type}`;
    expect(site.errors[0]).toMatchObject({ code: 'option_invalid', option, message });
  });

  test('scope, prompt, display, idTokenHint and maxAge are sent, maxAge in whole seconds', async () => {
    const site = passportSite(strategyOf(accepts), {
      scope: ['openid'],
      prompt: 'login  consent',
      display: 'popup',
      idTokenHint: 'a.b.c',
      maxAge: 90_999,
    });
    const { headers } = await supertest(site.app).get('/auth/login').expect(302);
    expect(Object.fromEntries(new URL(headers.location as string).searchParams)).toMatchObject({
      scope: 'openid',
      prompt: 'login consent',
      display: 'popup',
      id_token_hint: 'a.b.c',
      max_age: '90',
    });
  });

  test('type is sent in the profile flow, and refused in the openid flow', async () => {
    const verify = async () => ({});
    const profile = await run(passportSite(strategyOf(verify, { flow: 'profile' }), { type: 'verify' }));
    expect(profile.authorize.searchParams.get('type')).toBe('verify');
    const openid = passportSite(strategyOf(verify), { type: 'verify' });
    await supertest(openid.app).get('/auth/login').expect(500);
    expect(openid.errors[0]).toMatchObject({ code: 'option_invalid', option: 'type' });
  });

  test('a prompt of authorizationParams() is checked, too', async () => {
    class Own extends ClinicianStrategy {
      override authorizationParams() {
        return { prompt: 'select_account' };
      }
    }
    const site = passportSite(new Own(loginOptions(provider), async () => ({})));
    await supertest(site.app).get('/auth/login').expect(500);
    expect(site.errors[0]).toMatchObject({ code: 'option_invalid', option: 'prompt' });
  });
});

describe('a sign-in that fails', () => {
  test('a denial by the verify function calls fail() with its info', async () => {
    const site = passportSite(
      strategyOf((_a: string, _r: string, _p: object, done: (...args: unknown[]) => void) =>
        done(null, false, { message: 'not here' }),
      ),
    );
    const { response } = await run(site);
    expect(response.status).toBe(401);
    expect(response.body.messages).toEqual(['not here']);
  });

  test('an error response of the authorization endpoint is an AuthorizationError', async () => {
    const site = passportSite(strategyOf(accepts), { prompt: 'none' });
    const agent = supertest.agent(site.app);
    const authorizeURL = (await agent.get('/auth/login')).headers.location as string;
    const callback = new URL((await fetch(authorizeURL, { redirect: 'manual' })).headers.get('location') as string);
    await agent.get(callback.pathname + callback.search);
    const [error] = site.errors as [InstanceType<typeof OAuth2Strategy.AuthorizationError>];
    expect(error).toBeInstanceOf(OAuth2Strategy.AuthorizationError);
    expect(error.code).toBe('login_required');
    expect(isClinicianError(error)).toBe(true);
  });

  test('the class is one of passport-oauth2, also before a strategy exists', () => {
    expect(strategyOf(accepts)).toBeInstanceOf(OAuth2Strategy);
    expect(tokenErrorAtLoad).toBe(OAuth2Strategy.TokenError);
  });

  test('an error response of the token endpoint is a TokenError', async () => {
    const site = passportSite(strategyOf(accepts, { clientSecret: 'planted-wrong-secret' }));
    const { response } = await run(site);
    const [error] = site.errors as [InstanceType<typeof OAuth2Strategy.TokenError>];
    expect(error).toBeInstanceOf(OAuth2Strategy.TokenError);
    expect(error).toMatchObject({
      code: 'invalid_client',
      remedy: 'fix_code',
      status: 500,
      statusCode: 500,
      message: expect.stringContaining("'clientSecret'"),
      see: expect.stringMatching(/errors\.md#codes-of-the-service$/),
    });
    expect(response.text).not.toContain('planted');
  });

  test('an unreachable service is a retryable InternalOAuthError, and the next login works', async () => {
    const strategy = strategyOf(accepts, {
      fetch: ((count) => (url: string, init?: object) => {
        if (count.requests++ === 0) return Promise.reject(new TypeError('connection refused'));
        return fetch(url, { ...init, redirect: 'manual' } as RequestInit);
      })({ requests: 0 }),
    });
    const site = passportSite(strategy);
    await supertest(site.app).get('/auth/login').expect(503);
    const [error] = site.errors as [InstanceType<typeof OAuth2Strategy.InternalOAuthError>];
    expect(error).toBeInstanceOf(OAuth2Strategy.InternalOAuthError);
    expect(error).toMatchObject({ retryable: true });
    expect((await run(site)).response.body.user).toEqual({ ok: true });
  });

  test('an exception, a rejection or an error of the verify function is passed on', async () => {
    for (const verify of [
      () => {
        throw new Error('thrown');
      },
      async () => Promise.reject(new Error('thrown')),
      (_a: string, _r: string, _p: object, done: (e: unknown) => void) => done(new Error('thrown')),
      async () => new Error('thrown'),
    ]) {
      const site = passportSite(strategyOf(verify as VerifyFunction));
      const { agent } = await run(site);
      expect(site.errors).toEqual([expect.objectContaining({ message: 'thrown' })]);
      expect((await agent.get('/me')).body.user).toBeNull();
    }
  });

  test.each<[string, VerifyFunction]>([
    ['a rejection without an error', async () => Promise.reject()],
    [
      'an exception that is an empty text',
      () => {
        throw '';
      },
    ],
    [
      'an error in the members of info, in a callback of another package',
      (_a, _r, _p, done) => {
        const info = Object.defineProperty({}, 'message', { enumerable: true, get: () => JSON.parse('x') });
        setImmediate(done, null, { id: 1 }, info);
      },
    ],
  ])('%s signs no user in, and the next handler does not run', async (_, verify) => {
    const site = passportSite(strategyOf(verify));
    const { agent } = await run(site);
    expect(site.errors).toHaveLength(1);
    expect((await agent.get('/me')).body.user).toBeNull();
  });
});
