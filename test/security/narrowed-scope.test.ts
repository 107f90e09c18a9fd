import { expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { createFetch } from '../../lib/http/http.js';
import { type Fetch, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { textOf } from '../helpers.js';
import { sameOriginScript, sealingSecret, siteFor } from '../integration/site.js';

const send = createFetch();

/** Sends requests to the service. A refresh returns the scope `refreshed.scope`. */
function fetchWithScope(refreshed: { scope: string }): Fetch {
  return async (url, init) => {
    const response = await send(url, init);
    if (!String(init?.body ?? '').includes('grant_type=refresh_token')) return response;
    return Response.json({ ...(JSON.parse(await textOf(response)) as object), scope: refreshed.scope });
  };
}

const NARROWED = 'openid basic';
const ALL = ['openid', 'basic', 'colleagues', 'email'];

/** Two processes of one site. */
function processes() {
  const refreshed = { scope: NARROWED };
  const shared = {
    tokenStore: new MemoryTokenStore({ clock: provider.clock }),
    session: { store: new session.MemoryStore(), secret: sealingSecret },
    clock: provider.clock,
    fetch: fetchWithScope(refreshed),
  };
  const start = () => {
    const { app, clinician } = siteFor(provider, shared);
    app.get('/colleagues', clinician.requireScope('colleagues'), (_req, res) => void res.send('shown'));
    app.get('/scope', (req, res) => void res.json(req.clinician.scope));
    app.post('/refresh', clinician.requireSameOrigin(), (req, res, next) => {
      clinician
        .grant(req)
        .refresh()
        .then(() => res.json(req.clinician.scope), next);
    });
    return app;
  };
  return { one: start(), other: start(), refreshed };
}

test('a refresh that narrows the scope ends access to what needs the rest, at once in its process', async () => {
  const { one, other, refreshed } = processes();
  const agent = supertest.agent(one);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/colleagues').expect(200);
  const cookie = agent.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false }).toValueString();
  const onOther = (path: string) => supertest(other).get(path).set('Cookie', cookie);
  await onOther('/colleagues').expect(200);

  // The request itself sees the new scope.
  expect((await agent.post('/refresh').set(sameOriginScript).expect(200)).body).toEqual(['openid', 'basic']);
  expect((await agent.get('/scope')).body).toEqual(['openid', 'basic']);
  expect((await agent.get('/colleagues').set('Accept', 'application/json').expect(403)).body.code).toBe(
    'scope_missing',
  );

  // The other process reads the tokens again after five minutes.
  expect((await onOther('/scope')).body).toEqual(ALL);
  provider.clock.advance('301 seconds');
  await onOther('/colleagues').expect(403);
  expect((await onOther('/scope')).body).toEqual(['openid', 'basic']);

  // A later refresh that returns the granted scope again restores the access.
  refreshed.scope = ALL.join(' ');
  await agent.post('/refresh').set(sameOriginScript).expect(200);
  await agent.get('/colleagues').expect(200);
});

test('a refresh that narrows the scope to openid makes the verification unknown', async () => {
  const { one, refreshed } = processes();
  const agent = supertest.agent(one);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200);
  refreshed.scope = 'openid';
  await agent.post('/refresh').set(sameOriginScript).expect(200);
  expect((await agent.get('/me')).body).toMatchObject({ scope: ['openid'], verified: false, verification: 'unknown' });
  await agent.get('/notes').expect(403);
});
