import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { PendingLogin, type PendingLoginParts } from '../../lib/sign-in/pending-login.js';

const before = { grantID: 'before', id: '1' };
const tokens = { scope: ['openid'], sessionState: 's', authTime: 5 };
const unavailable = new Error('the session store is unavailable');

interface Situation {
  /** Fails to write the session. */
  fails?: boolean;
  /** The response is sent: before the session is written, or meanwhile. */
  sent?: 'before' | 'meanwhile';
  signedIn?: boolean;
  profile?: boolean;
}

/** @returns a pending login, and the calls that it makes, in order. */
function pendingLogin({ fails = false, sent, signedIn = false, profile = false }: Situation = {}) {
  const calls: unknown[][] = [];
  const record =
    (name: string, result?: unknown) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return result;
    };
  const res = Object.assign(new Writable(), { headersSent: sent === 'before' }) as unknown as ServerResponse;
  const req = { sessionID: 'id-before' } as SessionRequest;
  let current: unknown = signedIn ? before : undefined;
  const parts = {
    clock: { now: () => 7 },
    events: { emit: record('emit') },
    requestState: { set: (_req: unknown, login: unknown) => record('set')(login) },
    sessionLoss: { checkCookie: () => undefined, mark: (_res: unknown, grantID: string) => record('mark')(grantID) },
    signOut: { discard: async (login: object, id: string) => record('signOut.discard')(login, id) },
    logins: { add: record('add'), end: record('end') },
    tokens: {
      setSession: async () => record('setSession', true)(),
      cacheProfile: record('cacheProfile'),
      limitLogins: record('limitLogins'),
      revoke: async () => record('revoke')(),
      vault: { forget: async (id: string) => record('forget')(id) },
    },
    loginSession: {
      read: () => current,
      find: () => current,
      end: async () => record('endSession')(),
      async establish(_req: unknown, entry: object, content: { data: object }) {
        if (fails) throw unavailable;
        record('establish')(entry, content.data);
        current = entry;
        if (sent === 'meanwhile') Object.assign(res, { headersSent: true });
      },
    },
  };
  const identity = { id: '1', issuer: 'https://auth.example' };
  const user = { ...{ identity, tokens }, ...(profile && { profile: { verified: true }, response: { etag: '1' } }) };
  const stored = { user: { id: 'u' }, grant: { id: 'g', userKey: 'u' }, data: { cart: 1 } };
  const login = new PendingLogin(parts as unknown as PendingLoginParts, user as never, stored as never);
  return { login, req, res, calls, names: () => calls.map(([name]) => name) };
}

describe('a login that is written into the session', () => {
  test('ends the logins above the limit, when the response has been sent', async () => {
    const { login, req, res, calls, names } = pendingLogin();
    await login.establish(req, res);
    expect(names()).not.toContain('limitLogins');
    res.end();
    await once(res, 'close');
    expect(calls.at(-1)).toEqual(['limitLogins', 'u']);
  });

  test('contains no token, and what the session needs of them', async () => {
    const { login, req, res, calls } = pendingLogin();
    await login.establish(req, res);
    expect(calls.find(([name]) => name === 'establish')).toEqual([
      'establish',
      {
        ...{ grantID: 'g', id: '1', userKey: 'u', scope: ['openid'] },
        ...{ since: 7, authenticatedAt: 5, sessionState: 's' },
      },
      { cart: 1 },
    ]);
  });

  test('is reported, marked for the next request, and set on this one', async () => {
    const { login, req, res, names } = pendingLogin();
    await login.establish(req, res);
    expect(names()).toEqual(['establish', 'setSession', 'add', 'emit', 'set', 'mark']);
  });

  test('discards the login before, after the new one is established', async () => {
    const { login, req, res, calls } = pendingLogin({ signedIn: true });
    await login.establish(req, res);
    expect(calls.at(-1)).toEqual(['signOut.discard', before, 'id-before']);
  });

  test('caches the profile that was read', async () => {
    const { login, req, res, calls } = pendingLogin({ profile: true });
    await login.establish(req, res);
    expect(calls).toContainEqual(['cacheProfile', 'g', { etag: '1' }]);
  });

  test('is discarded where the session store fails', async () => {
    const { login, req, res, names } = pendingLogin({ fails: true, signedIn: true });
    await expect(login.establish(req, res)).rejects.toBe(unavailable);
    expect(names()).toEqual(['forget', 'end', 'revoke']);
  });

  test('is discarded, and the session unchanged, where the response was sent before', async () => {
    const { login, req, res, names } = pendingLogin({ sent: 'before' });
    await expect(login.establish(req, res)).rejects.toMatchObject({ code: 'session_unavailable' });
    expect(names()).toEqual(['forget', 'end', 'revoke']);
  });

  test('is discarded with its session, and the login before, where the response was sent meanwhile', async () => {
    const { login, req, res, names } = pendingLogin({ sent: 'meanwhile', signedIn: true });
    await expect(login.establish(req, res)).rejects.toMatchObject({ code: 'session_unavailable' });
    expect(names().sort()).toEqual(['end', 'endSession', 'establish', 'forget', 'revoke', 'signOut.discard']);
  });
});

test('a login that is left to the site is reported, and no session contains it', async () => {
  const { login, res, calls } = pendingLogin();
  await login.release(res);
  expect(calls).toEqual([['emit', 'signed_in', { userID: 'u', scope: ['openid'] }]]);
});

test('a login that is discarded has ended even where its record cannot be erased', async () => {
  const { login, names } = pendingLogin();
  await login.discard();
  expect(names()).toEqual(['forget', 'end', 'revoke']);
});
