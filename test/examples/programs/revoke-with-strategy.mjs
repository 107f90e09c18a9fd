export function addRevocation(app, strategy) {
  app.post('/sign-out', (req, res) => strategy.logout(req, res));
  app.post('/unlink', async (req, res) => {
    await strategy.forget(req.user.id);
    req.logout((error) => res.redirect(303, error ? '/error' : '/'));
  });
}
