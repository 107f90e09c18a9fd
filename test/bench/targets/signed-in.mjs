// A site and its provider in one process, without sockets between them: for what is measured in the process of the site.
import request from 'supertest';
import { importPackage } from '../package-entry.mjs';
import { SECRET } from './key.mjs';
import { createApp } from './site.mjs';

/** @returns the site with `clinicianLogin()`, and the mock provider that it uses */
export async function createSite({ tokenStore }) {
  const { startMockProvider } = await importPackage('./mock-provider');
  const { clinicianLogin } = await importPackage();
  const provider = await startMockProvider({ rateLimit: { limit: 1_000_000_000 } });
  const { issuer, apiURL } = provider;
  const { clientID, clientSecret } = provider.clients.openid;
  const clinician = clinicianLogin({
    ...{ issuer, apiURL, clientID, clientSecret, tokenStore, scope: 'openid basic', secret: SECRET },
    callbackURL: 'http://127.0.0.1:5001/auth/callback',
  });
  const app = createApp();
  app.use(clinician);
  return { app, clinician, provider };
}

/** Signs in with the test helpers. @returns a request of the signed-in user, which stays usable after its response */
export async function signedInRequest({ app, provider }) {
  const { signIn } = await importPackage('./testing');
  let signedIn;
  app.get('/', (req, res) => {
    signedIn = req;
    res.send('home');
  });
  const agent = request.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/').expect(200);
  if (!signedIn.clinician.isAuthenticated) throw new Error('The sign-in has failed.');
  return signedIn;
}
