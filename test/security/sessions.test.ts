import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { sealingSecret, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const sid = (answer: { headers: Record<string, unknown> }) =>
  ((answer.headers['set-cookie'] as string[] | undefined) ?? [])
    .find((line) => line.startsWith('connect.sid='))
    ?.split(';')[0];

describe('attack 127, 128: session fixation', () => {
  test('the id before the login is not the id after it, is dead, and what was in it is gone', async () => {
    const { app, sessions } = siteFor(provider, { session: { saveUninitialized: true } });
    const planted = sid(await supertest(app).get('/')) as string;
    const id = decodeURIComponent(planted.slice('connect.sid=s:'.length)).split('.')[0]?.replace(/^.*:/, '') as string;
    const before = await new Promise<Record<string, unknown>>((resolve) =>
      sessions.all((_error, all) => resolve((all ?? {}) as never)),
    );
    expect(Object.keys(before)).toHaveLength(1);
    const [oldID] = Object.keys(before) as [string];
    await new Promise<void>((resolve) =>
      sessions.get(oldID, (_e, found) => sessions.set(oldID, { ...found, planted: true } as never, () => resolve())),
    );

    const agent = supertest.agent(app);
    agent.jar.setCookie(planted, '127.0.0.1', '/');
    const landed = await signIn(agent, provider, { as: 'verified' });
    expect(landed.text).toBe('in');
    const after = await new Promise<Record<string, unknown>>((resolve) =>
      sessions.all((_error, all) => resolve((all ?? {}) as never)),
    );
    expect(Object.keys(after)).not.toContain(oldID);
    expect(JSON.stringify(after)).not.toContain('planted');
    expect((await supertest(app).get('/').set('Cookie', planted)).text).toBe('out');
    expect(id).not.toBe('');
  });
});

describe('signing out', () => {
  test('attack 129: ends the session here, and the old cookie is nobody; revokes at the service', async () => {
    const { app } = siteFor(provider);
    const agent = supertest.agent(app);
    const landed = await signIn(agent, provider, { as: 'verified' });
    const cookie = agent.jar
      .getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false })
      .toValueString();
    expect((await supertest(app).get('/').set('Cookie', cookie)).text).toBe('in');
    expect(landed.status).toBe(200);
    const answer = await agent
      .post('/auth/logout')
      .set({ 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' })
      .expect(303);
    expect(answer.headers.location).toMatch(`${provider.issuer}/oauth/logout?`);
    expect((await agent.get('/auth/logged-out').set('Accept', 'text/html').expect(200)).text).toContain(
      'You are signed out',
    );
    expect((await supertest(app).get('/').set('Cookie', cookie)).text).toBe('out');
    expect(provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200)).toHaveLength(1);
  });

  test.each([
    ['as it is', {}],
    [
      'with a name and settings of its own',
      { name: 'my.site', cookie: { path: '/', sameSite: 'strict', maxAge: 1e6 } },
    ],
  ] as const)("attack 129: takes the session's cookie from the browser, %s", async (_name, settings) => {
    for (const path of ['/auth/logout', '/auth/forget']) {
      const { app } = siteFor(provider, { session: settings });
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      const name = 'name' in settings ? settings.name : 'connect.sid';
      const cookies = () => agent.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false });
      expect(cookies().map((cookie) => cookie.name)).toContain(name);
      const { headers } = await agent.post(path).set('Sec-Fetch-Site', 'same-origin').expect(204);
      const gone = (headers['set-cookie'] as unknown as string[]).find((line) => line.startsWith(`${name}=;`));
      expect(gone).toContain('Max-Age=0; Path=/; HttpOnly');
      if ('cookie' in settings) expect(gone).toContain('SameSite=Strict');
    }
  });

  test.each([
    ['another site, by its own form', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sibling host', { 'Sec-Fetch-Site': 'same-site' }],
    ['another site, in an old browser', { Origin: 'https://evil.example' }],
    ['a hidden origin', { Origin: 'null' }],
    ['nobody knows where', {}],
  ])('attack 139: asked for from %s does nothing', async (_name, headers) => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/auth/logout').set(headers).expect(403);
    await agent.get('/me').expect(200);
  });

  test('attack 139: by GET does nothing', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/auth/logout').expect(405)).headers.allow).toBe('POST');
    await agent.get('/me').expect(200);
  });

  test('works in an old browser by Origin, for scripts, and for somebody who is signed out already', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/auth/logout').set('Origin', 'http://127.0.0.1:3000').expect(204);
    await agent.get('/me').expect(401);
    await agent.post('/auth/logout').set('Origin', 'http://127.0.0.1:3000').expect(204);
  });

  test('a session store that fails is not reported as success', async () => {
    const { app, sessions } = siteFor(provider);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    sessions.destroy = (_id, done) => done?.(new Error('store down'));
    const answer = await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(503);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'session_unavailable', retryable: true });
  });
});

test('attack 150: whoever signs in second in one browser gets nothing of the first', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  await signIn(agent, provider, { as: 'verified' });
  const first = (await agent.get('/me')).body;
  await signIn(agent, provider, { as: 'pending' });
  const second = (await agent.get('/me')).body;
  expect(second.identity.id).not.toBe(first.identity.id);
  expect(second).toMatchObject({ verified: false, verification: 'pending' });
  await agent.get('/notes').expect(403);
});

test('attack 198: the session holds no token, no profile, and nothing prints a secret', async () => {
  const { app, sessions, clinician } = siteFor(provider);
  let seen: unknown;
  const watched = siteFor(provider, {
    onSignIn: (event) => {
      seen = event;
      return { id: event.identity.id };
    },
  });
  for (const site of [{ app, sessions }, watched])
    await signIn(supertest.agent(site.app), provider, { as: 'verified' });
  const all = await new Promise<unknown>((resolve) => sessions.all((_error, found) => resolve(found)));
  const [login] = Object.values(all as Record<string, { clinician: object }>);
  expect(Object.keys(login?.clinician ?? {}).sort()).toEqual([
    'grantID',
    'identity',
    'scope',
    'sessionState',
    'since',
    'user',
    'userKey',
  ]);

  const { tokens } = seen as {
    tokens: { accessToken: { reveal(): string }; refreshToken: { reveal(): string }; idToken: { reveal(): string } };
  };
  const secrets = [
    sealingSecret,
    provider.clients.openid.clientSecret,
    ...[tokens.accessToken, tokens.refreshToken, tokens.idToken].map((token) => token.reveal()),
  ];
  const { email } = provider.clinicians.get('verified');
  const printed = [
    JSON.stringify(all),
    inspect(clinician, { depth: 20, showHidden: true }),
    inspect(clinician.strategy, { depth: 20, showHidden: true }),
    JSON.stringify(clinician.strategy),
    inspect(tokens, { depth: 20 }),
    JSON.stringify(tokens),
    inspect((seen as { tokens: unknown }).tokens, { depth: 20 }),
  ];
  for (const text of printed) for (const secret of secrets) expect(text).not.toContain(secret);
  expect(JSON.stringify(all)).not.toContain(email);
});
