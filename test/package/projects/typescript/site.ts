// A site with every entry of the package. It is compiled as an ES module and as CommonJS, against Express 4 and 5.
import express, { type NextFunction, type Request, type Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import {
  type ClinicianError,
  type ClinicianLogin,
  type ClinicianLoginOptions,
  ClinicianStrategy,
  clinicianLogin,
  deny,
  type ErrorHandler,
  isClinicianError,
  type Middleware,
  type SignInEvent,
  type Texts,
} from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { type PostgresPool, PostgresTokenStore } from 'passport-clinician/postgres';
import { RedisTokenStore } from 'passport-clinician/redis';
import { signIn, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';

declare module 'express-session' {
  interface SessionData {
    cart?: string[];
  }
}

export function onPostgres(pool: PostgresPool, options: ClinicianLoginOptions): ClinicianLogin {
  return clinicianLogin({ ...options, tokenStore: new PostgresTokenStore({ pool, table: 'site.tokens' }) });
}

export async function site(client: ConstructorParameters<typeof RedisTokenStore>[0]['client']): Promise<number> {
  const provider = await startMockProvider({ port: 0 });
  const { SITE_NAME } = process.env;
  const options: ClinicianLoginOptions = {
    issuer: provider.issuer,
    apiURL: provider.apiURL,
    clientID: provider.clients.openid.clientID,
    clientSecret: provider.clients.openid.clientSecret,
    callbackURL: 'http://127.0.0.1:5001/auth/callback',
    secret: 'only for this test, and long enough for a key',
    tokenStore: new RedisTokenStore({ client }),
    fetch: globalThis.fetch,
    // A setting that may be missing, with exactOptionalPropertyTypes.
    pages: { siteName: SITE_NAME },
    onSignIn: ({ identity, profile, req }) => ({ id: identity.id, name: profile?.fullName, cart: req.session.cart }),
    onError(error, req, res, next) {
      if (error.retryable) res.status(error.status).render('retry', { path: req.path, retryAt: error.retryAt });
      else next(error);
    },
  };
  const clinician: ClinicianLogin = clinicianLogin(options);
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(passport.session());
  app.use(clinician);
  app.use('/members', clinician.requireLogin(), clinician.signInSilently());
  app.get('/me/:page', clinician.requireVerified(), async (req, res) => {
    if (!req.clinician.isAuthenticated) return;
    const { identity, verified, verification } = req.clinician;
    const known: [string, boolean, 'verified' | 'pending' | 'unknown'] = [identity.id, verified, verification];
    const { lastName } = await clinician.api(req).profile();
    const page: string = req.params.page;
    res.json([known, lastName, page, await clinician.verification(req)]);
  });
  app.post('/logout', clinician.requireSameOrigin(), (req, res, next) => clinician.logout(req, res).catch(next));
  app.use(clinician.errorHandler());
  const guard: Middleware = clinician.requireScope('email');
  express.Router().use(guard);

  // The functions of a site may name the types of its own version of Express.
  const onError: ErrorHandler = (error, req: Request, res: Response, next: NextFunction) => {
    if (req.accepts('html')) res.status(error.status).send(error.message);
    else next(error);
  };
  clinicianLogin({ ...options, onError, onSignIn: ({ req }: SignInEvent<Request>) => ({ id: req.ip }) });

  const { tokenStore: _, onSignIn: __, onError: ___, ...strategyOptions } = options;
  passport.use(
    new ClinicianStrategy(strategyOptions, (_accessToken, _refreshToken, _params, profile, done) => {
      done(null, { id: profile.id });
    }),
  );
  passport.use(clinician.strategy);
  app.get('/auth/clinician', passport.authenticate('clinician', { maxAge: 60_000, failureRedirect: '/' }));
  class Own extends ClinicianStrategy {
    override authorizationParams(): object {
      return { ui_locales: 'en' };
    }
  }
  passport.use(new Own(strategyOptions, async () => ({ id: 1 })));

  const response = await signIn(request.agent(app), provider, { as: 'verified', approve: ['openid'] });
  const twice: number = await withMockProvider(async ({ issuer }) => issuer.length * 2);
  await provider.stop();
  return twice + response.status;
}

/** The user of a site has the type of what onSignIn returns. */
export function greetings(req: Request, options: Omit<ClinicianLoginOptions, 'onSignIn'>): (string | undefined)[] {
  const inferred = clinicianLogin({
    ...options,
    async onSignIn({ identity, profile, req }) {
      if (!profile) return false;
      if (!profile.verified) return deny(`Not verified: ${req.hostname}`);
      return { id: identity.id, name: profile.fullName ?? 'Doctor', visits: 1 };
    },
  });
  const user: { id: string; name: string; visits: number } | undefined = inferred.user(req);
  // @ts-expect-error no user is signed in
  inferred.user(req).name;
  // @ts-expect-error the users of onSignIn have no such member, and a denial is not a user
  user?.denied;

  interface Account {
    id: number;
    email?: string;
  }
  const find = async (id: string): Promise<Account | null> => ({ id: id.length });
  const named = clinicianLogin<Account>({ ...options, onSignIn: ({ identity }) => find(identity.id) });
  const email: string | undefined = named.user(req)?.email;
  const id: string | undefined = clinicianLogin(options).user(req)?.id;
  // @ts-expect-error without onSignIn, a user has only an id
  clinicianLogin(options).user(req)?.name;
  const fromEnvironment = clinicianLogin.fromEnv({ onSignIn: ({ identity }) => ({ id: identity.id, role: 'reader' }) });
  // @ts-expect-error a user is an object
  clinicianLogin({ ...options, onSignIn: ({ identity }) => identity.id });
  // @ts-expect-error nor is a user who may not be found, also in a promise
  clinicianLogin({ ...options, onSignIn: async ({ identity }) => (await find(identity.id)) ?? undefined });
  // @ts-expect-error nor is nothing
  clinicianLogin({ ...options, onSignIn: async () => {} });
  const found = clinicianLogin({ ...options, onSignIn: async ({ identity }) => find(identity.id) });
  found.user(req)?.email?.toUpperCase();
  return [user?.name, email, id, fromEnvironment.user(req)?.role];
}

export function codeOf(error: unknown): string {
  if (!isClinicianError(error)) throw new Error('another error');
  const known: ClinicianError = error;
  return known.code;
}

// @ts-expect-error the compiler refuses a misspelled option
clinicianLogin({ callbackUrl: codeOf(undefined) });

/** A translation of a part, and one that must be complete. */
const texts = { lang: 'de', signIn: 'Anmelden' } satisfies Texts;
clinicianLogin.fromEnv({ texts });
// @ts-expect-error the compiler names a missing text
texts satisfies Required<Texts>;
// @ts-expect-error the compiler refuses an unknown text
clinicianLogin.fromEnv({ texts: { signin: 'Anmelden' } });
