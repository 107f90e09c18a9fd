import { randomBytes } from 'node:crypto';
import session from 'express-session';
import { startMockProvider } from 'passport-clinician/mock-provider';

const provider = await startMockProvider({ port: 4400 }); // development only
const { clientID, clientSecret } = provider.clients.openid;
const secret = process.env.SESSION_SECRET ?? randomBytes(32).toString('base64url');

export const settings = {
  issuer: provider.issuer,
  apiURL: provider.apiURL,
  clientID,
  clientSecret,
  callbackURL: 'http://127.0.0.1:3000/auth/callback',
  secret,
  scope: 'openid basic',
};

export const sessions = session({ secret, resave: false, saveUninitialized: false });

export function listen(app) {
  app.listen(3000, '127.0.0.1', (error) => {
    if (error) throw error;
    console.log(`Site: http://127.0.0.1:3000, inspector: ${provider.issuer}`);
  });
}
