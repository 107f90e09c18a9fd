import { describe, expect, test } from '@jest/globals';
import type { LoginSession } from '../../lib/session/login-session.js';
import type { SessionLogin } from '../../lib/session/logins.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import type { Attempt } from '../../lib/sign-in/attempts.js';
import { SessionUser } from '../../lib/sign-in/user-change.js';

const identity = (id: string) => ({ id, issuer: 'https://auth.example' });
const login = { grantID: 'g', id: '1', userKey: 'site-1', user: { displayName: 'Alice' } };
const attempt = (appState: object = {}) =>
  ({ scope: ['openid'], returnTo: '/notes', appState: { mode: 'page', owner: 'drop-in', ...appState } }) as Attempt;
const changed = expect.objectContaining({ code: 'user_change_unconfirmed' });

interface Session {
  login?: object | undefined;
  /** The user of another strategy of Passport. */
  passport?: string;
  /** True where `login` is of another user than Passport's. */
  foreign?: boolean;
  hasOthers?: boolean;
}

function sessionUser({ login: found, passport, foreign = false, hasOthers = false }: Session): SessionUser {
  const loginSession = {
    belongsToOtherUser: () => foreign,
    hasOthers: () => hasOthers,
    read: () => found as SessionLogin | undefined,
  } as unknown as LoginSession;
  const _sessionManager = {
    _serializeUser: (user: { id: string }, _req: object, done: (error: unknown, id: string) => void) =>
      done(null, user.id),
  };
  const session = { ...(passport !== undefined && { passport: { user: passport } }) };
  return new SessionUser(loginSession, { session, _sessionManager } as unknown as SessionRequest);
}

describe('the user of a session', () => {
  test.each<[string, Session, string | undefined]>([
    ['a login', { login }, 'g'],
    ['no user', {}, undefined],
    ['a login of another user than that of Passport', { login, foreign: true }, undefined],
  ])('has an id by its login: %s', (_title, session, id) => {
    expect(sessionUser(session).id).toBe(id);
  });

  test('that Passport has signed in has an id that does not contain it', () => {
    expect(sessionUser({ passport: 'alice' }).id).toMatch(/^[\w-]{43}$/);
  });

  test.each<[string, Session, boolean]>([
    ['the same user', { login }, true],
    ['no user', {}, true],
    ['another user', { login: { ...login, id: '2' } }, false],
    ['a user of another strategy of Passport', { passport: 'alice' }, false],
    ['a user of another instance', { hasOthers: true }, false],
  ])('owns the data of the session: %s', (_title, session, owns) => {
    expect(sessionUser(session).ownsSession(identity('1'))).toBe(owns);
  });
});

describe('a change of the user', () => {
  const found = (id: string, site?: object) => ({
    identity: identity(id),
    ...(site && { site: { user: site, userKey: (site as { id: string }).id } }),
  });

  test.each<[string, Session, ReturnType<typeof found>]>([
    ['where no user is signed in', {}, found('2')],
    ['for the same identity', { login }, found('1')],
    ['for the same user of the site', { login }, found('1', { id: 'site-1' })],
    ['for the same user of Passport', { passport: 'alice' }, found('2', { id: 'alice' })],
    ['before the user of the site is known, for a user of Passport', { passport: 'alice' }, found('2')],
  ])('is none %s', async (_title, session, user) => {
    expect(await sessionUser(session).checkChange(attempt(), user)).toBe(false);
  });

  test.each<[string, Session, ReturnType<typeof found>]>([
    ['another identity', { login }, found('2')],
    ['the same identity with another user of the site', { login }, found('1', { id: 'site-2' })],
    ['another user of Passport', { passport: 'alice' }, found('2', { id: 'bob' })],
  ])('is refused for %s', async (_title, session, user) => {
    await expect(sessionUser(session).checkChange(attempt(), user)).rejects.toThrow(changed);
  });

  test('is accepted where the site has requested it', async () => {
    expect(await sessionUser({ login }).checkChange(attempt({ switchUser: true }), found('2'))).toBe(true);
  });

  test('is accepted where the user has confirmed this change, and not another one', async () => {
    const check = (confirmed: object) => sessionUser({ login }).checkChange(attempt({ confirmed }), found('2'));
    expect(await check({ from: 'g', to: '2' })).toBe(true);
    await expect(check({ from: 'other', to: '2' })).rejects.toThrow(changed);
    await expect(check({ from: 'g', to: '3' })).rejects.toThrow(changed);
  });

  test('that is refused contains what the page shows, and the attempt that continues the login', async () => {
    const user = { id: 'site-2', name: 'Bob' };
    const error = await sessionUser({ login })
      .checkChange(attempt({ siteState: 7 }), found('2', user))
      .catch((e) => e);
    expect(error.change).toEqual({
      attempt: { mode: 'page', owner: 'drop-in', siteState: 7, confirmed: { from: 'g', to: '2' } },
      options: { scope: ['openid'], returnTo: '/notes' },
      from: 'Alice',
      to: 'Bob',
    });
    expect(JSON.stringify(error)).not.toContain('Bob');
  });
});
