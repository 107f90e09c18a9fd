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

describe('clinician.signOutOthers(req)', () => {
  async function threeDevices() {
    const store = new MemoryTokenStore();
    const events: unknown[] = [];
    const site = siteFor(provider, { tokenStore: store, onEvent: (event) => events.push(event) });
    const { app, clinician } = site;
    app.post('/sign-out-others', clinician.requireSameOrigin(), async (req, res, next) => {
      await clinician.signOutOthers(req).then((count) => res.json({ count }), next);
    });
    app.use(clinician.errorHandler());
    const agentAs = async (as: string) => {
      return await signedInAt(app, provider, as);
    };
    const [here, phone, tablet] = [await agentAs('verified'), await agentAs('verified'), await agentAs('verified')];
    return { ...site, store, events, here, phone, tablet, otherUser: await agentAs('minimal') };
  }
  const script = { 'Sec-Fetch-Site': 'same-origin' };

  test('ends the other logins of the user with their sessions and tokens, and neither this one nor those of others', async () => {
    const { here, phone, tablet, otherUser, sessions, store, events } = await threeDevices();
    const userID = (await here.get('/me')).body.user.id as string;
    await here.post('/sign-out-others').set(script).expect(200, { count: 2 });
    await phone.get('/me').expect(401);
    await tablet.get('/me').expect(401);
    await here.get('/notes').expect(200);
    await otherUser.get('/me').expect(200);
    expect(await store.grantsOf(userID)).toHaveLength(1);
    expect(provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200)).toHaveLength(2);
    expect(events).toContainEqual(expect.objectContaining({ name: 'signed_out', userID, logins: 2 }));
    const stored = Object.values((sessions as unknown as { sessions: Record<string, string> }).sessions);
    expect(stored.filter((text) => text.includes(userID))).toHaveLength(1);
    await here.post('/sign-out-others').set(script).expect(200, { count: 0 });
  });
});
