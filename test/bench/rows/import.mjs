const file = 'targets/import.mjs';

export default {
  name: 'import',
  title: 'import of the package',
  unit: 'ms',
  isFresh: true,
  targets: { package: { file }, 'openid-client': { file, options: { specifier: 'openid-client' } } },
  measure: ({ target }) => target.info.elapsedMs,
  goals: { 'openid-client': 2 },
};
