import { describe, expect, test } from '@jest/globals';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { ServiceUnavailableError } from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import { Secret } from '../../lib/sealing/secret.js';
import type { LoginSession } from '../../lib/session/login-session.js';
import type { SessionLogin } from '../../lib/session/logins.js';
import { SignOut } from '../../lib/session/sign-out.js';
import type { SessionRequest } from '../../lib/session/site-session.js';

const LOGIN = { grantID: 'grant', id: 'user' } as SessionLogin;
const REQUEST = {} as SessionRequest;
const TOKENS: TokenSet = { accessToken: new Secret('token'), expiresAt: 0, scope: [], params: {} };

function signOutUnderTest(login: SessionLogin | null = LOGIN) {
  const steps: string[] = [];
  const failing = new Set<string>();
  const step = async <T>(name: string, result?: T): Promise<T> => {
    steps.push(name);
    if (failing.has(name)) throw new ServiceUnavailableError('session_unavailable', 'down');
    return result as T;
  };
  const signOut = new SignOut({
    loginSession: { read: () => login ?? undefined, end: () => step('end session') } as unknown as LoginSession,
    tokens: {
      forget: (userID) => step(`forget ${userID}`),
      revokeAndDelete: () => step('revoke and delete', TOKENS),
    },
    sessionStore: { remove: (sessionID) => step(`remove ${sessionID}`) },
    logins: { end: (grantID) => void steps.push(`end ${grantID}`) },
    events: new Events({ clock: { now: () => 1 }, flow: 'openid', onEvent: ({ name }) => void steps.push(name) }),
  });
  return { signOut, steps, failing };
}

describe('discard', () => {
  test('revokes and erases the tokens, and then deletes the session that contained the login', async () => {
    const { signOut, steps } = signOutUnderTest();
    await signOut.discard(LOGIN, 'session');
    expect(steps).toEqual(['revoke and delete', 'remove session']);
  });

  test('ends a login whose tokens cannot be erased, and emits erasure_failed', async () => {
    const { signOut, steps, failing } = signOutUnderTest();
    failing.add('revoke and delete');
    expect(await signOut.discard(LOGIN)).toBeUndefined();
    expect(steps).toEqual(['revoke and delete', 'end grant', 'erasure_failed']);
  });

  test('never throws where the session cannot be deleted', async () => {
    const { signOut, failing } = signOutUnderTest();
    failing.add('remove session');
    expect(await signOut.discard(LOGIN, 'session')).toBeUndefined();
  });
});

describe('eraseSession', () => {
  test('revokes and erases the tokens, and ends the session', async () => {
    const { signOut, steps } = signOutUnderTest();
    expect(await signOut.eraseSession(REQUEST)).toBe(TOKENS);
    expect(steps).toEqual(['revoke and delete', 'end session', 'signed_out']);
  });

  test('without a login only ends the session', async () => {
    const { signOut, steps } = signOutUnderTest(null);
    expect(await signOut.eraseSession(REQUEST)).toBeUndefined();
    expect(steps).toEqual(['end session']);
  });
});

test('forgetUser erases everything of the user, and ends no session if that fails', async () => {
  const { signOut, steps, failing } = signOutUnderTest();
  await signOut.forgetUser(REQUEST);
  expect(steps).toEqual(['forget user', 'end session']);
  failing.add('forget user');
  await expect(signOut.forgetUser(REQUEST)).rejects.toMatchObject({ retryable: true });
  expect(steps).toEqual(['forget user', 'end session', 'forget user']);
});
