import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SessionLogin } from '../../lib/session/logins.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import type { Attempt } from '../../lib/sign-in/attempts.js';
import type { AttemptState } from '../../lib/sign-in/login-request.js';
import type { SignInPurpose } from '../../lib/sign-in/same-user.js';
import { SignIn } from '../../lib/sign-in/sign-in.js';
import type { SignInEvent } from '../../lib/sign-in/site-user.js';
import { createExchange } from '../helpers/exchange.js';

const RESPONSE = new URLSearchParams({ code: 'c', state: 's' });
const tokenSet = { scope: ['openid'], subject: '1' };
const unavailable = new Error('the service is unavailable');
const alice = { grantID: 'before', id: '1', since: 0, scope: [] } as SessionLogin;

interface Situation {
  attempt?: Partial<AttemptState> & { returnTo?: string };
  /** The login of the session. */
  login?: SessionLogin;
  session?: object;
  fails?: 'take' | 'redeem' | 'identify';
  onSignIn?: (event: SignInEvent) => unknown;
}

let calls: unknown[][];

beforeEach(() => {
  calls = [];
});

/** Finishes an attempt. @returns its result */
async function finish(
  situation: Situation = {},
  method: 'finish' | 'accept' = 'finish',
  purpose: SignInPurpose = 'session',
) {
  const { attempt: { returnTo, ...state } = {}, fails } = situation;
  const { onSignIn = () => ({ id: 'site-1' }) } = situation;
  const attempt = {
    ...{ scope: ['openid'], ...(returnTo && { returnTo }) },
    appState: { mode: 'page', ...state },
  } as unknown as Attempt;
  const step = (name: string, result: unknown) => {
    if (fails === name) throw unavailable;
    calls.push([name]);
    return result;
  };
  const record =
    (name: string, result?: unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args.filter((arg) => typeof arg === 'string')]);
      return result;
    };
  const signIn = new SignIn({
    ...{ flow: 'openid', clock: { now: () => 7 }, onSignIn, finishers: {} },
    attempts: { take: () => step('take', attempt) },
    server: { redeem: async () => step('redeem', tokenSet) },
    identification: {
      identify: async (tokens: object) =>
        step('identify', { identity: { id: '1', issuer: 'https://auth.example' }, tokens }),
    },
    tokens: {
      ...{ newGrantID: async () => 'new', cacheProfile: () => undefined },
      ...{ add: record('add'), revoke: record('revoke'), discard: record('discard') },
    },
    loginSession: {
      ...{ read: () => situation.login, current: () => situation.login, hasAny: () => situation.login !== undefined },
      ...{ reload: async () => undefined, save: record('save'), mark: () => undefined },
      async renew(_req: unknown, entry: SessionLogin, { data }: { data: object }) {
        calls.push(['renew', data]);
        return entry;
      },
    },
    logins: { add: () => undefined },
    signOut: { limit: record('limit'), discard: record('discard'), eraseSession: record('eraseSession') },
    requestState: { set: () => undefined },
    events: { emit: () => undefined },
  } as unknown as ConstructorParameters<typeof SignIn>[0]);
  const { req, res } = createExchange({ session: situation.session ?? {} });
  if (method === 'accept') return await signIn.accept(req as SessionRequest, RESPONSE, attempt, purpose);
  const result = await signIn.finish(req, res, RESPONSE, attempt);
  if (names().includes('save')) calls.push(['respond']);
  res.emit('close');
  return result;
}

const names = () => calls.map(([name]) => name);

describe('a sign-in', () => {
  test('takes the attempt before its code is redeemed, and returns to its page', async () => {
    expect(await finish({ attempt: { returnTo: '/notes' } })).toEqual({ mode: 'page', returnTo: '/notes' });
    expect(names()).toEqual(['take', 'redeem', 'identify', 'renew', 'add', 'save', 'respond', 'limit']);
  });

  test.each(['take', 'redeem'] as const)(
    'that fails to %s stores nothing, and has the error in its result',
    async (fails) => {
      expect(await finish({ fails })).toEqual({ mode: 'page', returnTo: '/', error: unavailable });
      expect(names()).not.toContain('add');
    },
  );

  test.each<[string, Situation]>([
    ['the user is not identified', { fails: 'identify' }],
    ['onSignIn denies it', { onSignIn: () => false }],
    ['onSignIn throws', { onSignIn: () => Promise.reject(unavailable) }],
    ['onSignIn returns no user', { onSignIn: () => undefined }],
    ['another user is signed in', { login: { ...alice, id: '2' } }],
    ['onSignIn returns another user than the one who is signed in', { login: { ...alice, userKey: 'site-2' } }],
  ])('revokes its tokens, and stores nothing, when %s', async (_title, situation) => {
    expect(await finish(situation)).toHaveProperty('error');
    expect(names()).toContain('revoke');
    expect(names()).not.toContain('add');
  });

  test('carries over what onSignIn names', async () => {
    const onSignIn = ({ previousSession, carryOver }: SignInEvent) => {
      carryOver({ cart: previousSession.cart ?? 'none' });
      return { id: 'site-1' };
    };
    const session = { cart: 1, other: 2 };
    await finish({ session, onSignIn });
    expect(calls).toContainEqual(['renew', { cart: 1 }]);
  });

  test('that Passport finishes leaves the session to it', async () => {
    await finish({}, 'accept');
    expect(names()).toEqual(['redeem', 'identify']);
  });

  test('that is not for the session does not compare the users', async () => {
    const login = { ...alice, id: '2' };
    await expect(finish({ login }, 'accept')).rejects.toMatchObject({ code: 'user_changed' });
    await expect(finish({ login }, 'accept', 'tokens')).resolves.toMatchObject({ grantID: 'new' });
  });
});

describe('a silent sign-in', () => {
  test('signs in a signed-out user, and never replaces a user', async () => {
    await finish({ attempt: { mode: 'silent' } });
    expect(names()).toContain('save');
    calls = [];
    expect(await finish({ attempt: { mode: 'silent' }, login: alice })).not.toHaveProperty('error');
    expect(names()).toEqual(['take']);
  });

  test('that fails shows no error: the user requested nothing', async () => {
    expect(await finish({ attempt: { mode: 'silent' }, fails: 'redeem' })).toEqual({ mode: 'silent', returnTo: '/' });
  });
});
