import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import supertest from 'supertest';
import { type AuthenticateOptions, ClinicianStrategy, isClinicianError, type VerifyFunction } from '../../lib/index.js';
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

const opaqueToken = expect.stringMatching(/^[\w-]{22,}$/);

describe("passport-oauth2's verify signatures", () => {
  test('(accessToken, refreshToken, profile, done)', async () => {
    const seen: unknown[] = [];
    const verify = (
      accessToken: string,
      refreshToken: string,
      profile: object,
      done: (e: unknown, u: object) => void,
    ) => {
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
    let params: Record<string, unknown> = {};
    const verify = (
      _a: string,
      _r: string,
      tokenResponse: Record<string, unknown>,
      profile: { id: string },
      done: (e: unknown, u: object) => void,
    ) => {
      params = tokenResponse;
      done(null, { id: profile.id });
    };
    await run(passportSite(strategyOf(verify)));
    expect(params).toMatchObject({ token_type: 'bearer', expires_in: 1800 });
    expect(params.id_token).toMatch(/^ey/);
    expect(JSON.stringify(params)).not.toContain('ey');
  });

  test('with passReqToCallback, 5 and 6 arguments', async () => {
    const five = (
      req: { url: string },
      _a: string,
      _r: string,
      profile: { id: string },
      done: (e: unknown, u: object) => void,
    ) => done(null, { at: req.url.split('?')[0], id: profile.id.length });
    const six = (
      req: { url: string },
      _a: string,
      _r: string,
      params: { expires_in: number },
      _p: object,
      done: (e: unknown, u: object) => void,
    ) => done(null, { at: req.url.split('?')[0], lasts: params.expires_in });
    expect((await run(passportSite(strategyOf(five, { passReqToCallback: true })))).response.body.user).toEqual({
      at: '/auth/callback',
      id: 36,
    });
    expect(
      (await run(passportSite(strategyOf(six, { passReqToCallback: true, flow: 'profile' })))).response.body.user,
    ).toEqual({
      at: '/auth/callback',
      lasts: 3600,
    });
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
    const site = passportSite(
      strategyOf(async () => ({ ok: true })),
      { state: 'planted', returnTo: '/cart' },
    );
    const { response, authorize } = await run(site);
    expect(authorize.href).not.toContain('planted');
    expect(response.body.info).toEqual({ state: 'planted', returnTo: '/cart' });
  });

  test.each(['//evil.example/', 'https://evil.example/', 'cart'])(
    'returnTo %p, which is not a path, is /',
    async (returnTo) => {
      const site = passportSite(
        strategyOf(async () => ({ ok: true })),
        { returnTo },
      );
      const { response } = await run(site);
      expect(response.body.info).toEqual({ returnTo: '/' });
    },
  );

  test("Passport's own options and unknown ones are ignored", async () => {
    const others = { session: true, failureRedirect: '/', failureMessage: true, keepSessionInfo: false, realm: 'own' };
    const site = passportSite(
      strategyOf(async () => ({})),
      others,
    );
    await supertest(site.app).get('/auth/login').expect(302);
  });

  test.each([
    ['retrunTo', 'returnTo'],
    ['id_token_hint', 'idTokenHint'],
    ['scopes', 'scope'],
  ])('the misspelled option %s is refused with the name %s', async (misspelled, name) => {
    const site = passportSite(
      strategyOf(async () => ({})),
      { [misspelled]: 'x', session: true, failureMessage: true, keepSessionInfo: false, assignProperty: 'a' },
    );
    await supertest(site.app).get('/auth/login').expect(500);
    const message = `passport-clinician: passport.authenticate() has no option '${misspelled}'. Did you mean '${name}'?`;
    expect(site.errors[0]).toMatchObject({ code: 'option_invalid', message });
  });

  test.each<[option: string, value: unknown, type: string]>([
    ['scope', 7, "must be a string such as 'openid basic', or an array of strings."],
    [
      'prompt',
      'select_account',
      "must be 'none', or one or more of 'login', 'consent' and 'create', separated by spaces.",
    ],
    ['prompt', 'none login', "must be 'none', or one or more of 'login', 'consent' and 'create', separated by spaces."],
    ['display', 'touch', "must be 'page' or 'popup'."],
    ['type', ['verify'], "must be 'verify' or 'login'."],
    ['idTokenHint', {}, 'must be a string.'],
    ['maxAge', '60', 'must be a number of milliseconds, 0 or more.'],
    ['maxAge', -1, 'must be a number of milliseconds, 0 or more.'],
    ['maxAge', Number.NaN, 'must be a number of milliseconds, 0 or more.'],
  ])('an invalid value of the option %s is refused: %j', async (option, value, type) => {
    const site = passportSite(
      strategyOf(async () => ({})),
      { [option]: value },
    );
    await supertest(site.app).get('/auth/login').expect(500);
    const message = `passport-clinician: option '${option}' ${type}`;
    expect(site.errors[0]).toMatchObject({ code: 'option_invalid', option, message });
  });

  test('scope, prompt, display and maxAge are sent, maxAge in whole seconds', async () => {
    const site = passportSite(
      strategyOf(async () => ({})),
      { scope: ['openid'], prompt: 'login  consent', display: 'popup', maxAge: 90_999 },
    );
    const { authorize } = await run(site);
    expect(Object.fromEntries(authorize.searchParams)).toMatchObject({
      scope: 'openid',
      prompt: 'login consent',
      display: 'popup',
      max_age: '90',
    });
  });

  test('maxAge is sent again after the verify function has refused to replace the user who is signed in', async () => {
    const verify = async (req: { user?: { id: string } }, _access: string, _refresh: string, { id }: { id: string }) =>
      req.user === undefined || req.user.id === id ? { id } : false;
    const strategy = strategyOf(verify as VerifyFunction, { passReqToCallback: true });
    const { agent, response, authorize } = await run(passportSite(strategy, { maxAge: 600_000 }));
    const { user } = response.body;
    for (const as of ['connected', 'pending']) {
      const { headers } = await agent.get('/auth/login').expect(302);
      const request = new URL(headers.location as string).searchParams;
      expect([request.get('max_age'), request.get('scope')]).toEqual(['600', authorize.searchParams.get('scope')]);
      const callback = new URL(await provider.signIn(headers.location as string, { as }));
      await agent.get(callback.pathname + callback.search).expect(401);
      expect((await agent.get('/me')).body.user).toEqual(user);
    }
  });

  test('idTokenHint is sent', async () => {
    const site = passportSite(
      strategyOf(async () => ({})),
      { idTokenHint: 'a.b.c' },
    );
    const { headers } = await supertest(site.app).get('/auth/login').expect(302);
    expect(new URL(headers.location as string).searchParams.get('id_token_hint')).toBe('a.b.c');
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
  test('a denial by the user calls fail() with the text of the page, which has no description from the service', async () => {
    const site = passportSite(strategyOf(async () => ({})));
    const { response, agent } = await run(site, { as: 'verified', deny: true });
    expect(response.status).toBe(401);
    expect(response.body.messages).toEqual([expect.stringContaining('did not allow this site to sign you in')]);
    expect((await agent.get('/me')).body.user).toBeNull();
  });

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

  test('a callback without a login attempt calls fail() with 403', async () => {
    const site = passportSite(strategyOf(async () => ({})));
    const response = await supertest(site.app).get('/auth/callback?code=x&state=y');
    expect(response.status).toBe(403);
  });

  test('an error response of the authorization endpoint is an AuthorizationError', async () => {
    const site = passportSite(
      strategyOf(async () => ({})),
      { prompt: 'none' },
    );
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
    expect(strategyOf(async () => ({}))).toBeInstanceOf(OAuth2Strategy);
    expect(tokenErrorAtLoad).toBe(OAuth2Strategy.TokenError);
  });

  test('an error response of the token endpoint is a TokenError', async () => {
    const site = passportSite(strategyOf(async () => ({}), { clientSecret: 'planted-wrong-secret' }));
    const { response } = await run(site);
    const [error] = site.errors as [InstanceType<typeof OAuth2Strategy.TokenError>];
    expect(error).toBeInstanceOf(OAuth2Strategy.TokenError);
    expect(error).toMatchObject({
      code: 'invalid_client',
      remedy: 'fix_code',
      status: 500,
      statusCode: 500,
      message: expect.stringContaining("'clientSecret'"),
    });
    expect(response.text).not.toContain('planted');
  });

  test('an unreachable service is a retryable InternalOAuthError, and the next login works', async () => {
    const strategy = strategyOf(async () => ({ ok: true }), {
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
