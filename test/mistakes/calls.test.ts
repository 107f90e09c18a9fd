import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin, deny, isClinicianError, Strategy } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, siteFor } from '../integration/site.js';

/** The functions are called as JavaScript can call them. */
// biome-ignore lint/suspicious/noExplicitAny: wrong arguments of every type
type AnyFunction = (...args: any[]) => any;

const showError: ErrorRequestHandler = (error: { code?: string; message: string }, _req, res, _next) =>
  void res.status(500).json([error.code, error.message]);

const NOT_CALLED = [
  ['requireLogin', 'Write requireLogin().'],
  ['requireRecentLogin', 'Write requireRecentLogin().'],
  ['requireVerified', 'Write requireVerified().'],
  ['requireProfile', 'Write requireProfile((profile) => ...).'],
  ['requireScope', "Write requireScope('email')."],
  ['requireSameOrigin', 'Write requireSameOrigin().'],
  ['signInSilently', 'Write signInSilently().'],
  ['helmet', 'Write helmet(clinician.helmet()).'],
] as const;

test.each([
  ['the request of Fastify', { headers: {}, raw: new IncomingMessage(new Socket()) }],
  ['the context of Koa', { headers: {}, req: new IncomingMessage(new Socket()) }],
  ['a web Request, as c.req.raw of Hono', new Request('http://127.0.0.1')],
])('%s in place of the request of Node is refused with a message that names the right one', (_, request) => {
  const { clinician } = siteFor(provider);
  const wrapped = request as never;
  for (const member of ['user', 'api', 'grant'] as const) {
    expect(() => clinician[member](wrapped)).toThrow(/request\.raw.*Fastify.*ctx\.req.*Koa/);
  }
  const next = jest.fn();
  clinician.requireVerified()(wrapped, {} as never, next);
  expect(next).toHaveBeenCalledWith(expect.objectContaining({ code: 'argument_invalid' }));
});

test('a guard that another framework calls with its own arguments, or as a class, throws that message', () => {
  const guard = siteFor(provider).clinician.requireVerified() as AnyFunction;
  for (const call of [
    () => guard(new Request('http://127.0.0.1'), () => undefined),
    () => Reflect.construct(guard, []),
  ])
    expect(call).toThrow(/requireVerified\(\) needs the request of Node/);
});

describe('a function that returns middleware, passed to Express without being called', () => {
  test.each(NOT_CALLED)('%s fails the request, and names the right call', async (name, fix) => {
    const { app, clinician } = siteFor(provider);
    const handler = clinician[name] as unknown as RequestHandler;
    app.get('/wrong', handler, (_req, res) => void res.send('reached'));
    app.use(showError);
    const message = `passport-clinician: ${name} was passed to Express without being called. ${fix}`;
    for (const headers of [{}, navigation]) {
      const { body } = await supertest(app).get('/wrong').set(headers).expect(500);
      expect(body).toEqual(['argument_invalid', message]);
    }
  });

  test('is in this table, if it is a guard', () => {
    const guards = Object.keys(siteFor(provider).clinician).filter((name) => name.startsWith('require'));
    expect(guards.length).toBeGreaterThan(4);
    expect(NOT_CALLED.map(([name]) => name)).toEqual(expect.arrayContaining(guards));
  });

  test('clinicianLogin fails the request', async () => {
    const app = express();
    app.use(clinicianLogin as unknown as RequestHandler);
    app.use(showError);
    const { body } = await supertest(app).get('/').expect(500);
    expect(body).toEqual([
      'option_invalid',
      'passport-clinician: the options must be an object, not a request. Call this function with its options, and pass the result to Express.',
    ]);
  });

  test('without next() it throws', () => {
    const { clinician } = siteFor(provider);
    const request = Object.create(express.request, {});
    const call = clinician.requireLogin as AnyFunction;
    expect(() => call(request, {})).toThrow(expect.objectContaining({ code: 'argument_invalid' }));
  });

  test('login is the handler of a route itself', async () => {
    const { app, clinician } = siteFor(provider);
    app.get('/in', clinician.login as AnyFunction);
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/in').expect(302);
    expect(headers.location).toContain(`${provider.issuer}/oauth/authorize`);
    await signIn(agent, provider, { as: 'verified', loginPath: '/in' });
    await agent.get('/').expect(200, 'in');
  });
});

test.each([...NOT_CALLED.map(([name]) => name), 'errorHandler'] as const)(
  'if (clinician.%s()) in a handler fails, because a function is true for every user',
  async (name) => {
    const { app, clinician } = siteFor(provider);
    const handler = (condition: unknown, res: Response) => void res.send(condition ? 'for users' : 'for all');
    app.get('/wrong', (_req, res) => handler((clinician[name] as AnyFunction)('email'), res));
    app.use(showError);
    const { body } = await supertest(app).get('/wrong').expect(500);
    expect(body).toEqual(['argument_invalid', expect.stringContaining(`${name}() was called in a handler. `)]);
    expect(clinician.requireLogin()).toBeInstanceOf(Function);
  },
);

