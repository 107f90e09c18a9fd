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
    title: 'Site: whole sign-in',
    services,
    targets: {
      'drop-in': ours,
      floor,
      'openid-client': openidClient,
      'express-openid-connect': expressOpenIDConnect,
    },
    measure: requests('siteSignIn', 1500),
    goals: [
      { metric: 'CPU us', to: 'floor', max: 1.6 },
      { metric: 'CPU us', to: 'openid-client', max: 0.75 },
      { metric: 'CPU us', to: 'express-openid-connect', max: 0.65 },
    ],
  },
  {
    name: 'guard',
    title: 'Site: guarded request',
    services,
    targets: {
      'drop-in': ours,
      floor,
      'passport.session': openidClient,
      'express-openid-connect': expressOpenIDConnect,
    },
    measure: requests('guardedRequest', 10_000),
    goals: [
      { metric: 'CPU us', to: 'floor', max: 1.12 },
      { metric: 'CPU us', to: 'passport.session', max: 0.9 },
    ],
  },
];
