import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { orUnavailable } from './or-unavailable.mjs';
import { sessionStore, tokenStore } from './stores.mjs';

const clinician = clinicianLogin.fromEnv({ tokenStore });
const secure = process.env.APP_URL.startsWith('https:'); // false to try it without TLS
const sessions = session({
  name: secure ? '__Host-site' : 'site',
  secret: process.env.SESSION_SECRET.split(' '),
  cookie: { secure, httpOnly: true, sameSite: 'lax' },
  store: sessionStore,
  resave: false,
  saveUninitialized: false,
});
const app = express().set('trust proxy', 'loopback');
app.use(orUnavailable(sessions), clinician);
app.get('/', (_req, res) => res.send('<a href="/account">Account</a>'));
app.get('/account', clinician.requireLogin(), (req, res) => res.send(`Account ${req.user.id}`));
app.use(clinician.errorHandler());
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
