import passport from 'passport';

/** For app.post('/link', clinician.requireSameOrigin(), linkAccount). */
export function linkAccount(req, res, next) {
  if (!req.user) return res.sendStatus(401);
  passport.authenticate('clinician', { state: String(req.user.id), prompt: 'login' })(req, res, next);
}
