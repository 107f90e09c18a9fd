import { importPackage } from '../package-entry.mjs';
import { SECRET } from './key.mjs';
import { createApp, listen, respondSignedIn, siteInfo } from './site.mjs';
import { openStores } from './stores.mjs';

/** A site with `clinicianLogin()`. Each sign-in is that of another user: the logins of one user are limited. */
export default async function start({ provider, redis, postgres }) {
  const { clinicianLogin } = await importPackage();
  const { issuer, apiURL, clientID, clientSecret, scope } = provider;
  const { sessionStore, tokenStore } = await openStores({ redis, postgres });
  let users = 0;
  const origin = await listen((siteOrigin) => {
    const clinician = clinicianLogin({
      ...{ issuer, apiURL, clientID, clientSecret, scope, tokenStore, secret: SECRET },
      callbackURL: `${siteOrigin}/auth/callback`,
      onSignIn: () => ({ id: `user-${++users}` }),
    });
    const app = createApp(sessionStore && { store: sessionStore });
    app.use(clinician);
    app.get('/guarded', clinician.requireLogin(), respondSignedIn);
    return app;
  });
  return { info: siteInfo(origin, { login: '/auth/login', callback: '/auth/callback', provider }) };
}
