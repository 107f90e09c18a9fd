import { randomBytes } from 'node:crypto';
import { createApp, listen, respondSignedIn, siteInfo } from './site.mjs';

/** A site that sends the user to the provider, checks only `state`, and requests no tokens: Express and express-session. */
export default async function start({ provider }) {
  const { authorizeURL, clientID } = provider;
  const origin = await listen((siteOrigin) => {
    const app = createApp();
    app.get('/login', (req, res) => {
      req.session.state = randomBytes(16).toString('base64url');
      const parameters = { client_id: clientID, response_type: 'code', scope: 'openid', state: req.session.state };
      const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
      const query = new URLSearchParams({ ...parameters, ...pkce, redirect_uri: `${siteOrigin}/callback` });
      res.redirect(`${authorizeURL}?${query}`);
    });
    app.get('/callback', (req, res, next) => {
      if (req.query.state !== req.session.state) return res.sendStatus(400);
      req.session.regenerate((error) => {
        if (error) return next(error);
        req.session.user = { id: 'a-user' };
        res.redirect('/guarded');
      });
    });
    app.get('/guarded', (req, res, next) => (req.session.user ? next() : res.sendStatus(401)), respondSignedIn);
    return app;
  });
  return { info: siteInfo(origin, { login: '/login', callback: '/callback', provider }) };
}
