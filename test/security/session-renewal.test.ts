import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import { type AuthenticateOptions, Passport } from 'passport';
import passport05 from 'passport-0.5';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

interface Setup {
  Passport?: typeof Passport;
  genid?: () => string;
  /** After `passport.session()`. */
  prepare?: RequestHandler;
  authenticate?: AuthenticateOptions & { keepSessionInfo?: boolean };
}

type Done = () => void;
type LogIn = (user: { id: string }, ...args: (object | Done)[]) => void;

/** Stores the user in a place of the site's own, in the same session. */
function storeIn(req: Request, { id }: { id: string }, done: Done): void {
  Object.assign(req.session, { account: id });
  Object.assign(req, { user: { id } });
  req.session.save(done);
}

const ownLogIn: RequestHandler = (req, _res, next) => {
  const logIn: LogIn = (user, ...args) => storeIn(req, user, args.at(-1) as Done);
  Object.assign(req, { logIn, login: logIn });
  next();
};
const ownSessionManager: RequestHandler = (req, _res, next) => {
  const manager = { logIn: (_req: Request, user: { id: string }, _: object, done: Done) => storeIn(req, user, done) };
  // `passport.authenticate()` sets that of its Passport again.
  Object.defineProperty(req, '_sessionManager', { get: () => manager, set: () => undefined });
  next();
};
const withoutRegenerate: RequestHandler = (req, _res, next) => {
  req.session.regenerate = (done) => {
    done(undefined);
    return req.session;
  };
  next();
};

const NOT_RENEWED: [string, Setup][] = [
  ['Passport 0.5', { Passport: passport05.Passport as unknown as typeof Passport }],
  [
    'keepSessionInfo',
    { Passport: passport05.Passport as unknown as typeof Passport, authenticate: { keepSessionInfo: true } },
  ],
  ['its own req.logIn()', { prepare: ownLogIn }],
  ['its own session manager', { prepare: ownSessionManager }],
  ['a session whose regenerate() does nothing', { prepare: withoutRegenerate }],
  ['a genid() that repeats the id', { genid: () => 'the-same-id' }],
];
const KINDS = ['drop-in', 'drop-in, Passport session', 'clinician.strategy', 'ClinicianStrategy'];

/** A site that signs clinicians in by one of the kinds. */
function siteOf(kind: string, { Passport: Own = Passport, genid, prepare, authenticate = {} }: Setup) {
  const passport = new Own();
  const tokenStore = new MemoryTokenStore();
  const sessions = new session.MemoryStore();
  const app = express();
  const settings = { secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions };
  app.use(session({ ...settings, ...(genid && { genid }) }));
  app.get('/cart', (req, res) => void res.send(Object.assign(req.session, { cart: 7 }) && 'saved'));
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  if (kind !== 'drop-in') app.use(passport.session() as RequestHandler);
  if (prepare) app.use(prepare);
  if (kind.startsWith('drop-in') || kind === 'clinician.strategy') {
    const clinician = clinicianLogin({ ...loginOptions(provider), tokenStore });
    if (kind === 'clinician.strategy') passport.use(clinician.strategy);
    else app.use(clinician);
  } else {
    passport.use(new ClinicianStrategy(loginOptions(provider), async () => ({ id: 'ada' })));
  }
  app.get('/auth/login', (req, res, next) => passport.authenticate('clinician', authenticate)(req, res, next));
  app.get('/auth/callback', (req, res, next) => passport.authenticate('clinician', authenticate)(req, res, next));
  app.get(['/', '/auth/callback'], (req, res) => {
    res.json({
      user: req.user !== undefined,
      login: 'clinician' in req.session,
      account: Object(req.session).account,
    });
  });
  app.use(((error, req, res, _next) => {
    res.status(500).json({ code: error.code, message: error.message, user: req.user, session: req.session });
  }) as ErrorRequestHandler);
  return { app, tokenStore, sessions };
}

/** Signs in, in a session whose id another browser knows. */
async function signInAt(kind: string, setup: Setup) {
  const site = siteOf(kind, setup);
  const agent = supertest.agent(site.app);
  const known = (await agent.get('/cart')).headers['set-cookie']?.[0]?.split(';')[0] as string;
  const response = await signIn(agent, provider, { as: 'verified' });
  const other = (await supertest(site.app).get('/').set('Cookie', known)).body;
  return { ...site, response, other, own: (await agent.get('/')).body };
}

const signedOut = { user: false, login: false };
const cases = KINDS.flatMap((kind) => NOT_RENEWED.map(([name, setup]) => ({ kind, name, setup })))
  // Without Passport, only the session itself can prevent a new id.
  .filter(({ kind, name }) => kind !== 'drop-in' || name.startsWith('a '));

describe('a sign-in that leaves the session its id, which another browser may know', () => {
  test.each(cases)('signs no user in, by: $kind, on a site with: $name', async ({ kind, setup }) => {
    await printedBy(async () => {
      const { response, own, other, tokenStore, sessions } = await signInAt(kind, setup);
      expect(response.status).toBe(500);
      expect(response.body.code).toBe('session_missing');
      if (!kind.startsWith('drop-in')) expect(response.body.message).toContain('Install Passport 0.7');
      expect([own, other]).toEqual([signedOut, signedOut]);
      expect(JSON.stringify(sessions)).not.toMatch(/grantID|account|passport/);
      const revoked = provider.requests.filter(({ path }) => path === '/oauth/revoke');
      expect([revoked.length, tokenStore.size]).toEqual([1, 0]);
    });
  });

  test.each(KINDS.slice(1))(
    'signs in with the data of the session and a new id, by: %s, keepSessionInfo',
    async (kind) => {
      const { response, own, other } = await signInAt(kind, { authenticate: { keepSessionInfo: true } });
      expect(response.status).toBe(200);
      expect([own.user, other]).toEqual([true, signedOut]);
    },
  );
});
