import express from 'express';
import openid from 'express-openid-connect';
import { SECRET } from './key.mjs';
import { listen, respondSignedIn, siteInfo } from './site.mjs';

/** A site with express-openid-connect, which stores the login in a cookie. */
export default async function start({ provider }) {
  const { issuer: issuerBaseURL, clientID, clientSecret } = provider;
  const origin = await listen((baseURL) => {
    const app = express();
    app.use(
      openid.auth({
        ...{ issuerBaseURL, baseURL, clientID, clientSecret, secret: SECRET, authRequired: false },
        clientAuthMethod: 'client_secret_basic',
        authorizationParams: { response_type: 'code', scope: 'openid' },
      }),
    );
    app.get('/guarded', openid.requiresAuth(), respondSignedIn);
    return app;
  });
  return { info: siteInfo(origin, { login: '/login', callback: '/callback', provider }) };
}
