import { underLoad } from '../runner.mjs';

const databases = { redis: { file: 'targets/redis.mjs' }, postgres: { file: 'targets/postgres.mjs' } };
/** The same target on each database: it gets the services that are not null. */
const onEach = (file) => ({
  PostgreSQL: { file, options: { redis: null } },
  Redis: { file, options: { postgres: null } },
  memory: { file, options: { redis: null, postgres: null } },
});

export default [
  {
    name: 'token-stores-sign-in',
    title: 'Site: whole sign-in, with sessions and tokens in PostgreSQL, Redis and memory',
    services: { ...databases, provider: { file: 'targets/mock.mjs', options: { scope: 'openid' } } },
    targets: onEach('targets/site-drop-in.mjs'),
    measure: underLoad({ script: { file: './site.mjs', name: 'siteSignIn' }, count: 1500 }),
  },
  {
    name: 'token-stores-refresh',
    title: 'Site: refresh of the tokens of one login, in PostgreSQL, Redis and memory',
    services: databases,
    targets: onEach('targets/token-refresh.mjs'),
    measure: ({ target }) => target.call('run'),
  },
];
