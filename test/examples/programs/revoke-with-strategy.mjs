export function addRevocation(app, strategy, ownPagesOnly) {
  app.post('/sign-out', ownPagesOnly, (req, res) => strategy.logout(req, res));
  app.post('/unlink', ownPagesOnly, async (req, res) => {
    await strategy.forget(req.user.id);
    req.logout((error) => res.redirect(303, error ? '/error' : '/'));
  });
}