describe('the first words of a site', () => {
  const verify = () => undefined;

  test('Passport finds the strategy under its usual name', () => {
    expect(Strategy).toBe(ClinicianStrategy);
  });

  test.each<[string, () => unknown, fix: string]>([
    ['passport.use(clinician)', () => siteFor(provider).clinician, 'clinician.strategy'],
    ['passport.use(clinicianLogin)', () => clinicianLogin, 'clinicianLogin(options).strategy'],
    ['passport.use(ClinicianStrategy)', () => ClinicianStrategy, 'new ClinicianStrategy(options'],
  ])('%s fails the sign-in, and names what to pass', async (_call, value, fix) => {
    const own = new Passport();
    own.use(value() as never);
    const app = express().get('/in', own.authenticate('clinician')).use(showError);
    const { body } = await supertest(app).get('/in').expect(500);
    expect(body).toEqual(['argument_invalid', expect.stringContaining(`Write passport.use(${fix}`)]);
  });

  test.each<[string, () => unknown, fix: string]>([
    ['clinician()', () => (siteFor(provider).clinician as AnyFunction)(), 'Write app.use(clinician).'],
    [
      'clinicianLogin(options, verify)',
      () => (clinicianLogin as AnyFunction)(loginOptions(provider), verify),
      'Pass option onSignIn, or write new ClinicianStrategy(options, verify).',
    ],
    [
      'new clinicianLogin(options, verify)',
      () => Reflect.construct(clinicianLogin, [loginOptions(provider), verify]),
      'Pass option onSignIn, or write new ClinicianStrategy(options, verify).',
    ],
  ])('%s throws', async (_call, run, fix) => {
    const error = await errorOf(run);
    expect(error.code).toBe('argument_invalid');
    expect(error.message).toContain(fix);
  });
});

/** @returns what the function throws, or rejects with. */
async function errorOf(run: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await run();
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    expect(error.remedy).toBe('fix_code');
    return error;
  }
  throw new Error('the call was accepted');
}

const needsRequest = 'needs the request of Node as its first argument';
const needsUserID = "needs the site's own id of the user, a string or a number, not";
const needsLogin = "needs the id of a login, a string: 'req.clinician.grantID' of a signed-in clinician.";
const needsToken = 'needs a token, a string that is not empty.';
const needsScope = "needs one scope, a string: requireScope('email'). For several scopes, use it several times.";
const needsCondition =
  "needs a function that receives the profile: requireProfile((profile) => profile.specialty === 'Cardiology').";

/** Each function with the arguments that it refuses, and what it says. */
test.each<[string, (site: Record<string, AnyFunction>) => unknown, values: unknown[], message: string]>([
  ['api(req)', ({ api }) => api, [undefined, null, 1, 'req', {}], needsRequest],
  ['grant(req)', ({ grant }) => grant, [undefined, {}], needsRequest],
  ['verification(req)', ({ verification }) => verification, [undefined, {}], needsRequest],
  ['login(req, res)', ({ login }) => login, [undefined, {}], needsRequest],
  ['logout(req, res)', ({ logout }) => logout, [undefined, {}], needsRequest],
  ['forget()', ({ forget }) => forget, [undefined, null, '', Number.NaN, { id: '1' }, true, Symbol('id')], needsUserID],
  ['grantOf()', ({ grantOf }) => grantOf, [undefined, null, '', 5, {}], needsLogin],
  ['requireScope()', ({ requireScope }) => requireScope, [undefined, 1, null, '', ['email']], needsScope],
  ['requireProfile()', ({ requireProfile }) => requireProfile, [undefined, 1, 'Cardiology', {}], needsCondition],
  ['strategy.refresh()', ({ strategy }) => Object(strategy).refresh.bind(strategy), [undefined, ''], needsToken],
  ['strategy.revoke()', ({ strategy }) => Object(strategy).revoke.bind(strategy), [{ token: 'a' }], needsToken],
  ['deny()', () => deny, [undefined], 'needs the reason, a string that is shown to the user.'],
])('%s refuses a wrong argument', async (call, find, values, message) => {
  const called = find(siteFor(provider).clinician as never) as AnyFunction;
  for (const value of values) {
    const error = await errorOf(() => called(value));
    expect(error.code).toBe('argument_invalid');
    expect(error.message).toContain(`passport-clinician: ${call} ${message}`);
  }
});

test.each([
  [{}, "'idToken' is missing"],
  [{ idToken: 'a.b.c' }, "'postLogoutRedirectURI' is missing"],
  [{ idToken: 5, postLogoutRedirectURI: 'https://app.example/bye' }, "'idToken' must be a string"],
])('strategy.endSessionURL(%j) is refused', async (options, message) => {
  const { strategy } = siteFor(provider).clinician;
  const error = await errorOf(() => (strategy.endSessionURL as AnyFunction).call(strategy, options));
  expect([error.code, error.message]).toEqual(['option_invalid', expect.stringContaining(message)]);
});
