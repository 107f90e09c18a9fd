import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { RedisTokenStore } from 'passport-clinician/redis';
import { signIn } from 'passport-clinician/testing';

const secret = 'yNn5dUgGv6yKJeZ5y5Vw2T0fN8c3XkQm1oPzRrSsTtU';

/** What each function says about a call without arguments, with the class of the error. */
async function mistakes() {
  const calls = [
    clinicianLogin,
    signIn,
    () => new RedisTokenStore(),
    () => new PostgresTokenStore(),
    () => startMockProvider(1),
  ];
  const results = await Promise.allSettled(calls.map(async (call) => await call()));
  return results.map(({ reason }) => String(reason));
}

async function main() {
  const { issuer, apiURL, clients, faults } = await startMockProvider({ control: true });
  const { clientID, clientSecret } = clients.openid;
  const app = express();
  const server = app.listen(0, '127.0.0.1', async () => {
    const origin = `http://127.0.0.1:${server.address().port}`;
    const callbackURL = `${origin}/auth/callback`;
    const scope = 'openid basic';
    const clinician = clinicianLogin({ issuer, apiURL, clientID, clientSecret, callbackURL, scope, secret });
    passport.use(clinician.strategy);
    passport.serializeUser((user, done) => done(null, user.id));
    passport.deserializeUser((id, done) => done(null, { id }));
    app.use(session({ secret, resave: false, saveUninitialized: false }));
    app.use(clinician);
    app.get('/passport', passport.authenticate('clinician'));
    app.get('/auth/callback', passport.authenticate('clinician', { successRedirect: '/notes' }));
    app.get('/notes', clinician.requireVerified(), (req, res) => void res.send(req.clinician.verification));
    app.get('/refused', (_req, res) => {
      faults.next('codeRefused');
      res.redirect('/passport');
    });
    app.use((error, _req, res, _next) => void res.send(`${error.name}: ${error.code}`));
    console.log(JSON.stringify({ origin, issuer, mistakes: await mistakes() }));
  });
}

void main();
