import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import cookieSession from 'cookie-session';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { clinicianLogin, isClinicianError } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { root } from '../architecture/imports.js';
import { freePort } from '../helpers/free-port.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers/warnings.js';
import { expectCapturedOutput } from '../integration/capture-output.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret, siteFor } from '../integration/site.js';

const sessions = (options: Partial<session.SessionOptions> = {}): RequestHandler =>
  session({ secret: sealingSecret, resave: false, saveUninitialized: false, ...options });

/** @returns the code of the error that a function throws. */
async function codeOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
  } catch (error) {
    return isClinicianError(error) ? error.code : String(error);
  }
  return undefined;
}

const sendCode: ErrorRequestHandler = ({ code }, _req, res, _next) => void res.status(500).json({ code });

/** @returns the code that the response to a script has. */
async function codeAt(app: Express, path: string): Promise<string> {
  const { body } = await supertest(app).get(path);
  return (body as { code: string }).code;
}

/** Signs in at a site with other options. @returns the code of the failure */
async function codeOfSignIn(options: SiteOptions): Promise<string> {
  const { app } = siteFor(provider, options);
  const { body } = await signIn(supertest.agent(app), provider, { as: 'verified' });
  return (body as { code: string }).code;
}

const REPRODUCED: Readonly<Record<string, () => Promise<void>>> = {
  'An error names an option': async () => {
    expect(await codeOf(() => clinicianLogin({ ...loginOptions(provider), clientId: 'a' } as never))).toBe(
      'option_invalid',
    );
  },
  'A secret is refused': async () => {
    expect(await codeOf(() => siteFor(provider, { secret: 'short' }))).toBe('option_invalid');
  },
  'A scope is not requested': async () => {
    const { clinician } = siteFor(provider, { scope: 'openid' });
    expect(await codeOf(() => clinician.requireVerified())).toBe('scope_not_requested');
  },
  'Requests fail with `session_missing`': async () => {
    const app = express().use(clinicianLogin(loginOptions(provider)), sessions());
    expect(await codeAt(app, '/auth/login')).toBe('session_missing');
    const other = express().use(cookieSession({ secret: sealingSecret }), clinicianLogin(loginOptions(provider)));
    expect(await codeAt(other.use(sendCode), '/auth/login')).toBe('session_missing');
  },
  'A guarded route fails with `argument_invalid`': async () => {
    const { app, clinician } = siteFor(provider);
    app.get('/wrong', clinician.requireLogin as unknown as RequestHandler);
    app.use(clinician.errorHandler());
    expect(await codeAt(app, '/wrong')).toBe('argument_invalid');
  },
  'After the sign-in, the page still shows the button, or `req.clinician` is undefined': async () => {
    const clinician = clinicianLogin(loginOptions(provider));
    const show: RequestHandler = ({ user, clinician }, res) => void res.json([typeof user, typeof clinician]);
    const mistakes = [
      express().use(sessions()).get('/home', show).use(clinician),
      express().use(sessions()).use('/auth', clinician).get('/home', show),
      express().use(sessions(), clinician).get('/home', show), // the fix
    ];
    const shown = mistakes.map(async (app) => {
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      return (await agent.get('/home')).body as unknown;
    });
    const signedOut = ['undefined', 'undefined'];
    expect(await Promise.all(shown)).toEqual([signedOut, signedOut, ['object', 'object']]);
  },
  'Behind a guard, `req.user` is undefined on a site with Passport': async () => {
    const shown = [false, true].map(async (isRestored) => {
      const clinician = clinicianLogin(loginOptions(provider));
      const passport = new Passport().use(clinician.strategy);
      passport.serializeUser((user, done) => done(null, user));
      passport.deserializeUser((user: object, done) => done(null, user as Express.User));
      const app = express().use(sessions());
      if (isRestored) app.use(passport.session()); // the fix
      app.get('/auth/login', passport.authenticate('clinician'));
      app.get('/auth/callback', passport.authenticate('clinician', { successRedirect: '/me' })).use(clinician);
      app.get('/me', clinician.requireLogin(), (req, res) => void res.send(typeof req.user));
      return (await signIn(supertest.agent(app), provider, { as: 'verified' })).text;
    });
    expect(await Promise.all(shown)).toEqual(['undefined', 'object']);
  },
  'Requests fail with `mount_path_conflict`': async () => {
    const app = express().use(sessions());
    app.use('/sign-in', clinicianLogin(loginOptions(provider)));
    expect(await codeAt(app.use(sendCode), '/sign-in/auth/login')).toBe('mount_path_conflict');
  },
  'The sign-in ends at `Cannot GET /auth/login`': async () => {
    const app = express().use(sessions());
    const clinician = clinicianLogin(loginOptions(provider));
    app.get('/me', clinician.requireLogin());
    app.use(clinician.errorHandler());
    const printed = await printedBy(() => supertest(app).get('/me').set(navigation).expect(302));
    expect(printed.join()).toContain('[middleware_missing]');
  },
  'The sign-in ends with `transaction_missing`': async () => {
    const { app } = siteFor(provider);
    const { headers } = await supertest(app).get('/auth/login').expect(302);
    const callback = new URL(await provider.signIn(String(headers.location), { as: 'verified' }));
    expect(await codeAt(app, callback.pathname + callback.search)).toBe('transaction_missing');
  },
  'The browser cannot connect after the sign-in': async () => {
    const callbackURL = `http://127.0.0.1:${await freePort()}/auth/callback`;
    const { headers } = await supertest(siteFor(provider, { callbackURL }).app).get('/auth/login').expect(302);
    await expect(fetch(await provider.signIn(String(headers.location), { as: 'verified' }))).rejects.toThrow();
  },
  'The service refuses the redirect URI': async () => {
    const redirectURIs = ['http://127.0.0.1:3000/auth/callback/'];
    const { clientID, clientSecret } = provider.registerClient({ flow: 'openid', redirectURIs });
    const { app } = siteFor(provider, { clientID, clientSecret, scope: 'openid' });
    const { headers } = await supertest(app).get('/auth/login').expect(302);
    await fetch(String(headers.location));
    expect(provider.problems.map(({ rule }) => rule)).toEqual(['redirect-uri-exact-match']);
  },
  'The sign-in fails with `invalid_client`': async () => {
    expect(await codeOfSignIn({ clientSecret: 'another-secret' })).toBe('invalid_client');
  },
  'The sign-in fails with `issuer_mismatch`': async () => {
    const { app } = siteFor(provider, { issuer: provider.issuer.replace('127.0.0.1', 'localhost') });
    expect(await codeAt(app, '/auth/login')).toBe('issuer_mismatch');
  },
  'The sign-in fails with `service_unreachable`': async () => {
    const { app } = siteFor(provider, { issuer: `http://127.0.0.1:${await freePort()}` });
    expect(await codeAt(app, '/auth/login')).toBe('service_unreachable');
  },
  'The sign-in fails with `id_token_invalid` or `id_token_expired`': async () => {
    provider.clock.advance('1 day');
    expect(await codeOfSignIn({})).toBe('id_token_invalid');
  },
  'The user is signed out right after the sign-in': async () => {
    const agent = supertest.agent(siteFor(provider, { session: { cookie: { secure: true } } }).app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/auth/login').set(navigation).expect(500)).text).toContain('session_not_saved');
  },
  'The sign-in fails with `user_invalid`': async () => {
    expect(await codeOfSignIn({ onSignIn: () => undefined as never })).toBe('user_invalid');
  },
  'Users cannot finish a sign-in after a deployment': async () => {
    const [before, after] = [siteFor(provider), siteFor(provider, { secret: `${sealingSecret}, after` })];
    const { headers } = await supertest(before.app).get('/auth/login').expect(302);
    const callback = new URL(await provider.signIn(String(headers.location), { as: 'verified' }));
    const cookies = (headers['set-cookie'] as unknown as string[]).map((cookie) => cookie.split(';')[0]).join('; ');
    const { body } = await supertest(after.app)
      .get(callback.pathname + callback.search)
      .set('Cookie', cookies);
    expect(body).toMatchObject({ code: 'transaction_secret_unknown' });
  },
  'A cart, or other data in the session, is gone after the sign-in': async () => {
    const cartAfter = async (options: SiteOptions) => {
      const { app } = siteFor(provider, options);
      app.get('/add', (req, res) => void res.json(Object.assign(req.session, { cart: ['book'] })));
      app.get('/cart', (req, res) => void res.json(Reflect.get(req.session, 'cart') ?? 'none'));
      const agent = supertest.agent(app);
      await agent.get('/add').expect(200);
      await signIn(agent, provider, { as: 'verified' });
      return (await agent.get('/cart')).body as unknown;
    };
    expect(await cartAfter({})).toBe('none');
    const carriesCart: SiteOptions = {
      onSignIn({ identity, previousSession, carryOver }) {
        carryOver({ cart: Reflect.get(previousSession, 'cart') });
        return { id: identity.id };
      },
    };
    expect(await cartAfter(carriesCart)).toEqual(['book']);
  },
  'Users are signed out at each restart, or by another process': async () => {
    const ended: unknown[] = [];
    const shared: SiteOptions = { session: { store: new session.MemoryStore() } };
    let { app } = siteFor(provider, shared);
    const agent = supertest.agent((req: IncomingMessage, res: ServerResponse) => app(req as never, res as never));
    await signIn(agent, provider, { as: 'verified' });
    ({ app } = siteFor(provider, { ...shared, onEvent: (event) => void ended.push(event.code) }));
    await agent.get('/me').expect(401);
    expect(ended).toContain('tokens_in_memory');
  },
  '`verified` is always false': async () => {
    const { app } = siteFor(provider, { scope: 'openid' });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get('/me').expect(200);
    expect(body).toMatchObject({ verified: false, verification: 'unknown' });
  },
  'A script gets 401 in place of the sign-in page': async () => {
    expect(await codeAt(siteFor(provider).app, '/me')).toBe('sign_in_required');
  },
  'Sign-out fails with `cross_site_request`': async () => {
    const request = supertest(siteFor(provider).app).post('/auth/logout').set('Sec-Fetch-Site', 'cross-site');
    expect((await request.expect(403)).body).toMatchObject({ code: 'cross_site_request' });
  },
  '`signIn()` refuses the application': async () => {
    const { app } = siteFor(provider);
    await expect(signIn(app as never, provider, { as: 'verified' })).rejects.toThrow('request.agent(app)');
  },
};

test.each(Object.entries(REPRODUCED))('%s', async (_symptom, reproduce) => {
  expectCapturedOutput();
  await reproduce();
});

test('docs/start/troubleshooting.md describes each of these mistakes, and no other', () => {
  const page = readFileSync(join(root, 'docs', 'start', 'troubleshooting.md'), 'utf8');
  expect([...page.matchAll(/^### (.+)$/gm)].map(([, symptom]) => symptom)).toEqual(Object.keys(REPRODUCED));
});
