// A site and its provider in one process, without sockets between them: for what is measured in the process of the site.
import request from 'supertest';
import { importPackage } from '../package-entry.mjs';
import { SECRET } from './key.mjs';
import { createApp } from './site.mjs';

/**
 * @param options.login returns further options of `clinicianLogin()`
 * @returns the site with `clinicianLogin()`, and the mock provider that it uses
 */
export async function createSite({ scope = 'openid basic', tokenStore, clinicians = [], login = () => ({}) } = {}) {
  const { startMockProvider } = await importPackage('./mock-provider');
  const { clinicianLogin, MemoryTokenStore } = await importPackage();
  const provider = await startMockProvider({ clinicians, rateLimit: { limit: 1_000_000_000 } });
  const { clientID, clientSecret } = provider.clients.openid;
  const clinician = clinicianLogin({
    ...{ issuer: provider.issuer, apiURL: provider.apiURL, clientID, clientSecret, scope, secret: SECRET },
    callbackURL: 'http://127.0.0.1:5001/auth/callback',
    tokenStore: tokenStore ?? new MemoryTokenStore(),
    ...login(provider),
  });
  const app = createApp();
  app.use(clinician);
  return { app, clinician, provider };
}

/** Signs in with the test helpers. @returns a request of the signed-in user, which stays usable after its response */
export async function signedInRequest({ app, provider }, { as = 'verified' } = {}) {
  const { signIn } = await importPackage('./testing');
  let signedIn;
  app.get('/', (req, res) => {
    signedIn = req;
    res.send('home');
  });
  const agent = request.agent(app);
  await signIn(agent, provider, { as });
  await agent.get('/').expect(200);
  if (!signedIn.clinician.isAuthenticated) throw new Error('The sign-in has failed.');
  return signedIn;
}
