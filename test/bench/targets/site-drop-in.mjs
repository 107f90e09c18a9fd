import { importPackage } from '../package-entry.mjs';
import { SECRET } from './key.mjs';
import { createApp, listen, respondSignedIn, siteInfo } from './site.mjs';

/** A site with `clinicianLogin()`. Each sign-in is that of another user: the logins of one user are limited. */
export default async function start({ provider }) {
  const { clinicianLogin, MemoryTokenStore } = await importPackage();
  const { issuer, apiURL, clientID, clientSecret, scope } = provider;
  let users = 0;
  const origin = await listen((siteOrigin) => {
    const clinician = clinicianLogin({
      ...{ issuer, apiURL, clientID, clientSecret, scope, secret: SECRET, tokenStore: new MemoryTokenStore() },
      callbackURL: `${siteOrigin}/auth/callback`,
      onSignIn: () => ({ id: `user-${++users}` }),
    });
    const app = createApp();
    app.use(clinician);
    app.get('/guarded', clinician.requireLogin(), respondSignedIn);
    return app;
  });
  return { info: siteInfo(origin, { login: '/auth/login', callback: '/auth/callback', provider }) };
}
