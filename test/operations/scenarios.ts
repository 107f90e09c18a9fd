import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './compose.js';
import { type Deployment, SESSION_SECRET } from './deployment.js';
import type { Load } from './load.js';
import { type ServerProcess, until } from './server-process.js';
import type { Scenario } from './trial.js';

/** With this lifetime of access tokens each user has a refresh every five seconds. A request may take as long on a busy machine. */
export const SHORT_LIFETIME_MS = 10_000;
const NO_USERS: ReadonlySet<string> = new Set();

/** Restarts each site process with SIGTERM, one after the other. @param changes of its environment */
export async function restartSites({ sites, startSite }: Deployment, changes?: Environment): Promise<void> {
  for (let index = 0; index < sites.length; index += 1) {
    const site = sites[index] as ServerProcess;
    const code = await site.end('SIGTERM');
    if (code !== 0) throw new Error(`${site.name} ended with ${code} after SIGTERM`);
    await startSite(index, changes);
  }
}

/** Waits for a page that reports an outage. */
async function showsOutage(load: Load): Promise<void> {
  await load.hasSeen('a page that reports the outage', ({ result }) => result === 'unavailable');
}

export const rollingRestart: Scenario = {
  title: 'rolling restart by SIGTERM',
  hasOutage: false,
  hasSignIns: true,
  async run({ deployment }) {
    await restartSites(deployment);
    return NO_USERS;
  },
};

export const killedSite: Scenario = {
  title: 'SIGKILL of a site process',
  hasOutage: false,
  async run({ deployment: { sites, startSite } }, load) {
    const waiting = new Set(load.waiting);
    await sites[0]?.end('SIGKILL');
    await load.isServed('the other process serves every user');
    await startSite(0);
    return waiting;
  },
};

export const killedRedis: Scenario = {
  title: 'SIGKILL of Redis',
  hasOutage: true,
  async run({ deployment, redis }, load) {
    await redis.master.kill();
    await showsOutage(load);
    await until('the health check fails', () => deployment.checkHealth('site-1') !== 0);
    await redis.master.start();
    await until('the health check succeeds', () => deployment.checkHealth('site-1') === 0);
    return NO_USERS;
  },
};

/** The replica becomes the master. It may lack the last writes, as Redis replicates asynchronously. */
export const killedMaster: Scenario = {
  title: 'SIGKILL of a master with a replica',
  hasOutage: true,
  async run({ redis }, load) {
    const waiting = new Set(load.waiting);
    await redis.master.kill();
    await load.isServed('the replica serves every user');
    await redis.master.start();
    return waiting;
  },
};

export const pausedRedis: Scenario = {
  title: 'paused Redis',
  hasOutage: true,
  async run({ redis }, load) {
    redis.freeze();
    await showsOutage(load).finally(redis.thaw);
    return NO_USERS;
  },
};

/** Without refreshes: the provider would process one that the site no longer waits for, and the old refresh token is invalid then. */
export const pausedProvider: Scenario = {
  title: 'paused provider',
  hasOutage: true,
  async run({ deployment: { provider } }, load) {
    provider.pause();
    try {
      await showsOutage(load);
      for (const path of ['/notes', '/account', '/api/me']) {
        await load.hasSeen(
          `${path} without the provider`,
          (exchange) => exchange.path === path && exchange.status === 200,
        );
      }
    } finally {
      provider.resume();
    }
    return NO_USERS;
  },
};

const NEW_SECRET = 'operations-new-secret-0123456789-0123456789';
const BEFORE_REMOVAL = `${NEW_SECRET} ${SESSION_SECRET}`;
const STEPS = [`${SESSION_SECRET} ${NEW_SECRET}`, BEFORE_REMOVAL, NEW_SECRET];

/** Restarts each process with the secrets of each step. A sign-in that starts at one step ends at the next one. */
export const secretRotation: Scenario = {
  title: 'rotation of the secret',
  hasOutage: false,
  hasSignIns: true,
  async run(trial, load) {
    const [username = ''] = trial.visitors.map((visitor) => visitor.username);
    let finish = await trial.newVisitor(username).startSignIn();
    for (const secrets of STEPS) {
      await restartSites(trial.deployment, { SESSION_SECRET: secrets });
      // Then no access token of before is valid: each user has tokens that were sealed, and a cookie that was signed, since then.
      if (secrets === BEFORE_REMOVAL) await sleep(SHORT_LIFETIME_MS);
      await load.isServed(`with ${secrets.split(' ').length} secrets`);
      if (!(await finish())) throw new Error('A sign-in that was started before a step of the rotation failed.');
      finish = await trial.newVisitor(username).startSignIn();
    }
    return NO_USERS;
  },
};
