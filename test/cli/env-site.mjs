import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';

const { APP_URL, SESSION_SECRET } = process.env;
const clinician = clinicianLogin.fromEnv({
  onSignIn: ({ profile }) => ({ name: profile?.fullName }),
});
const app = express();
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/private', clinician.requireLogin(), (req, res) => {
  res.json({ name: req.user.name });
});
app.listen(new URL(APP_URL).port, '127.0.0.1', () => console.log('listening'));
