import * as client from 'openid-client';
import { Strategy } from 'openid-client/passport';
import passport from 'passport';
import { createApp, listen, respondSignedIn, siteInfo } from './site.mjs';

/** A site with the Passport strategy of openid-client, which here also checks the signature of the ID Token. The session has the tokens. */
export default async function start({ provider }) {
  const { issuer, clientID, clientSecret } = provider;
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  const authentication = client.ClientSecretBasic(clientSecret);
  const config = await client.discovery(new URL(issuer), clientID, undefined, authentication, { execute });
  const verify = (tokens, verified) => {
    const { access_token, refresh_token } = tokens;
    verified(null, { id: tokens.claims().sub, access_token, refresh_token });
  };
  const origin = await listen((siteOrigin) => {
    passport.use('openid', new Strategy({ config, scope: 'openid', callbackURL: `${siteOrigin}/callback` }, verify));
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user, done) => done(null, user));
    const app = createApp();
    app.use(passport.session());
    app.get('/login', passport.authenticate('openid'));
    app.get('/callback', passport.authenticate('openid', { successRedirect: '/guarded' }));
    app.get('/guarded', (req, res, next) => (req.isAuthenticated() ? next() : res.sendStatus(401)), respondSignedIn);
    return app;
  });
  return { info: siteInfo(origin, { login: '/login', callback: '/callback', provider }) };
}
