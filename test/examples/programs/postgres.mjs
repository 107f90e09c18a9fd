import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { sessionStore, tokenStore } from './postgres-stores.mjs';
import { listen, settings } from './settings.mjs';

const clinician = clinicianLogin({ ...settings, tokenStore });
const app = express();
app.use(session({ secret: settings.secret, store: sessionStore, resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/account', clinician.requireLogin(), (req, res) => res.send(`Account ${req.user.id}`));
listen(app);
