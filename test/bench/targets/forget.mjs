import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { importPackage } from '../package-entry.mjs';
import { createSite } from './signed-in.mjs';

/** A user with many logins, who is forgotten. */
export default async function start({ logins }) {
  let revocations = 0;
  const site = await createSite({
    login: (provider) => ({
      onSignIn: () => ({ id: 'me' }),
      // Responds to revocations here, so that the work of the provider is not measured.
      async fetch(url, init) {
        if (!url.endsWith('/oauth/revoke')) return await provider.fetch(url, init);
        revocations += 1;
        await sleep(1);
        return new Response(null, { status: 200 });
      },
    }),
  });
  const { signIn } = await importPackage('./testing');
  for (let login = 0; login < logins; login += 1)
    await signIn(request.agent(site.app), site.provider, { as: 'verified' });

  async function run() {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    await sleep(100);
    delay.enable();
    await sleep(100);
    delay.reset();
    const startedAt = performance.now();
    await site.clinician.forget('me');
    const elapsedMs = performance.now() - startedAt;
    await sleep(10);
    delay.disable();
    if (revocations !== logins) throw new Error(`${revocations} revocations of ${logins} logins.`);
    return { 'longest delay ms': delay.max / 1e6, ms: elapsedMs };
  }

  return { info: {}, operations: { run } };
}
