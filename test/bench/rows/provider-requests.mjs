import { underLoad } from '../runner.mjs';

const targets = {
  'mock provider': { file: 'targets/mock.mjs' },
  floor: { file: 'targets/provider-floor.mjs' },
  'oidc-provider': { file: 'targets/oidc-provider.mjs' },
};
/** Without the scope `openid` nothing is signed: neither in a refresh, nor to get the tokens that are revoked. */
const unsigned = {
  'mock provider': { file: 'targets/mock.mjs', options: { flow: 'profile', scope: 'basic' } },
  floor: targets.floor,
  'oidc-provider': { file: 'targets/oidc-provider.mjs', options: { scope: 'basic' } },
};
const requests = (name, count) => underLoad({ script: { file: './provider.mjs', name }, count });
/** The CPU time shows on a busy machine too whether a process that is limited by one processor has that rate. */
const goal = (min) => [
  { metric: 'per second', to: 'oidc-provider', min },
  { metric: 'CPU us', to: 'oidc-provider', max: Math.round(100 / min) / 100 },
];

export default [
  {
    name: 'sign-in',
    title: 'Mock provider: authorization request and token request',
    targets: { ...targets, 'oauth2-mock-server': { file: 'targets/oauth2-mock-server.mjs' } },
    measure: requests('signIn', 3000),
    goals: [
      { metric: 'per second', to: 'floor', min: 0.9 },
      { metric: 'CPU us', to: 'floor', max: 1.6 },
      { metric: 'per second', to: 'oidc-provider', min: 3 },
    ],
  },
  {
    name: 'refresh',
    title: 'Mock provider: refresh',
    targets: unsigned,
    measure: requests('refresh', 10_000),
    goals: goal(3.5),
  },
  {
    name: 'revoke',
    title: 'Mock provider: revocation',
    targets: unsigned,
    measure: requests('revoke', 2000),
    goals: goal(3.5),
  },
  { name: 'profile', title: 'Mock provider: profile', targets, measure: requests('profile', 20_000), goals: goal(5.5) },
  {
    name: 'discovery',
    title: 'Mock provider: metadata',
    targets,
    measure: requests('discovery', 20_000),
    goals: goal(3.2),
  },
];
