const file = 'targets/token-read.mjs';

export default {
  name: 'access-token',
  title: 'fresh access token from Redis',
  unit: 'CPU us',
  services: { redis: { file: 'targets/redis.mjs' } },
  targets: { Redis: { file }, 'plain GET': { file, options: { isPlain: true } } },
  measure: ({ target }) => target.call('run'),
  goals: { 'plain GET': 1.3 },
};
