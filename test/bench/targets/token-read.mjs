import { importPackage } from '../package-entry.mjs';
import { createSite, signedInRequest } from './signed-in.mjs';

const READS = 20_000;

/** Reads the stored tokens of a login, which is what a fresh access token costs. @param kind memory, Redis, or one GET of Redis */
export default async function start({ kind, redis }) {
  const client =
    kind === 'memory' ? undefined : await (await import('redis')).createClient({ url: redis.url }).connect();
  const read = kind === 'plain GET' ? await plainGet(client) : await tokenRead(client);

  async function run() {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    for (let index = 0; index < READS; index += 1) await read();
    const elapsedMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    return { us: (elapsedMs * 1000) / READS, 'CPU us': (user + system) / READS };
  }

  return { info: {}, operations: { run } };
}

async function tokenRead(client) {
  const { RedisTokenStore } = await importPackage('./redis');
  const site = await createSite({ tokenStore: client && new RedisTokenStore({ client }) });
  const req = await signedInRequest(site);
  const grant = site.clinician.grant(req);
  return async () => {
    if ((await grant.state()) === undefined) throw new Error('The tokens are not stored.');
  };
}

/** The value has the size of a sealed grant. */
async function plainGet(client) {
  const value = 'x'.repeat(1_500);
  await client.set('value', value);
  return async () => {
    if ((await client.get('value')) !== value) throw new Error('Redis returns another value.');
  };
}
