import { underLoad } from '../runner.mjs';

const targets = {
  'mock provider': { file: 'targets/mock.mjs' },
  floor: { file: 'targets/provider-floor.mjs' },
  'oidc-provider': { file: 'targets/oidc-provider.mjs' },
};
const requests = (name, count) => underLoad({ script: { file: './provider.mjs', name }, count });

export default [
  {
    name: 'sign-in',
    title: 'mock provider: sign-in',
    unit: 'CPU us',
    targets: { ...targets, 'oauth2-mock-server': { file: 'targets/oauth2-mock-server.mjs' } },
    measure: requests('signIn', 3000),
    goals: { floor: 1.6, 'oidc-provider': 0.33 },
  },
  {
    name: 'refresh',
    title: 'mock provider: refresh',
    unit: 'CPU us',
    // Without the scope `openid` a refresh signs nothing.
    targets: {
      'mock provider': { file: 'targets/mock.mjs', options: { flow: 'profile', scope: 'basic' } },
      floor: targets.floor,
      'oidc-provider': { file: 'targets/oidc-provider.mjs', options: { scope: 'basic' } },
    },
    measure: requests('refresh', 10_000),
    goals: { 'oidc-provider': 0.29 },
  },
  {
    name: 'profile',
    title: 'mock provider: profile',
    unit: 'CPU us',
    targets,
    measure: requests('profile', 20_000),
    goals: { 'oidc-provider': 0.18 },
  },
];
