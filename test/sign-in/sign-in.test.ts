import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SessionLogin } from '../../lib/session/logins.js';
import type { Visit } from '../../lib/session/visit.js';
import type { Attempt } from '../../lib/sign-in/attempts.js';
import type { AttemptState } from '../../lib/sign-in/login-request.js';
import { Acceptance, SignIn } from '../../lib/sign-in/sign-in.js';
import type { SignInEvent, SignInPurpose } from '../../lib/sign-in/site-user.js';
import { createExchange } from '../express/test-visit.js';

const tokenSet = { scope: ['openid'], subject: '1' };
const unavailable = new Error('the service is unavailable');
const alice = { grantID: 'before', id: '1', since: 0, scope: [] } as SessionLogin;

interface Situation {
  attempt?: Partial<AttemptState>;
  /** The login of the session. */
  login?: SessionLogin;
  session?: object;
  fails?: 'redeem' | 'identify';
  onSignIn?: (event: SignInEvent) => unknown;
}

let calls: unknown[][];

beforeEach(() => {
  calls = [];
});

/** Finishes an attempt. @param purpose of an attempt that is only accepted */
async function finish(situation: Situation = {}, purpose?: SignInPurpose): Promise<unknown> {
  const { attempt: state = {}, login, fails, onSignIn = () => ({ id: 'site-1' }) } = situation;
  const attempt = { scope: ['openid'], appState: { mode: 'page', ...state } } as unknown as Attempt;
  const step = async (name: string, result: unknown) => {
    if (fails === name) throw unavailable;
    calls.push([name]);
    return result;
  };
  const record = (name: string) => async () => void calls.push([name]);
  const tokens = {
    ...{ newGrantID: async () => 'new', cacheProfile: () => undefined },
    ...{ add: record('add'), revoke: record('revoke'), discard: record('discard') },
  };
  const session = {
    ...{ save: record('save'), mark: { set: () => undefined } },
    async renew(_req: unknown, entry: SessionLogin, { data }: { data: object }) {
      calls.push(['renew', data]);
      return entry;
    },
  };
  const identity = { id: '1', issuer: 'https://auth.example' };
  const shared = { tokens, session, onSignIn, clock: { now: () => 7 } };
  const acceptance = new Acceptance({
    ...shared,
    server: { redeem: () => step('redeem', tokenSet) },
    identification: { identify: (found: object) => step('identify', { identity, tokens: found }) },
  } as unknown as ConstructorParameters<typeof Acceptance>[0]);
  const signIn = new SignIn({
    ...{ ...shared, acceptance },
    logins: { add: () => undefined },
    signOut: { limit: record('limit'), discard: record('discard') },
  } as unknown as ConstructorParameters<typeof SignIn>[0]);
  const { req, res } = createExchange({ session: { ...(login && { clinician: {} }), ...situation.session } });
  const visit = {
    req,
    res,
    currentLogin: login,
    readLogin: () => login,
    setState: () => undefined,
  } as unknown as Visit;
  if (purpose) return await acceptance.accept(visit, attempt, purpose);
  await signIn.finish(visit, attempt);
  if (names().includes('save')) calls.push(['respond']);
  res.emit('close');
}

const names = () => calls.map(([name]) => name);

describe('a sign-in', () => {
  test('ends the logins above the limit when the response has been sent', async () => {
    await finish();
    expect(names()).toEqual(['redeem', 'identify', 'renew', 'add', 'save', 'respond', 'limit']);
  });

  test.each<[string, Situation]>([
    ['the user is not identified', { fails: 'identify' }],
    ['onSignIn denies it', { onSignIn: () => false }],
    ['onSignIn throws', { onSignIn: () => Promise.reject(unavailable) }],
    ['onSignIn returns no user', { onSignIn: () => undefined }],
    ['another user is signed in', { login: { ...alice, id: '2' } }],
    ['onSignIn returns another user than the one who is signed in', { login: { ...alice, userKey: 'site-2' } }],
  ])('revokes its tokens, and stores nothing, when %s', async (_title, situation) => {
    await expect(finish(situation)).rejects.toThrow();
    expect(names()).toContain('revoke');
    expect(names()).not.toContain('renew');
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

  test('that is not for the session does not compare the users', async () => {
    const login = { ...alice, id: '2' };
    await expect(finish({ login }, 'session')).rejects.toMatchObject({ code: 'user_changed' });
    await expect(finish({ login }, 'tokens')).resolves.toMatchObject({ grantID: 'new' });
  });
});

describe('a silent sign-in', () => {
  test('signs in a signed-out user, and never replaces a user', async () => {
    await finish({ attempt: { mode: 'silent' } });
    expect(names()).toContain('save');
    calls = [];
    await finish({ attempt: { mode: 'silent' }, login: alice });
    expect(names()).toEqual([]);
  });

  test('that fails shows no error: the user requested nothing', async () => {
    await expect(finish({ attempt: { mode: 'silent' }, fails: 'redeem' })).resolves.toBeUndefined();
  });
});
