import { afterEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { type ClinicianLoginOptions, DeniedError, deny, type SignInEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { shortenSiteTimeout } from '../helpers.js';
import { siteOf } from './login-paths.js';
import { navigation, signedInAt, siteFor } from './site.js';
import { siteAt } from './strategy-site.js';

test.each(['openid', 'profile'] as const)(
  'onSignIn receives the claims of the ID Token, if any: %s flow',
  async (flow) => {
    const events: SignInEvent[] = [];
    const onSignIn = (event: SignInEvent) => {
      events.push(event);
      return { id: event.identity.id };
    };
    await signIn(supertest.agent(siteFor(provider, { flow, onSignIn }).app), provider, { as: 'verified' });
    const claims = { iss: provider.issuer, sub: events[0]?.identity.id };
    expect(events[0]?.claims).toEqual(flow === 'openid' ? expect.objectContaining(claims) : undefined);
  },
);

describe('a sign-in that is denied', () => {
  test.each([
    ['undefined', () => undefined, 'user_invalid'],
    ['an error', () => new Error('no such user'), 'site_error'],
    ['false', () => false, 'sign_in_refused'],
    ['a thrown error', () => Promise.reject(new Error('database down')), 'site_error'],
    ['a thrown DeniedError', () => Promise.reject(new DeniedError('sign_in_refused', 'No')), 'sign_in_refused'],
  ])('by onSignIn with %s: signs no user in', async (_name, onSignIn, code) => {
    const caught: string[] = [];
    const site = siteFor(provider, {
      onSignIn: onSignIn as () => never,
      onError: (error, _req, res) => {
        caught.push(error.code);
        res.status(error.status).end();
      },
    });
    const agent = await signedInAt(site.app, provider);
    expect(caught).toEqual([code]);
    await agent.get('/me').expect(401);
  });
});

test('deny() can have a link, which the page shows, also after a redirect', async () => {
  const onSignIn = () => deny('Surgeons only', { label: 'Apply <here>', url: '/apply?from=a&b' });
  const agent = supertest.agent(siteFor(provider, { onSignIn }).app).set(navigation);
  const { text } = await signIn(agent, provider, { as: 'verified' });
  expect(text).toMatch(/clinician-button[^>]* href="\/apply\?from=a&amp;b"><span>Apply &lt;here&gt;<\/span>/);
  const [, another = ''] = /href="([^"]+)">Use another account</.exec(text) ?? [];
  const { headers } = await agent.get(another.replaceAll('&amp;', '&')).expect(302);
  expect(new URL(headers.location as string).searchParams.get('prompt')).toBe('login');
});

test.each([
  'javascript:alert(1)',
  'http://apply.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  ' https://a.example',
  '',
  `/apply?${'a'.repeat(1000)}`,
])('deny() refuses a link to %j', (url) => {
  expect(() => deny('No.', { label: 'Apply', url })).toThrow(/the link of deny\(\)/);
  for (const label of ['', 'a'.repeat(101)])
    expect(() => deny('No.', { label, url: '/apply' })).toThrow(/the link of deny\(\)/);
});

describe("the site's own decision about a user", () => {
  afterEach(() => void jest.restoreAllMocks());

  test.each(['drop-in', 'strategy'] as const)(
    'that does not come within 30 seconds ends the sign-in: %s',
    async (path) => {
      const waits = shortenSiteTimeout();
      let decide: (user: { id: string }) => void = () => undefined;
      const onSignIn = () => new Promise<{ id: string }>((resolve) => (decide = resolve));
      const agent = supertest.agent(siteAt(provider, path, { onSignIn }).app);
      const { status, text } = await signIn(agent, provider, { as: 'verified' });
      expect([status, waits.length]).toEqual([500, 4]);
      expect(text).toContain('site_error');
      expect(provider.requests.filter((request) => request.path === '/oauth/revoke')).toHaveLength(1);
      decide({ id: 'late' });
      await new Promise((resolve) => setImmediate(resolve));
      await agent.get('/me').set('Accept', 'application/json').expect(401);
    },
  );
});

describe('data of the session before the sign-in', () => {
  type By = 'drop-in' | 'Passport';
  const BY: By[] = ['drop-in', 'Passport'];

  /** A site whose session contains what is posted to it, also before the sign-in. */
  function shop(by: By, onSignIn: NonNullable<ClinicianLoginOptions['onSignIn']>) {
    const start = { state: 'a button', returnTo: '/session' };
    const path = by === 'Passport' ? 'Passport first' : 'drop-in';
    const { app, clinician } = siteOf(provider, path, { start, onSignIn, onEvent: () => undefined });
    app.post('/session', express.json(), (req, res) => void res.json(Object.assign(req.session, req.body)));
    app.post('/login', (req, res) => clinician.login(req, res, start));
    app.get('/session', (req, res) => {
      const { cookie: _, clinician: __, passport: ___, ...data } = req.session as unknown as Record<string, unknown>;
      res.json({ data, user: (req.user as { id?: string } | undefined)?.id, id: req.sessionID });
    });
    return supertest.agent(app);
  }

  test.each(BY)('by %s: only what onSignIn carries over is in the new session', async (by) => {
    let event: SignInEvent | undefined;
    const agent = shop(by, (received) => {
      event = received;
      received.carryOver({ cart: received.previousSession.cart });
      return { id: 'ada' };
    });
    await agent.post('/session').send({ cart: ['gloves'], planted: 'by an attacker' });
    const { id: before } = (await agent.get('/session')).body;
    await signIn(agent, provider, { as: 'verified' });
    const { data, user, id } = (await agent.get('/session')).body;
    expect([data, user]).toEqual([{ cart: ['gloves'] }, 'ada']);
    expect(id).not.toBe(before);
    expect(event?.previousSession).toEqual({ cart: ['gloves'], planted: 'by an attacker' });
  });

  test.each([
    ['the members of the package', { clinician: {} }, "the member 'clinician'"],
    ['a method of the session', { save: 1 }, "the member 'save'"],
    ['the prototype', JSON.parse('{ "__proto__": {} }'), "the member '__proto__'"],
    ['a text', 'cart', 'needs an object'],
  ])('%s cannot be carried over', async (_name, data, message) => {
    const refused: string[] = [];
    const agent = shop('drop-in', ({ carryOver }) => {
      try {
        carryOver(data as object);
      } catch (error) {
        refused.push((error as Error).message);
      }
      return {};
    });
    await signIn(agent, provider, { as: 'verified' });
    expect(refused).toEqual([expect.stringContaining(message)]);
    expect((await agent.get('/session')).body.data).toEqual({});
  });

  test('onSignIn receives the state of the login', async () => {
    const states: unknown[] = [];
    for (const by of BY) {
      const agent = shop(by, ({ state }) => {
        states.push(state);
        return {};
      });
      const login =
        by === 'Passport' ? agent.get('/auth/login') : agent.post('/login').set('Sec-Fetch-Site', 'same-origin');
      const { headers } = await login;
      expect(String(headers.location)).not.toContain('a+button');
      const callback = new URL(await provider.signIn(String(headers.location), { as: 'verified' }));
      await agent.get(callback.pathname + callback.search).expect(302);
    }
    expect(states).toEqual(['a button', 'a button']);
  });
});
