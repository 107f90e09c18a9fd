import { underLoad } from '../runner.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const LIFETIME_S = 10;
/** Other users, because the site ends the oldest of more than 50 logins of one user. */
const USERNAMES = Array.from({ length: 64 }, (_, index) => `user-${index}`);
const PAGES = [
  { path: '/', text: '<html' },
  { path: '/api/me', text: '"isAuthenticated":true' },
  { path: '/notes', text: '<html' },
  { path: '/account', text: '<html' },
];

const redis = { file: 'targets/redis.mjs' };
const provider = (options) => ({ file: 'targets/mock.mjs', options });
const processes = (of, count) => ({ file: 'targets/processes.mjs', options: { of, processes: count } });

/** The tokens are refreshed from the half of their lifetime on: once, however many requests and processes need it. */
async function countRefreshes({ target, load, service }) {
  await service('provider').call('refreshes');
  const requests = { connections: 32, count: 32 * target.info.origins.length };
  const script = { file: './site.mjs', name: 'expiredToken' };
  await load.call('prepare', { ...requests, script, info: target.info, expiresAfterMs: LIFETIME_S * 520 });
  const { elapsedMs } = await load.call('run');
  if (elapsedMs > LIFETIME_S * 450) throw new Error('The machine is too busy: a second refresh was due.');
  return { refreshes: await service('provider').call('refreshes') };
}

const visit = underLoad({
  script: { file: './site.mjs', name: 'visitPages' },
  connections: USERNAMES.length,
  seconds: SECONDS,
  pages: PAGES,
  usernames: USERNAMES,
});

/** Any error ends the measurement. The first part is the warm-up: the memory is that of its end. */
async function visitTwice(context) {
  await visit(context);
  const before = await context.target.call('memory');
  const measured = await visit(context);
  return { 'memory growth': (await context.target.call('memory')) / before, ...measured };
}

const SITE = 'targets/site-drop-in.mjs';
const REFERENCE_SITE = 'targets/reference-site.mjs';

export default [
  {
    name: 'one-refresh',
    title: 'Site: refreshes of one access token that many requests need at the same time',
    services: {
      redis,
      provider: provider({ scope: 'openid basic', lifetimes: { accessToken: `${LIFETIME_S} seconds` } }),
    },
    rounds: 3,
    targets: { '1 process': processes(SITE, 1), '2 processes': processes(SITE, 2), '4 processes': processes(SITE, 4) },
    measure: countRefreshes,
    goals: [
      { metric: 'refreshes', min: 1, max: 1 },
      { metric: 'refreshes', to: '2 processes', min: 1, max: 1 },
      { metric: 'refreshes', to: '4 processes', min: 1, max: 1 },
    ],
  },
  ...[1, 2].map((count) => ({
    name: `connections-${count}`,
    title: `Reference site: 64 connections, with ${count === 1 ? 'one process' : 'two processes'}`,
    services: { redis, provider: provider({ clinicians: USERNAMES.map((username) => ({ username })) }) },
    rounds: 1,
    isFresh: true,
    targets: { 'reference site': processes(REFERENCE_SITE, count) },
    measure: visitTwice,
    goals: [{ metric: 'memory growth', max: 1.1 }],
  })),
];
