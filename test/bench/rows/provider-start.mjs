/** The time from the creation of the process to the first response. */
async function measure({ target }) {
  const response = await fetch(target.info.discoveryURL);
  if (!(await response.text()).includes('token_endpoint')) throw new Error('The metadata has no token endpoint.');
  return performance.now() - target.startedAt;
}

export default {
  name: 'start',
  title: 'mock provider: process start to first response',
  unit: 'ms',
  isFresh: true,
  targets: {
    'mock provider': { file: 'targets/mock.mjs' },
    floor: { file: 'targets/bare-server.mjs' },
    'oidc-provider': { file: 'targets/oidc-provider.mjs' },
    'oauth2-mock-server': { file: 'targets/oauth2-mock-server.mjs' },
  },
  measure,
  goals: { floor: 1.3 },
};
