import { createSite, signedInRequest } from './signed-in.mjs';
import { openStores } from './stores.mjs';

const REFRESHES = 500;

/** Refreshes the tokens of a login: a lock, a read, a request to the mock provider in this process, a write and a release. */
export default async function start(databases) {
  const { tokenStore } = await openStores(databases);
  const site = await createSite({ tokenStore });
  const grant = site.clinician.grant(await signedInRequest(site));

  async function run() {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    for (let index = 0; index < REFRESHES; index += 1) await grant.refresh();
    const elapsedMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    return { us: (elapsedMs * 1000) / REFRESHES, 'CPU us': (user + system) / REFRESHES };
  }

  return { info: {}, operations: { run } };
}
