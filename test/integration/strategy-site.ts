import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import {
  type ClinicianGrant,
  ClinicianStrategy,
  type ClinicianStrategyOptions,
  type Guards,
  isClinicianError,
  MemoryTokenStore,
  type PassportProfile,
} from '../../lib/index.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { LOGIN_PATHS, type LoginPath, type Settings, siteOf } from './login-paths.js';
import { loginOptions, type SiteOptions, sealingSecret } from './site.js';

/** Every way in which a site can sign clinicians in: those of the drop-in, and the strategy without it. */
export const ALL_LOGIN_PATHS: readonly (LoginPath | 'strategy')[] = [...LOGIN_PATHS, 'strategy'];

type StrategySiteSettings = Pick<Settings, 'start' | 'finish' | 'custom'> &
  SiteOptions & {
    /** Options that only the strategy has. */
    strategy?: Partial<ClinicianStrategyOptions>;
  };

export interface StrategySite {
  app: Express;
  clinician: ClinicianStrategy;
  sessions: session.MemoryStore;
  /** The errors that reached the error handler of the site. */
  errors: unknown[];
}

/** A site that has only Passport, with the routes of `siteOf()`. */
export function strategySite(
  provider: MockProvider,
  {
    start = {},
    finish = {},
    custom,
    onSignIn,
    strategy: own,
    session: sessionOptions,
    ...options
  }: StrategySiteSettings = {},
): StrategySite {
  const tokenStore = new MemoryTokenStore();
  const routes = { login: '/auth/login' };
  const strategy = new ClinicianStrategy(
    { tokenStore, ...loginOptions(provider, options), routes, ...own },
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
  app.use(strategy.middleware());
  app.get('/auth/login', passport.authenticate('clinician', start));
  app.all('/start', passport.authenticate('clinician', { returnTo: '/me', ...start }));
  app.get('/auth/callback', (req, res, next) => {
    const handler = custom
      ? passport.authenticate('clinician', finish, custom(req, res, next))
      : passport.authenticate('clinician', finish);
    handler(req, res, next);
  });
  app.get('/auth/callback', (req, res) => {
    Object.assign(req.session, { grantID: req.authInfo?.grantID });
    const { account } = req as { account?: unknown };
    if (account) res.set('X-Account', JSON.stringify(account));
    res.redirect(req.authInfo?.returnTo ?? '/');
  });

  const grantOf = (req: express.Request): ClinicianGrant =>
    strategy.grant((req.session as { grantID?: string }).grantID as string);
  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, req.user ?? null]));
  app.get('/me', strategy.requireLogin(), (req, res) => void res.json({ ...req.clinician, user: req.user }));
  app.get('/notes', strategy.requireVerified(), (_req, res) => void res.send('notes'));
  app.get('/email', strategy.requireScope('email'), (_req, res) => void res.send('email'));
  app.get('/profile', async (req, res) => void res.json(await grantOf(req).api.profile()));
  app.get('/grant', (req, res) => void res.json({ grantID: (req.session as { grantID?: string }).grantID }));
  app.get('/verification', (req, res) => void res.json(req.clinician.verification));
  app.post('/refresh', async (req, res) => void res.json(await grantOf(req).refresh()));
  app.post('/revoke', async (req, res) => void res.json(await grantOf(req).revoke()));
  app.post('/passport-logout', (req, res, next) => req.logOut((error) => (error ? next(error) : res.send('done'))));
  app.use(((error, _req, res, _next) => {
    errors.push(error);
    const { status = 500, code } = error;
    res.status(status).json({ code, isOwn: isClinicianError(error) });
  }) as ErrorRequestHandler);
  return { app, clinician: strategy, sessions, errors };
}

/** A site that signs clinicians in by one of the paths, with the routes that all of them have. */
export function siteAt(
  provider: MockProvider,
  path: LoginPath | 'strategy',
  options: Omit<Settings, 'serializes' | 'serialized'> = {},
): Omit<StrategySite, 'clinician'> & { clinician: Guards & Pick<ClinicianStrategy, 'forget'> } {
  return path === 'strategy' ? strategySite(provider, options) : siteOf(provider, path, options);
}
