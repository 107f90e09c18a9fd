import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { type AuthenticateCallback, Passport } from 'passport';
import { type AuthenticateOptions, type ClinicianLogin, clinicianLogin, isClinicianError } from '../../lib/index.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { loginOptions, type SiteOptions, sealingSecret } from './site.js';

/** The ways in which a site can sign clinicians in: by the routes of the drop-in, or through Passport. */
export const LOGIN_PATHS = ['drop-in', 'drop-in, Passport session', 'Passport first', 'Passport last'] as const;
export type LoginPath = (typeof LOGIN_PATHS)[number];

/** The ways that run `passport.authenticate('clinician')`: its routes before, or after, `app.use(clinician)`. */
export const PASSPORT_PATHS = ['Passport first', 'Passport last'] as const;

export interface Settings extends SiteOptions {
  /** Options of `passport.authenticate()` at the login route and at the callback. */
  start?: AuthenticateOptions;
  finish?: AuthenticateOptions;
  /** A custom callback of `passport.authenticate()`, for the callback route. */
  custom?: (...args: Parameters<RequestHandler>) => AuthenticateCallback;
  /** False: `passport.serializeUser` is missing. */
  serializes?: boolean;
  /** What `passport.serializeUser` stores. */
  serialized?: (user: never) => unknown;
}

export interface LoginPathSite {
  app: Express;
  clinician: ClinicianLogin;
  sessions: session.MemoryStore;
  /** The errors that reached the error handler of the site. */
  errors: unknown[];
}

/** A site that signs clinicians in by one of the paths, otherwise always the same. */
export function siteOf(provider: MockProvider, path: LoginPath, settings: Settings = {}): LoginPathSite {
  const { start = {}, finish = {}, custom, serializes = true, serialized, ...options } = settings;
  const clinician = clinicianLogin(loginOptions(provider, options));
  const passport = new Passport();
  const sessions = new session.MemoryStore();
  const errors: unknown[] = [];
  if (serializes) passport.serializeUser((user, done) => done(null, serialized ? serialized(user as never) : user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  app.use(
    session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions, ...options.session }),
  );
  if (path !== 'drop-in') app.use(passport.session() as RequestHandler);

  function addPassportRoutes(): void {
    passport.use(clinician.strategy);
    app.get('/auth/login', passport.authenticate('clinician', start));
    app.all('/start', passport.authenticate('clinician', { returnTo: '/me', ...start }));
    if (custom) {
      app.get('/auth/callback', (req, res, next) => {
        passport.authenticate('clinician', finish, custom(req, res, next))(req, res, next);
      });
    } else {
      app.get('/auth/callback', passport.authenticate('clinician', finish), (req, res) => {
        res.set('X-Authenticated', String(req.clinician?.isAuthenticated));
        res.set('X-Info', JSON.stringify(req.authInfo));
        const { account } = req as { account?: unknown };
        if (account) res.set('X-Account', JSON.stringify(account));
        res.redirect(req.authInfo?.returnTo ?? '/');
      });
    }
  }
  if (path === 'Passport first') addPassportRoutes();
  app.use(clinician);
  if (path === 'Passport last') addPassportRoutes();

  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, req.user ?? null]));
  app.get('/me', clinician.requireLogin(), (req, res) => void res.json({ ...req.clinician, user: req.user }));
  app.get('/notes', clinician.requireVerified(), (_req, res) => void res.send('notes'));
  app.get('/email', clinician.requireScope('email'), (_req, res) => void res.send('email'));
  app.get('/profile', async (req, res) => void res.json(await clinician.api(req).profile()));
  app.get('/verification', async (req, res) => void res.json(await clinician.verification(req)));
  app.post('/refresh', async (req, res) => void res.json(await clinician.grant(req).refresh()));
  app.post('/revoke', async (req, res) => void res.json(await clinician.grant(req).revoke()));
  app.post('/passport-logout', (req, res, next) => {
    const keepSessionInfo = req.query.keep !== undefined;
    req.logOut({ keepSessionInfo }, (error) => (error ? next(error) : res.send('done')));
  });
  app.post('/become/:id', (req, res, next) => {
    const user = { id: req.params.id } as Express.User;
    req.logIn(user, { keepSessionInfo: true, session: true }, (error) => (error ? next(error) : res.send('done')));
  });
  app.use(((error, _req, res, _next) => {
    errors.push(error);
    const { status = 500, code } = error;
    res.status(status).json({ code, isOwn: isClinicianError(error) });
  }) as ErrorRequestHandler);
  return { app, clinician, sessions, errors };
}
