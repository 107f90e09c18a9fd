import { createSite, signedInRequest } from './signed-in.mjs';

/** A clinician with many colleagues, and a site that reads all of them. */
export default async function start({ colleagueCount }) {
  const clinicians = [{ username: 'popular', npi: 1234567893, colleagueCount }];
  const site = await createSite({ scope: 'openid basic colleagues', clinicians });
  const req = await signedInRequest(site, { as: 'popular' });

  function heap() {
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  }

  /** Compares the last tenth with the second: the first one warms up. */
  async function run() {
    const marks = [];
    let count = 0;
    for await (const { id } of site.clinician.api(req).colleagues()) {
      if (id === '') throw new Error('A colleague has no id.');
      count += 1;
      if (count % (colleagueCount / 10) === 0) marks.push({ at: process.cpuUsage(), heap: heap() });
    }
    if (count !== colleagueCount) throw new Error(`${count} colleagues of ${colleagueCount}.`);
    const cpu = (mark) =>
      marks[mark].at.user + marks[mark].at.system - marks[mark - 1].at.user - marks[mark - 1].at.system;
    return {
      'CPU growth': cpu(9) / cpu(1),
      'heap growth': marks[9].heap / marks[1].heap,
      'CPU us': cpu(9) / (count / 10),
    };
  }

  return { info: {}, operations: { run } };
}
