import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/', (_req, res) => {
  res.send(`<a href="/prescribe">Prescribe</a>
    <form method="post" action="/confirm"><button>Confirm your password</button></form>`);
});
// The password was entered in the last five minutes. Otherwise the service asks for it, and the user returns to this page.
app.get('/prescribe', clinician.requireRecentLogin({ maxAge: 5 * 60_000 }), (_req, res) => res.send('Prescribe'));
// A button that always asks for the password. It posts: a link in a mail cannot start the sign-in.
app.post('/confirm', clinician.requireSameOrigin(), (req, res) =>
  clinician.login(req, res, { prompt: 'login', returnTo: '/prescribe' }),
);
listen(app);
