import { randomBytes } from 'node:crypto';
import session from 'express-session';
import { startMockProvider } from 'passport-clinician/mock-provider';

const provider = await startMockProvider({ port: 4400 }); // development only
const { clientID, clientSecret } = provider.clients.openid;
const secret = process.env.SESSION_SECRET ?? randomBytes(32).toString('base64url');

export const port = Number(process.env.PORT ?? 3000);
export const origin = `http://127.0.0.1:${port}`;

export const settings = {
  issuer: provider.issuer,
  apiURL: provider.apiURL,
  clientID,
  clientSecret,
  callbackURL: `${origin}/auth/callback`,
  secret,
  scope: 'openid basic',
};

export const sessions = session({ secret, resave: false, saveUninitialized: false });

export function listen(app) {
  app.listen(port, '127.0.0.1', (error) => {
    if (error) throw error;
    console.log(`Site: ${origin}, inspector: ${provider.issuer}`);
  });
}
