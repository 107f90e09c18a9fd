import { randomBytes } from 'node:crypto';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';

const provider = await startMockProvider({ port: 4400 }); // development only: runs the whole service in this process
const { clientID, clientSecret } = provider.clients.openid;
const secret = process.env.SESSION_SECRET ?? randomBytes(32).toString('base64url');

const clinician = clinicianLogin({
  issuer: provider.issuer,
  apiURL: provider.apiURL,
  clientID,
  clientSecret,
  callbackURL: 'http://127.0.0.1:3000/auth/callback',
  secret,
  scope: 'openid basic',
  onSignIn: ({ identity, profile }) => ({ id: identity.id, name: profile?.fullName ?? 'clinician' }), // becomes req.user
});

const escapeHTML = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const app = express();
app.use(session({ secret, resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/', (req, res) => {
  const content = req.user
    ? `<h1>Hello, ${escapeHTML(req.user.name)}</h1><p><a href="/notes">Notes</a></p>${clinician.signOutButton()}`
    : `<h1>My site</h1>${clinician.signInButton()}`;
  res.send(`<!doctype html><html lang="en" style="color-scheme: light dark; background: canvas"><title>My site</title>
    <link rel="stylesheet" href="${clinician.stylesheetURL}"><meta name="viewport" content="width=device-width">
    <main style="max-width: 36rem; margin: 4rem auto; font-family: system-ui">${content}</main></html>`);
});
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only.'));
app.use(clinician.errorHandler()); // its pages also for errors of your routes
app.listen(3000, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`Site: http://127.0.0.1:3000, inspector: ${provider.issuer}`);
});
