import express from 'express';
import { jwtVerify, SignJWT } from 'jose';
import passport from 'passport';
import { ClinicianStrategy } from 'passport-clinician';
import { listen, settings } from './settings.mjs';

const key = new TextEncoder().encode(settings.secret);
const strategy = new ClinicianStrategy(settings, async (_accessToken, refreshToken, profile) => {
  await strategy.revoke(refreshToken); // this site does not call the service again
  return { id: profile.id, verified: profile.verified };
});
passport.use(strategy);
const authenticate = passport.authenticate('clinician', { session: false, returnTo: '/api/notes' });

const cookie = { httpOnly: true, sameSite: 'lax', secure: process.env.NODE_ENV === 'production', maxAge: 15 * 60_000 };
const app = express();
app.get('/auth/login', authenticate);
app.get('/auth/callback', authenticate, async ({ user: { id, verified }, authInfo }, res) => {
  const token = new SignJWT({ verified }).setProtectedHeader({ alg: 'HS256' }).setSubject(id).setExpirationTime('15m');
  res.cookie('token', await token.sign(key), cookie).redirect(authInfo.returnTo ?? '/');
});
app.get('/api/notes', async ({ headers }, res) => {
  const token = /(?:^|; )token=([^;]+)/.exec(headers.cookie)?.[1] ?? '';
  const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] }).catch(() => ({}));
  if (payload?.verified) res.json({ notesOf: payload.sub });
  else res.sendStatus(payload ? 403 : 401);
});
app.get('/', (_req, res) => res.send('<a href="/auth/login">Sign in</a>'));
listen(app);
