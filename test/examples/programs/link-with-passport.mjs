import passport from 'passport';

/** For app.post('/link', clinician.requireSameOrigin(), linkAccount). */
export function linkAccount(req, res, next) {
  if (!req.user) return res.sendStatus(401);
  const state = String(req.user.id);
  passport.authenticate('clinician', { state, prompt: 'login' })(req, res, next);
}
