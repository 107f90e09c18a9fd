import type { Express, Request, RequestHandler, Response } from 'express';
import passport from 'passport';
import { type ClinicianLogin, isClinicianError } from 'passport-clinician';
import type { Show } from './views.js';

/** How this site signs clinicians in. Everything else of the site is the same. */
export type SignInBy = 'passport' | 'drop-in';

/** Where a finished sign-in returns to, or why it failed. */
interface SignInResult {
  returnTo?: string;
  code?: string;
  message?: string;
}

/** Mounts the sign-in, and sets `req.clinician` and `req.user`. */
export function addSignIn(app: Express, clinician: ClinicianLogin, by: SignInBy, show: Show): void {
  if (by === 'passport') addPassport(app, clinician, show);
  app.use(clinician);
}

/** Signs in through Passport: its routes replace those of `app.use(clinician)` with the same paths. */
function addPassport(app: Express, clinician: ClinicianLogin, show: Show): void {
  const sitePassport = new passport.Passport();
  sitePassport.use(clinician.strategy);
  sitePassport.serializeUser((user, done) => done(null, user));
  sitePassport.deserializeUser((user: Express.User, done) => done(null, user));

  app.use(sitePassport.session() as RequestHandler);
  app.get('/auth/login', sitePassport.authenticate('clinician'));
  /** Shows the reason without the session, unlike `failureMessage`: anyone can send callbacks, and each would store a session. */
  function showFailure(req: Request, res: Response, { code, message }: SignInResult): void {
    const isOther = code === 'user_changed';
    const title = isOther ? 'Another user is signed in' : 'You are not signed in';
    const problem = { status: isOther ? 403 : 401, code, title, text: message };
    show(req, res.status(403).set('Cache-Control', 'no-store'), 'problem', { title, problem });
  }

  app.get('/auth/callback', (req, res, next) => {
    function finish(error: unknown, user: Express.User | false, info: SignInResult): void {
      // An error of passport-clinician is an event, which is in the log already.
      res.locals.isLogged = isClinicianError(error);
      if (error) next(error);
      else if (user) req.logIn(user, (failed) => (failed ? next(failed) : res.redirect(info.returnTo ?? '/')));
      else showFailure(req, res, info);
    }
    sitePassport.authenticate('clinician', finish)(req, res, next);
  });
}
