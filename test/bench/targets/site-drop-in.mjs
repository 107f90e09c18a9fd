import { importPackage } from '../package-entry.mjs';
import { SECRET } from './key.mjs';
import { createApp, listen, respondSignedIn, siteInfo } from './site.mjs';
import { openStores } from './stores.mjs';

/**
 * A site with `clinicianLogin()`. Each sign-in is that of another user: the logins of one user are limited.
 * @param options.publicOrigin the origin in the callback URL, where another process has it
 */
export default async function start({ provider, redis, postgres, publicOrigin }) {
  const { clinicianLogin } = await importPackage();
  const { issuer, apiURL, clientID, clientSecret, scope } = provider;
  const { sessionStore, tokenStore } = await openStores({ redis, postgres });
  let users = 0;
  const origin = await listen((siteOrigin) => {
    const clinician = clinicianLogin({
      ...{ issuer, apiURL, clientID, clientSecret, scope, tokenStore, secret: SECRET },
      callbackURL: `${publicOrigin ?? siteOrigin}/auth/callback`,
      onSignIn: () => ({ id: `user-${++users}` }),
    });
    const app = createApp(sessionStore && { store: sessionStore });
    app.use(clinician);
    app.get('/guarded', clinician.requireLogin(), respondSignedIn);
    app.get('/profile', clinician.requireLogin(), async (req, res) => res.json(await clinician.api(req).profile()));
    return app;
  });
  return { info: siteInfo(origin, { login: '/auth/login', callback: '/auth/callback', provider }) };
}
