import express from 'express';
import { clinicianLogin, deny } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const accounts = [{ id: 'ada', password: 'a-local-password', clinicianID: undefined }]; // your database

const clinician = clinicianLogin({
  ...settings,
  onSignIn: ({ identity, state, req }) => {
    const linked = accounts.find(({ clinicianID }) => clinicianID === identity.id);
    if (!state?.linkTo) return linked ? { id: linked.id } : deny('Sign in with your password, then link your account.');
    const account = accounts.find(({ id }) => id === state.linkTo && id === req.session.accountID);
    if (!account) return deny('Sign in with your password, then link your account again.');
    if (linked && linked !== account) return deny('This clinician is linked to another account.');
    account.clinicianID = identity.id;
    return { id: account.id };
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
    res.send('<form method="post" action="/link"><button>Link your clinician account</button></form>');
  });
});
app.post('/link', clinician.requireSameOrigin(), (req, res, next) => {
  const { accountID } = req.session; // who is signed in with a password
  if (!accountID) return res.status(401).send('Sign in with your password first');
  clinician.login(req, res, { state: { linkTo: accountID }, prompt: 'login' }).catch(next);
});
app.get('/', (req, res) => res.send(`Account: ${req.user?.id ?? req.session.accountID ?? 'none'}`));
listen(app);
