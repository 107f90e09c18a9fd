import { tracingChannel } from 'node:diagnostics_channel';
import { createSite, signedInRequest } from './signed-in.mjs';

const CALLS = 200_000;

/** Only the handlers of a guarded request: the request and its session are objects in memory. @param isTraced adds a subscriber */
export default async function start({ isTraced }) {
  const site = await createSite();
  const req = await signedInRequest(site);
  const guard = site.clinician.requireLogin();
  if (isTraced) tracingChannel('passport-clinician:guard').subscribe({ end: () => undefined });

  function run() {
    let passed = 0;
    const next = () => {
      passed += 1;
    };
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call += 1) guard(req, req.res, next);
    const { user, system } = process.cpuUsage(before);
    if (passed !== CALLS) throw new Error(`${passed} of ${CALLS} requests have passed the guard.`);
    return { 'CPU ns': ((user + system) * 1000) / CALLS };
  }

  return { info: {}, operations: { run } };
}
