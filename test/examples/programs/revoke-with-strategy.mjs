export function addRevocation(app, strategy) {
  app.post('/sign-out', async (req, res) => {
    const { grantID } = Object(req.session);
    if (grantID) await strategy.grant(grantID).revoke();
    req.logout((error) => res.redirect(303, error ? '/error' : '/'));
  });
  app.post('/unlink', async (req, res) => {
    await strategy.forget(req.user.id);
    req.logout((error) => res.redirect(303, error ? '/error' : '/'));
  });
}
