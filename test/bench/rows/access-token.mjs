const tokenRead = (kind) => ({ file: 'targets/token-read.mjs', options: { kind } });

export default {
  name: 'access-token',
  title: 'Site: a fresh access token from Redis and from memory, one GET of Redis, and one that is decrypted',
  services: { redis: { file: 'targets/redis.mjs' } },
  targets: {
    Redis: tokenRead('Redis'),
    'plain GET': tokenRead('plain GET'),
    floor: tokenRead('floor'),
    memory: tokenRead('memory'),
  },
  measure: ({ target }) => target.call('run'),
  goals: [{ metric: 'us', to: 'plain GET', max: 1.3 }],
};
