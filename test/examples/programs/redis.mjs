import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { orUnavailable } from './or-unavailable.mjs';
import { sessionStore, tokenStore } from './stores.mjs';

const clinician = clinicianLogin.fromEnv({ tokenStore });
const secret = process.env.SESSION_SECRET.split(' ');
const sessions = session({ secret, store: sessionStore, resave: false, saveUninitialized: false });
const app = express();
app.use(orUnavailable(sessions), clinician);
app.get('/', (_req, res) => res.send('<a href="/account">Account</a>'));
app.get('/account', clinician.requireLogin(), (req, res) => res.send(`Account ${req.user.id}`));
app.use(clinician.errorHandler());
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
