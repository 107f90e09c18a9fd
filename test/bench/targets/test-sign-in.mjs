import request from 'supertest';
import { importPackage } from '../package-entry.mjs';
import { createSite } from './signed-in.mjs';

const TIMES = 20;

/** A test suite: each sign-in has a new supertest agent. */
export default async function start() {
  const { signIn, signOut } = await importPackage('./testing');
  const { startMockProvider } = await importPackage('./mock-provider');
  const { app, provider } = await createSite();
  app.get('/', (_req, res) => res.send('home'));

  async function run() {
    const ms = { 'sign-in ms': 0, 'sign-in CPU ms': 0, 'sign-out ms': 0, 'another provider ms': 0 };
    for (let index = 0; index < TIMES; index += 1) {
      const agent = request.agent(app);
      const before = process.cpuUsage();
      ms['sign-in ms'] += await timed(() => signIn(agent, provider, { as: 'verified' }));
      const { user, system } = process.cpuUsage(before);
      ms['sign-in CPU ms'] += (user + system) / 1000;
      ms['sign-out ms'] += await timed(() => signOut(agent, provider));
    }
    // After the sign-ins, which would otherwise collect the garbage of the providers.
    for (let index = 0; index < TIMES; index += 1) {
      let another;
      ms['another provider ms'] += await timed(async () => {
        another = await startMockProvider();
      });
      await another.stop();
    }
    return Object.fromEntries(Object.entries(ms).map(([metric, total]) => [metric, total / TIMES]));
  }

  return { info: {}, operations: { run } };
}

async function timed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
