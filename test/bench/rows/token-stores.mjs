import { underLoad } from '../runner.mjs';

const file = 'targets/site-drop-in.mjs';

export default {
  name: 'token-stores',
  title: 'sign-in, sessions and tokens in PostgreSQL',
  unit: 'CPU us',
  services: {
    redis: { file: 'targets/redis.mjs' },
    postgres: { file: 'targets/postgres.mjs' },
    provider: { file: 'targets/mock.mjs', options: { scope: 'openid' } },
  },
  targets: {
    PostgreSQL: { file, options: { redis: null } },
    Redis: { file, options: { postgres: null } },
    memory: { file, options: { redis: null, postgres: null } },
  },
  measure: underLoad({ script: { file: './site.mjs', name: 'siteSignIn' }, count: 1500 }),
};
