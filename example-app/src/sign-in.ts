import type { Express, RequestHandler } from 'express';
import passport from 'passport';
import type { ClinicianLogin } from 'passport-clinician';
import type { Show } from './views.js';

/** Lists the ways in which this site can sign clinicians in. Everything else of the site is the same. */
export type SignInBy = 'passport' | 'drop-in';

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
  app.get(
    '/auth/callback',
    sitePassport.authenticate('clinician', { failureRedirect: '/auth/denied', failureMessage: true }),
    (req, res) => res.redirect(req.authInfo?.returnTo ?? '/'),
  );

  app.get('/auth/denied', (req, res) => {
    const { messages = [] } = req.session as { messages?: string[] };
    const [text = 'You can try again.'] = messages.splice(0).slice(-1);
    const title = 'You are not signed in';
    show(req, res.status(403), 'problem', { title, problem: { status: 401, code: 'access_denied', title, text } });
  });
}
