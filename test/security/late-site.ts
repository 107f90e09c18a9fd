// A site whose responses a timeout can send first, in its own process: an unhandled rejection or an uncaught exception ends it.
// Bundled and forked by late-errors.test.ts.
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { ClinicianStrategy, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';

/** How the site signs in, and the provider. */
export interface LateSiteSettings {
  path: 'drop-in' | 'Passport' | 'strategy';
  options: { issuer: string; apiURL: string; clientID: string; clientSecret: string };
}

const secret = 'a secret for this test of at least 32 bytes-0123456789';
const { path, options } = JSON.parse(process.env.SETTINGS as string) as LateSiteSettings;
/** The delays of this site in milliseconds, which a test sets. */
const delay = { timeout: 0, session: 0, tokens: 0, user: 0 };
let failure: 'none' | 'reject' | 'deny' | 'throw' = 'none';

/** The number of delays that have not ended. */
let delays = 0;
function after(ms: number, act: () => void): void {
  delays += 1;
  setTimeout(() => {
    delays -= 1;
    act();
  }, ms);
}
const pause = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));

class SlowSessions extends session.MemoryStore {
  override destroy(id: string, done?: (error?: unknown) => void): void {
    if (failure === 'throw') done?.(new Error('the session store is down'));
    else after(delay.session, () => super.destroy(id, done));
  }
  override set(id: string, data: session.SessionData, done?: (error?: unknown) => void): void {
    after(delay.session, () => super.set(id, data, done));
  }
}

class SlowTokens extends MemoryTokenStore {
  override async get(grantID: string) {
    await pause(delay.tokens);
    if (failure === 'reject') throw new Error('the token store is down');
    return super.get(grantID);
  }
}

async function slowUser(): Promise<object | false> {
  await pause(delay.user);
  if (failure === 'reject') throw new Error('the database is down');
  return failure === 'deny' ? false : { id: 'user' };
}

const common = { ...options, callbackURL: 'http://127.0.0.1:3000/auth/callback', secret, scope: 'openid basic' };
const app = express();
app.get('/set', (req, res) => {
  const { failure: next = 'none', ...delays } = req.query as Record<string, string>;
  failure = next as typeof failure;
  for (const name of ['timeout', 'session', 'tokens', 'user'] as const) delay[name] = Number(delays[name] ?? 0);
  res.send('set');
});
app.get('/delays', (_req, res) => void res.json({ delays }));
/** The timeout of the site, as of express-timeout-handler. */
const timeout: RequestHandler = (_req, res, next) => {
  if (delay.timeout > 0) setTimeout(() => res.headersSent || res.status(503).send('timeout'), delay.timeout);
  next();
};
app.use(timeout);
app.use(session({ secret, resave: false, saveUninitialized: false, store: new SlowSessions() }));

const passport = new Passport();
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user: Express.User, done) => done(null, user));
if (path !== 'drop-in') app.use(passport.session() as RequestHandler);

function addPassportRoutes(): void {
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', (req, res, next) => {
    if (failure !== 'throw') {
      passport.authenticate('clinician', { failureRedirect: '/denied', successRedirect: '/' })(req, res, next);
      return;
    }
    const custom = () => res.redirect('/custom');
    passport.authenticate('clinician', custom)(req, res, next);
  });
}

if (path === 'strategy') {
  passport.use(new ClinicianStrategy(common, slowUser));
  addPassportRoutes();
} else {
  const clinician = clinicianLogin({ ...common, tokenStore: new SlowTokens(), onSignIn: slowUser });
  if (path === 'Passport') {
    passport.use(clinician.strategy);
    addPassportRoutes();
  }
  app.use(clinician);
  app.get('/guarded', clinician.requireLogin({ recheckAfter: 0 }), (_req, res) => void res.send('guarded'));
  app.get('/silent', clinician.signInSilently(), (_req, res) => void res.send('silent'));
  app.post('/revoke', async (req, res) => void res.json(await clinician.grant(req).revoke()));
}
app.get(
  '/',
  (req, res) => void res.json({ user: req.user ?? null, grants: Object(req.session).clinician !== undefined }),
);

const errors: string[] = [];
app.get('/errors', (_req, res) => void res.json(errors.splice(0)));
app.use(((error, _req, res, next) => {
  errors.push(error.code ?? error.message);
  if (res.headersSent) next(error);
  else res.status(500).end();
}) as ErrorRequestHandler);

const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()));
