export function addSignOut(app, clinician) {
  app.post('/sign-out', clinician.requireSameOrigin(), (req, res, next) => {
    req.logout((error) => (error ? next(error) : res.redirect(303, '/')));
  });
  // Signs out at the service, too.
  app.post('/logout', clinician.requireSameOrigin(), (req, res) => clinician.logout(req, res));
}
