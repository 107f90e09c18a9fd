import { describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { withNodeEnv } from '../../helpers.js';
import { authorizePath, callback, heading, type PageResponse, textOf, unescapeHTML, Visitor } from '../visitor.js';

const PASSWORD = 'a password of the team';

/** @returns the user names and the texts of the buttons. */
function buttonsOf({ text }: PageResponse): string[][] {
  const buttons = text.matchAll(/<button type="submit" name="as" value="([^"]*)"[^>]*>(.*?)<\/button>/g);
  return [...buttons].map(([, name = '', label = '']) => [name, label.replace(/<[^>]*>/g, '')].map(unescapeHTML));
}

/** A visitor whose requests have the header of a proxy: they may be of another machine. */
function throughProxy(to: MockProvider): Visitor {
  return new Visitor(to, (url, init) => {
    const headers = { ...(init?.headers as Record<string, string>), 'x-forwarded-for': '203.0.113.9' };
    return fetch(url, { ...init, headers });
  });
}

async function expectRefused(visitor: Visitor, login: PageResponse, username: string): Promise<void> {
  const again = await visitor.submit(login, { as: username });
  expect(again.status).toBe(400);
  expect(textOf(again)).toContain('The user name or the password is incorrect.');
  expect([...visitor.cookies.keys()].filter((name) => name.endsWith('_session'))).toEqual([]);
}

describe('the login page', () => {
  test('has a button with name and state for each user', async () => {
    const login = await new Visitor(provider).get(authorizePath(provider));
    const buttons = buttonsOf(login);
    expect(buttons.map(([name]) => name)).toEqual(provider.clinicians.names());
    expect(buttons.slice(0, 2)).toEqual([
      ['verified', 'Vera Castellanos, MD verified'],
      ['pending', 'Peter Nakamura, DO, not verified pending'],
    ]);
  });

  test('signs a user in with one click, and in with typing as before', async () => {
    const visitor = new Visitor(provider);
    const consent = await visitor.submit(await visitor.get(authorizePath(provider)), { as: 'pending' });
    expect(textOf(consent)).toContain('Signed in as Peter Nakamura, DO');
    expect(callback(await visitor.submit(consent, { decision: 'approve' })).get('code')).toEqual(expect.any(String));
    const typing = new Visitor(provider);
    const other = await typing.signIn(await typing.get(authorizePath(provider)), 'connected');
    expect(textOf(other)).toContain('Signed in as Carla Osei');
  });
});

describe('a clinician of the configuration', () => {
  const una = { username: 'user-0', password: PASSWORD, firstName: 'Una', lastName: 'Number 0', credentials: 'NP' };
  const team = { clinicians: [una] };

  test('with a password of its own signs in with one click at the machine of the provider only', async () => {
    await using own = await startMockProvider(team);
    const visitor = new Visitor(own);
    const consent = await visitor.submit(await visitor.get(authorizePath(own)), { as: 'user-0' });
    expect(textOf(consent)).toContain('Signed in as Una Number 0, NP');
    const other = throughProxy(own);
    const login = await other.get(authorizePath(own));
    expect(login.text).not.toContain('user-0');
    expect(buttonsOf(login)).toHaveLength(5);
    await expectRefused(other, login, 'user-0');
  });

  test.each([
    ['a public URL', { publicURL: 'https://mock.example' }],
    ['NODE_ENV=production', { allowInProduction: true }],
  ])('with a password of its own types it where the provider has %s', async (_, options) => {
    await withNodeEnv('allowInProduction' in options ? 'production' : process.env.NODE_ENV, async () => {
      await using own = await startMockProvider({ ...team, ...options });
      // Without a socket, as a test requests it: the address of the provider is not one of this machine.
      const visitor = new Visitor(own, own.fetch as typeof fetch);
      const login = await visitor.get(authorizePath(own));
      expect(buttonsOf(login)).toHaveLength(5);
      await expectRefused(visitor, login, 'user-0');
      const credentials = { username: 'user-0', password: PASSWORD };
      const typed = await visitor.submit(await visitor.get(authorizePath(own)), credentials);
      expect(textOf(typed)).toContain('Signed in as Una Number 0, NP');
    });
  });
});

describe('the name of the application', () => {
  test.each([
    ['is the registered one', { name: 'Clinic Notes' }, 'Clinic Notes'],
    ['is the host of the redirect URI', {}, 'clinic.example'],
  ])('%s', async (_, named, expected) => {
    const redirect_uri = 'https://clinic.example/callback';
    const client = provider.registerClient({
      clientID: expected,
      flow: 'openid',
      redirectURIs: [redirect_uri],
      ...named,
    });
    const visitor = new Visitor(provider);
    const request = { client_id: client.clientID, scope: 'openid', redirect_uri };
    const login = await visitor.get(authorizePath(provider, request));
    expect(textOf(login)).toContain(`to continue to ${expected}`);
    expect(heading(await visitor.signIn(login, 'verified'))).toBe(`${expected} asks for your approval`);
  });
});
