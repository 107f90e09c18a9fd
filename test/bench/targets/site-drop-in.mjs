import { importPackage } from '../package-entry.mjs';
import { SECRET } from './key.mjs';
import { createApp, listen, respondSignedIn, siteInfo } from './site.mjs';

/** Sessions and tokens in Redis, which several processes share. */
async function connectStores({ url }) {
  const [{ createClient }, { RedisStore }] = await Promise.all([import('redis'), import('connect-redis')]);
  const { RedisTokenStore } = await importPackage('./redis');
  const client = await createClient({ url }).connect();
  return { store: new RedisStore({ client }), tokenStore: new RedisTokenStore({ client }) };
}

/**
 * A site with `clinicianLogin()`. Each sign-in is that of another user: the logins of one user are limited.
 * @param options.publicOrigin the origin in the callback URL, where another process has it
 */
export default async function start({ provider, redis, publicOrigin }) {
  const { clinicianLogin, MemoryTokenStore } = await importPackage();
  const { issuer, apiURL, clientID, clientSecret, scope } = provider;
  const { store, tokenStore } = redis ? await connectStores(redis) : { tokenStore: new MemoryTokenStore() };
  let users = 0;
  const origin = await listen((siteOrigin) => {
    const clinician = clinicianLogin({
      ...{ issuer, apiURL, clientID, clientSecret, scope, tokenStore, secret: SECRET },
      callbackURL: `${publicOrigin ?? siteOrigin}/auth/callback`,
      onSignIn: () => ({ id: `user-${++users}` }),
    });
    const app = createApp(store && { store });
    app.use(clinician);
    app.get('/guarded', clinician.requireLogin(), respondSignedIn);
    app.get('/profile', clinician.requireLogin(), async (req, res) => res.json(await clinician.api(req).profile()));
    return app;
  });
  return { info: siteInfo(origin, { login: '/auth/login', callback: '/auth/callback', provider }) };
}
