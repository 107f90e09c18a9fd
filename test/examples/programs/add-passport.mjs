import passport from 'passport';

export function addSignIn(app, clinician) {
  passport.use(clinician.strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  app.use(passport.session());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get(
    '/auth/callback',
    passport.authenticate('clinician', { failureRedirect: '/denied', successReturnToOrRedirect: '/' }),
  );
  app.get('/denied', (_req, res) => res.status(403).send(`You are not signed in. ${clinician.signInButton()}`));
  app.use(clinician);
}
