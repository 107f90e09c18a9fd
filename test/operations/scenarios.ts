import type { Deployment } from './deployment.js';
import type { Load } from './load.js';

/** The Redis of a deployment, of any kind. */
export interface RedisUnderTest {
  /** The REDIS_URL of the site. */
  url: string;
  /** Ends a master with SIGKILL. */
  kill(): Promise<void>;
  /** Starts what was killed. */
  start(): Promise<void>;
  /** Suspends every server, or resumes it. */
  freeze(): void;
  thaw(): void;
  dispose(): Promise<void>;
}

/** What happens to a deployment while its users open pages. */
export interface Scenario {
  title: string;
  /** True where users may get pages with status 503 in the meantime. */
  hasOutage: boolean;
  /** @returns the users who may be signed out: a process that was killed had a request of theirs */
  run(deployment: Deployment, redis: RedisUnderTest, load: Load): Promise<ReadonlySet<string>>;
}

const NO_USERS: ReadonlySet<string> = new Set();

async function paused(servers: { pause(): void; resume(): void }, load: Load): Promise<void> {
  servers.pause();
  try {
    await load.hasSeen('a page that reports the outage', ({ result }) => result === 'unavailable');
  } finally {
    servers.resume();
  }
}

export const scenarios: readonly Scenario[] = [
  {
    title: 'SIGKILL of a site process',
    hasOutage: false,
    async run({ sites, startSite }, _redis, load) {
      const waiting = new Set(load.waiting);
      await sites[0]?.end('SIGKILL');
      await load.isServed('the other process serves every user');
      await startSite(0);
      return waiting;
    },
  },
  {
    title: 'SIGKILL of Redis',
    hasOutage: true,
    async run(_deployment, redis, load) {
      await redis.kill();
      await load.hasSeen('a page that reports the outage', ({ result }) => result === 'unavailable');
      await redis.start();
      return NO_USERS;
    },
  },
  {
    title: 'paused Redis',
    hasOutage: true,
    async run(_deployment, redis, load) {
      await paused({ pause: redis.freeze, resume: redis.thaw }, load);
      return NO_USERS;
    },
  },
];
