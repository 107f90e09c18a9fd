import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { type ClinicianEvent, ClinicianStrategy, type VerifyFunction } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

/** Signs in through a strategy. @returns the response to the callback, and the errors of the site. */
async function signInWith(strategy: ClinicianStrategy) {
  const passport = new Passport();
  const errors: unknown[] = [];
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician'), (req, res) => void res.json(req.user));
  app.use(((error, _req, res, _next) => {
    errors.push(error);
    res.status(500).end();
  }) as ErrorRequestHandler);
  const agent = supertest.agent(app);
  const { headers } = await agent.get('/auth/login').expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
  return { response: await agent.get(back.pathname + back.search), errors };
}

describe('a user id of the verify function that is the same text for every user', () => {
  test.each([{ id: { oid: 1 } }, { id: undefined }, { id: null }, { id: '' }, { id: [] }, { id: true }])(
    'is refused, and its tokens are revoked: %j',
    async (user) => {
      const { errors } = await signInWith(new ClinicianStrategy(loginOptions(provider), async () => user));
      expect(errors).toEqual([expect.objectContaining({ code: 'user_invalid' })]);
      expect(revocations()).toBe(1);
    },
  );

  test('is refused where an overridden userProfile gives no id in the profile flow', async () => {
    class Own extends ClinicianStrategy {
      override userProfile(_accessToken: string, done: (error?: unknown, profile?: unknown) => void) {
        done(null, {});
      }
    }
    const strategy = new Own(loginOptions(provider, { flow: 'profile' }), async () => ({ name: 'x' }));
    const { errors } = await signInWith(strategy);
    expect(errors).toEqual([expect.objectContaining({ code: 'user_invalid' })]);
  });

  test.each(['openid', 'profile'] as const)(
    'is the id of the service where the user has none, in the %s flow',
    async (flow) => {
      const signedIn: unknown[] = [];
      const onEvent = ({ name, userID }: ClinicianEvent) => void (name === 'signed_in' && signedIn.push(userID));
      const verify: VerifyFunction = async () => 'a user that is no object';
      await signInWith(new ClinicianStrategy(loginOptions(provider, { flow, onEvent }), verify));
      const { sub, id } = provider.clinicians.get('verified');
      expect(signedIn).toEqual([flow === 'openid' ? sub : String(id)]);
    },
  );
});

describe('a verify function of passport-openidconnect, which would create one user without an id for everyone', () => {
  const create = (parameters: string, passReqToCallback = false) => {
    const verify = new Function(
      `return ${parameters.startsWith('function') ? `${parameters} {}` : `${parameters} => ({ id: 7 })`}`,
    )() as VerifyFunction;
    return () => new ClinicianStrategy({ ...loginOptions(provider), passReqToCallback }, verify);
  };
  /** Those of its lib/strategy.js. */
  const SIGNATURES = [
    'issuer, profile, cb',
    'issuer, profile, context, idToken, cb',
    'issuer, uiProfile, idProfile, context, idToken, accessToken, refreshToken, params, cb',
  ];
  const refused = expect.objectContaining({
    code: 'argument_invalid',
    message: expect.stringContaining('(accessToken, refreshToken, profile, done)'),
  });

  test.each(SIGNATURES)('is refused when the site starts: (%s)', (signature) => {
    expect(create(`(${signature})`)).toThrow(refused);
    expect(create(`async (req, ${signature})`, true)).toThrow(refused);
  });

  test.each([
    '(_issuer, { id }, _context, done)',
    '(profile, done)',
    'function (_op, { name }, done)',
    '(issuer, ...others)',
    'async (/** @type {string} */ issuer, // the service\n profile)',
  ])('is refused with other names: %s', (parameters) => {
    expect(create(parameters)).toThrow(refused);
  });

  test('signs no user in if its names do not show it: a token takes the place of the profile', async () => {
    const verify: VerifyFunction = (_i, p, _c, done) => done(null, { id: p.id });
    const { response, errors } = await signInWith(new ClinicianStrategy(loginOptions(provider), verify));
    expect(response.status).toBe(500);
    const message = expect.stringContaining('the verify function (accessToken, refreshToken, profile, done)');
    expect(errors).toEqual([expect.objectContaining({ code: 'user_invalid', message })]);
  });

  test.each([
    ['(accessToken, refreshToken, profile, done)', false],
    ['(accessToken, refreshToken, params, profile, done)', false],
    ['(...args)', false],
    ['({ session, profile }, accessToken, refreshToken, { id }, done)', true],
    ['(req, accessToken, refreshToken, profile, done)', true],
  ])('is not confused with one of this package: %s', (parameters, passReqToCallback) => {
    expect(create(parameters, passReqToCallback)).not.toThrow();
  });
});

describe('a UserInfo response of another user (OIDC Core section 5.3.2)', () => {
  /** Reads the UserInfo endpoint, and compares the subjects as the documentation requires. */
  class WithUserInfo extends ClinicianStrategy {
    override userProfile(
      accessToken: string,
      done: (error?: unknown, profile?: unknown) => void,
      subject?: string | undefined,
    ) {
      void provider
        .fetch(`${provider.issuer}/oauth/userinfo`, { headers: { Authorization: `Bearer ${accessToken}` } })
        .then((response) => response.json() as Promise<{ sub?: unknown }>)
        .then((claims) =>
          claims.sub === subject ? done(null, { id: claims.sub }) : done(new Error('the UserInfo is of another user')),
        );
    }
  }
  const strategy = () =>
    new WithUserInfo(loginOptions(provider), async (_a: string, _r: string, { id }: { id: string }) => ({ id }));

  test('can be refused by an overridden userProfile, which receives the sub of the ID Token', async () => {
    provider.faults.next('userinfoWrongSubject');
    const { errors } = await signInWith(strategy());
    expect(errors).toEqual([expect.objectContaining({ message: 'the UserInfo is of another user' })]);
    const { response } = await signInWith(strategy());
    expect(response.body).toEqual({ id: provider.clinicians.get('verified').sub });
  });
});
