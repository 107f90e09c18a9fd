import { site } from './site.js';

const { SITE_PORT = '5001', PROVIDER_PORT = '4400' } = process.env;
const provider = `http://127.0.0.1:${PROVIDER_PORT}`;
const openid = { clientID: 'default-openid', clientSecret: 'default-openid-client-secret' };
const callbackURL = `http://127.0.0.1:${SITE_PORT}/auth/callback`;

site({ issuer: provider, apiURL: provider, clients: { openid } }, callbackURL)
  .get('/', (req, res) => res.send(req.clinician.isAuthenticated ? 'Signed in' : 'Signed out'))
  .listen(Number(SITE_PORT), '127.0.0.1', (error) => {
    if (error) throw error;
    console.log(`The site is at http://127.0.0.1:${SITE_PORT}`);
  });
