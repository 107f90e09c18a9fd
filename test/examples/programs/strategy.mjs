import express from 'express';
import passport from 'passport';
import { ClinicianStrategy } from 'passport-clinician';
import { listen, origin, sessions, settings } from './settings.mjs';

const tokens = new Map(); // use your database, and encrypt them; store none if you need none after the sign-in
const strategy = new ClinicianStrategy(settings, (_accessToken, refreshToken, params, profile, done) => {
  tokens.set(profile.id, { refreshToken, idToken: params.id_token });
  done(null, { id: profile.id, name: profile.displayName });
});
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(sessions, passport.session());
app.get('/auth/login', passport.authenticate('clinician', { returnTo: '/me' }));
app.get('/auth/callback', passport.authenticate('clinician', { failureRedirect: '/', successReturnToOrRedirect: '/' }));
app.get('/me', (req, res) => res.json(req.user ?? null));
app.post('/sign-out', async (req, res, next) => {
  const { refreshToken, idToken } = tokens.get(req.user?.id) ?? {};
  tokens.delete(req.user?.id);
  if (refreshToken) await strategy.revoke(refreshToken);
  const url = idToken && (await strategy.endSessionURL({ idToken, postLogoutRedirectURI: `${origin}/` }));
  req.logout((error) => (error ? next(error) : res.redirect(303, url || '/')));
});
app.get('/', (_req, res) => {
  res.send(`<a href="/auth/login">Sign in as a clinician</a>
    <form method="post" action="/sign-out"><button>Sign out</button></form>`);
});
listen(app);
