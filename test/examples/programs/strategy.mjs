import express from 'express';
import passport from 'passport';
import { ClinicianStrategy, MemoryTokenStore } from 'passport-clinician';
import { listen, origin, sessions, settings } from './settings.mjs';

const strategy = new ClinicianStrategy(
  {
    ...settings,
    callbackURL: `${origin}/auth/clinician/callback`,
    routes: { login: '/auth/clinician' }, // your route below, to which guards redirect
    tokenStore: new MemoryTokenStore(), // omit it if you need no tokens after sign-in, and no guards
  },
  (_accessToken, _refreshToken, profile, done) => done(null, { id: profile.id, name: profile.displayName }),
);
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(sessions, passport.session(), strategy.middleware());
app.get('/auth/clinician', passport.authenticate('clinician'));
app.get('/auth/clinician/callback', passport.authenticate('clinician', { failureRedirect: '/denied' }), (req, res) => {
  req.session.grantID = req.authInfo.grantID;
  res.redirect(req.authInfo.returnTo ?? '/');
});
app.get('/denied', (req, res) => {
  const { returnTo = '/' } = strategy.signInFailure(req, res) ?? {};
  const link = `/auth/clinician?returnTo=${encodeURIComponent(returnTo)}`;
  res.status(403).send(`You are not signed in. <a href="${link}">Try again</a>`);
});
app.get('/me', (req, res) => res.json(req.user ?? null));
app.get('/notes', strategy.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
app.get('/cv', async (req, res) => {
  if (!req.user) return res.redirect('/auth/clinician?returnTo=/cv');
  res.json(await strategy.grant(req.session.grantID).api.profile());
});
app.get('/', (_req, res) => {
  res.send(`<a href="/auth/clinician?returnTo=/me">Sign in as a clinician</a>
    <form method="post" action="/auth/logout"><button>Sign out</button></form>`);
});
listen(app);
