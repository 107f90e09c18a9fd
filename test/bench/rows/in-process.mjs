const run = ({ target }) => target.call('run');
const tokenRead = (kind) => ({ file: 'targets/token-read.mjs', options: { kind } });

export default [
  {
    name: 'test-sign-in',
    title: 'Test helpers: sign-in of a supertest agent',
    targets: { 'test helpers': { file: 'targets/test-sign-in.mjs' } },
    measure: run,
    goals: [{ metric: 'sign-in ms', max: 6 }],
  },
  {
    name: 'access-token',
    title: 'Site: a fresh access token from Redis and from memory, one GET of Redis, and one that is decrypted',
    services: { redis: { file: 'targets/redis.mjs' } },
    targets: {
      Redis: tokenRead('Redis'),
      'plain GET': tokenRead('plain GET'),
      floor: tokenRead('floor'),
      memory: tokenRead('memory'),
    },
    measure: run,
    goals: [{ metric: 'us', to: 'plain GET', max: 1.3 }],
  },
  {
    name: 'colleagues',
    title: 'Site: paging over 100,000 colleagues',
    rounds: 2,
    isFresh: true,
    targets: { site: { file: 'targets/colleagues.mjs', options: { colleagueCount: 100_000 } } },
    measure: run,
    goals: [
      { metric: 'CPU growth', max: 1.25 },
      { metric: 'heap growth', max: 1.5 },
    ],
  },
  {
    name: 'forget',
    title: 'Site: delay of the event loop while a user with 1,500 logins is forgotten',
    rounds: 1,
    isFresh: true,
    targets: { site: { file: 'targets/forget.mjs', options: { logins: 1_500 } } },
    measure: run,
    goals: [{ metric: 'longest delay ms', max: 50 }],
  },
  {
    name: 'report',
    title: 'Mock provider: the report on as many requests as are stored, with known and with unknown parameters',
    targets: { 'mock provider': { file: 'targets/report.mjs' } },
    measure: run,
    goals: [
      { metric: 'known CPU ms', max: 50 },
      { metric: 'unknown CPU ms', max: 50 },
    ],
  },
];
