import { describe, expect, test } from '@jest/globals';
import { clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, signedInAt, siteFor } from './site.js';

describe('clinician.grantOf()', () => {
  /** A site, and a worker process that shares its token store and receives no requests. */
  async function siteAndWorker() {
    const tokenStore = new MemoryTokenStore();
    const clock = provider.clock;
    const { app, clinician } = siteFor(provider, { tokenStore, clock });
    app.get('/grant-id', (req, res) => void res.json({ grantID: req.clinician.grantID }));
    const worker = clinicianLogin(loginOptions(provider, { tokenStore, clock }));
    const agent = await signedInAt(app, provider);
    const { grantID } = (await agent.get('/grant-id').expect(200)).body as { grantID: string };
    return { app, agent, clinician, worker, grantID };
  }

  test('uses the tokens of a login in another process, and refreshes them', async () => {
    const { worker, grantID, agent } = await siteAndWorker();
    expect((await worker.grantOf(grantID).api.profile()).firstName).toBe('Vera');
    provider.clock.advance('2 hours');
    await worker.grantOf(grantID).api.profile();
    expect(await worker.grantOf(grantID).state()).toMatchObject({ refreshable: true });
    await agent.get('/notes').expect(200);
  });

  test('fails as a request does after the user has signed out', async () => {
    const { worker, grantID, clinician, agent } = await siteAndWorker();
    await clinician.forget((await agent.get('/me')).body.user.id);
    await expect(worker.grantOf(grantID).api.profile()).rejects.toMatchObject({ code: 'grant_ended' });
    expect(await worker.grantOf(grantID).state()).toBeUndefined();
  });

  test('finds nothing of an invented id, or of another instance', async () => {
    const { grantID } = await siteAndWorker();
    const other = clinicianLogin(loginOptions(provider, { flow: 'profile' }));
    for (const id of ['invented', grantID])
      await expect(other.grantOf(id).api.profile()).rejects.toMatchObject({ code: 'grant_ended' });
  });
});
