export default [
  {
    name: 'package',
    title: 'Package: installed in an empty project, without Express',
    rounds: 1,
    isFresh: true,
    targets: { package: { file: 'targets/package-figures.mjs' } },
    measure: ({ target }) => target.info,
    goals: [
      { metric: 'packages', max: 12 },
      { metric: 'installed MB', max: 3 },
      { metric: 'tarball kB without docs', max: 350 },
    ],
  },
  {
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
  },
];
