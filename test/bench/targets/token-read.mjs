import { createClient } from 'redis';
import request from 'supertest';
import { importPackage } from '../package-entry.mjs';
import { REDIRECT_URI, SECRET } from './key.mjs';
import { createApp } from './site.mjs';

const READS = 20_000;

/** Reads the stored tokens of a login, which is what a fresh access token costs. @param isPlain reads a text of that size only */
export default async function start({ isPlain, redis }) {
  const client = await createClient({ url: redis.url }).connect();
  const read = isPlain ? await plainRead(client) : await tokenRead(client);

  /** @returns the CPU time of a read, in microseconds */
  async function run() {
    const before = process.cpuUsage();
    for (let index = 0; index < READS; index += 1) await read();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / READS;
  }

  return { info: {}, operations: { run } };
}

async function tokenRead(client) {
  const { clinician, req } = await signIn(client);
  const grant = clinician.grant(req);
  return async () => {
    if ((await grant.state()) === undefined) throw new Error('The tokens are not stored.');
  };
}

/** Signs in at a site in this process. @returns a request of the signed-in user, which stays usable after its response */
async function signIn(client) {
  const { startMockProvider } = await importPackage('./mock-provider');
  const { clinicianLogin } = await importPackage();
  const { RedisTokenStore } = await importPackage('./redis');
  const testing = await importPackage('./testing');
  const provider = await startMockProvider();
  const { clientID, clientSecret } = provider.clients.openid;
  const clinician = clinicianLogin({
    ...{ issuer: provider.issuer, apiURL: provider.apiURL, clientID, clientSecret, scope: 'openid basic' },
    ...{ secret: SECRET, tokenStore: new RedisTokenStore({ client }), callbackURL: REDIRECT_URI },
  });
  let req;
  const app = createApp()
    .use(clinician)
    .get('/', clinician.requireLogin(), (signedIn, res) => {
      req = signedIn;
      res.send('home');
    });
  const agent = request.agent(app);
  await testing.signIn(agent, provider, { as: 'verified' });
  await agent.get('/').expect(200);
  return { clinician, req };
}

async function plainRead(client) {
  const value = 'x'.repeat(1_500);
  await client.set('value', value);
  return async () => {
    if ((await client.get('value')) !== value) throw new Error('Redis returns another value.');
  };
}
