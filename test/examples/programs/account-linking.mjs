import express from 'express';
import { clinicianLogin, deny } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const accounts = [{ id: 'ada', password: 'a-local-password', clinicianID: undefined }]; // your database

const clinician = clinicianLogin({
  ...settings,
  onSignIn: ({ identity, req }) => {
    const linked = accounts.find(({ clinicianID }) => clinicianID === identity.id);
    if (linked) return { id: linked.id };
    const local = accounts.find(({ id }) => id === req.session.accountID); // who is signed in with a password
    if (!local) return deny('Sign in with your password first, then link your account.');
    local.clinicianID = identity.id;
    return { id: local.id };
  },
});

const app = express();
app.use(sessions, clinician, express.urlencoded());
app.post('/password', clinician.requireSameOrigin(), (req, res, next) => {
  const account = accounts.find(({ id, password }) => id === req.body.name && password === req.body.password);
  if (!account) return res.status(403).send('Wrong name or password');
  req.session.regenerate((error) => {
    if (error) return next(error);
    req.session.accountID = account.id;
    res.send(clinician.signInButton({ label: 'Link your clinician account' }));
  });
});
app.get('/', (req, res) => res.send(`Account: ${req.user?.id ?? req.session.accountID ?? 'none'}`));
listen(app);
