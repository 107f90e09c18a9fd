/** The time from the creation of the process to the first response, and its CPU time. */
async function measure({ target }) {
  const response = await fetch(target.info.discoveryURL);
  if (!(await response.text()).includes('token_endpoint')) throw new Error('The metadata has no token endpoint.');
  const elapsedMs = performance.now() - target.startedAt;
  return { ms: elapsedMs, 'CPU ms': (await target.call('cpu')) / 1000 };
}

export default {
  name: 'start',
  title: 'Mock provider: process start to first response',
  isFresh: true,
  targets: {
    'mock provider': { file: 'targets/mock.mjs' },
    floor: { file: 'targets/bare-server.mjs' },
    'oidc-provider': { file: 'targets/oidc-provider.mjs' },
    'oauth2-mock-server': { file: 'targets/oauth2-mock-server.mjs' },
  },
  measure,
  goals: [{ metric: 'ms', to: 'floor', max: 1.3 }],
};
