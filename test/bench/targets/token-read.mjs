import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { importPackage } from '../package-entry.mjs';
import { createSite, signedInRequest } from './signed-in.mjs';

const READS = 20_000;

/**
 * Reads the stored tokens of a login, which is what a fresh access token costs.
 * @param kind memory or Redis; `plain GET` of Redis; or `floor`, one GET whose value is only decrypted and parsed
 */
export default async function start({ kind, redis }) {
  const client =
    kind === 'memory' ? undefined : await (await import('redis')).createClient({ url: redis.url }).connect();
  const reads = { Redis: tokenRead, memory: tokenRead, 'plain GET': plainGet, floor: openedGet };
  const read = await reads[kind](client);

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
  const { MemoryTokenStore } = await importPackage();
  const { RedisTokenStore } = await importPackage('./redis');
  const site = await createSite({ tokenStore: client ? new RedisTokenStore({ client }) : new MemoryTokenStore() });
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

/** The value is encrypted like a sealed grant, and has about its size. */
async function openedGet(client) {
  const key = createSecretKey(randomBytes(32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const text = [cipher.update(JSON.stringify({ token: 'x'.repeat(1_050) })), cipher.final()];
  await client.set('encrypted', Buffer.concat([iv, ...text, cipher.getAuthTag()]).toString('base64url'));
  return async () => {
    const bytes = Buffer.from(await client.get('encrypted'), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    if (JSON.parse(plain.toString()).token.length !== 1_050) throw new Error('Redis returns another value.');
  };
}
