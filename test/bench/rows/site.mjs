import { underLoad } from '../runner.mjs';

const services = { provider: { file: 'targets/mock.mjs', options: { scope: 'openid' } } };
const requests = (name, count) => underLoad({ script: { file: './site.mjs', name }, count });
const ours = { file: 'targets/site-drop-in.mjs' };
const floor = { file: 'targets/site-floor.mjs' };
const openidClient = { file: 'targets/site-openid-client.mjs' };
const expressOpenIDConnect = { file: 'targets/site-express-openid-connect.mjs' };

export default [
  {
    name: 'site-sign-in',
    title: 'whole sign-in at a site',
    unit: 'CPU us',
    services,
    targets: { ours, floor, 'openid-client': openidClient, 'express-openid-connect': expressOpenIDConnect },
    measure: requests('siteSignIn', 1500),
    goals: { floor: 1.6, 'openid-client': 0.75, 'express-openid-connect': 0.65 },
  },
  {
    name: 'guard',
    title: 'guarded request',
    unit: 'CPU us',
    services,
    targets: { ours, floor, 'passport.session': openidClient, 'express-openid-connect': expressOpenIDConnect },
    measure: requests('guardedRequest', 10_000),
    goals: { floor: 1.12, 'passport.session': 0.9 },
  },
];
