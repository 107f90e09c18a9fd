import { underLoad } from '../runner.mjs';

const services = { provider: { file: 'targets/mock.mjs', options: { scope: 'openid' } } };
const requests = (name, count) => underLoad({ script: { file: './site.mjs', name }, count });
const ours = { file: 'targets/site-drop-in.mjs' };
const floor = { file: 'targets/site-floor.mjs' };
const expressOpenIDConnect = { file: 'targets/site-express-openid-connect.mjs' };

export default [
  {
    name: 'site-sign-in',
    title: 'Site: whole sign-in',
    services,
    targets: {
      'drop-in': ours,
      floor,
      'openid-client': { file: 'targets/site-openid-client.mjs' },
      'express-openid-connect': expressOpenIDConnect,
    },
    measure: requests('siteSignIn', 1500),
    goals: [
      { metric: 'CPU us', to: 'openid-client', max: 0.7 },
      { metric: 'CPU us', to: 'express-openid-connect', max: 0.42 },
    ],
  },
  {
    name: 'guard',
    title: 'Site: guarded request',
    services,
    targets: { 'drop-in': ours, floor, 'express-openid-connect': expressOpenIDConnect },
    measure: requests('guardedRequest', 10_000),
    goals: [{ metric: 'per second', to: 'floor', min: 0.96 }],
  },
];
