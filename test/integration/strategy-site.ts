import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { ClinicianStrategy, isClinicianError, type PassportProfile } from '../../lib/index.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { LOGIN_PATHS, type LoginPath, type LoginPathSite, type Settings, siteOf } from './login-paths.js';
import { loginOptions, sealingSecret } from './site.js';

/** Every way in which a site can sign clinicians in: those of the drop-in, and the strategy without it. */
export const ALL_LOGIN_PATHS: readonly (LoginPath | 'strategy')[] = [...LOGIN_PATHS, 'strategy'];

export type StrategySite = Omit<LoginPathSite, 'clinician'>;

/** A site that has only Passport, with the routes of `siteOf()` that it can have. */
export function strategySite(
  provider: MockProvider,
  { start = {}, finish = {}, custom, onSignIn, session: sessionOptions, tokenStore: _, ...options }: Settings = {},
): StrategySite {
  const strategy = new ClinicianStrategy(
    loginOptions(provider, options),
    async (_accessToken: string, _refreshToken: string, profile: PassportProfile) => {
      const user = onSignIn ? ((await onSignIn({ profile } as never)) as object) : { id: profile.id };
      return 'denied' in user ? false : user;
    },
  );
  const passport = new Passport();
  const sessions = new session.MemoryStore();
  const errors: unknown[] = [];
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app: Express = express();
  const settings = { secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions };
  app.use(session({ ...settings, ...sessionOptions }));
  app.use(passport.session());
  app.get('/auth/login', (req, res, next) => {
    const { returnTo } = req.query as { returnTo?: string };
    passport.authenticate('clinician', { returnTo, ...start })(req, res, next);
  });
  app.all('/start', passport.authenticate('clinician', { returnTo: '/me', ...start }));
  app.get('/auth/callback', (req, res, next) => {
    const handler = custom
      ? passport.authenticate('clinician', finish, custom(req, res, next))
      : passport.authenticate('clinician', finish);
    handler(req, res, next);
  });
  app.get('/auth/callback', (req, res) => {
    const { account } = req as { account?: unknown };
    if (account) res.set('X-Account', JSON.stringify(account));
    res.redirect(req.authInfo?.returnTo ?? '/');
  });
  app.get('/', (req, res) => void res.json([req.user !== undefined, req.user ?? null]));
  app.get('/me', (req, res) => void res.status(req.user ? 200 : 401).json({ isAuthenticated: req.isAuthenticated() }));
  app.post(['/auth/logout', '/passport-logout'], (req, res, next) =>
    req.logOut((error) => (error ? next(error) : res.send('done'))),
  );
  app.use(((error, _req, res, _next) => {
    errors.push(error);
    const { status = 500, code } = error;
    res.status(status).json({ code, isOwn: isClinicianError(error) });
  }) as ErrorRequestHandler);
  return { app, sessions, errors };
}

/** A site that signs clinicians in by one of the paths, with the routes that all of them have. */
export function siteAt(
  provider: MockProvider,
  path: LoginPath | 'strategy',
  options: Omit<Settings, 'serializes' | 'serialized'> = {},
): StrategySite {
  return path === 'strategy' ? strategySite(provider, options) : siteOf(provider, path, options);
}
