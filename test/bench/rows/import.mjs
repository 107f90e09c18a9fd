export default {
  name: 'import',
  title: 'Package: import time',
  isFresh: true,
  targets: {
    package: { file: 'targets/import.mjs', options: { entryPoint: '.' } },
    'openid-client': { file: 'targets/import.mjs', options: { specifier: 'openid-client' } },
  },
  measure: ({ target: { info } }) => ({ ms: info.elapsedMs, 'CPU ms': info.cpuMs }),
  goals: [
    { metric: 'ms', max: 60 },
    { metric: 'ms', to: 'openid-client', max: 2 },
  ],
};
