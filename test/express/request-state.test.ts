import { describe, expect, test } from '@jest/globals';
import {
  authenticatedState,
  type ClinicianRequestState,
  RequestState,
  unauthenticatedState,
} from '../../lib/express/middleware.js';
import type { SessionLogin, Verification } from '../../lib/session/logins.js';
import type { SessionRequest } from '../../lib/session/site-session.js';

const login = {
  grantID: 'grant',
  id: '1',
  since: 0,
  scope: ['openid', 'basic'],
};

const issuer = 'https://auth.service.example';

const receipts = { hasReceived: () => true, duplicateError: () => undefined };

const stateOf = (lastVerification: () => Verification) =>
  authenticatedState(login, {
    ...{ issuer, flow: 'openid', loginSession: { ...receipts, find: () => login } },
    logins: { lastVerification, scopeOf: () => login.scope },
  });

describe('req.clinician', () => {
  test.each<[Verification, boolean]>([
    ['verified', true],
    ['pending', false],
    ['unknown', false],
  ])('with the verification %s, verified is %s', (verification, verified) => {
    const state = stateOf(() => verification);
    expect(JSON.parse(JSON.stringify(state))).toEqual({
      isAuthenticated: true,
      identity: { id: '1', issuer },
      flow: 'openid',
      scope: login.scope,
      verified,
      verification,
    });
    expect(JSON.stringify({ ...state })).toBe(JSON.stringify(state));
  });

  test('verified follows a profile that is read while the request is handled', () => {
    let verification: Verification = 'unknown';
    const state = stateOf(() => verification);
    expect([state.verified, state.verification]).toEqual([false, 'unknown']);
    verification = 'verified';
    expect([state.verified, state.verification]).toEqual([true, 'verified']);
  });

  test('of a signed-out user has no identity and no scope, and cannot be changed for other requests', () => {
    const state = unauthenticatedState('profile');
    expect(state).toEqual({
      isAuthenticated: false,
      identity: undefined,
      flow: 'profile',
      scope: [],
      verified: false,
      verification: 'unknown',
    });
    expect([Object.isFrozen(state), Object.isFrozen(state.scope)]).toEqual([true, true]);
  });

  test('isAuthenticated discriminates the type', () => {
    const idOf = (state: ClinicianRequestState): string | undefined =>
      state.isAuthenticated ? state.identity.id : state.identity;
    expect(idOf(stateOf(() => 'unknown'))).toBe('1');
    expect(idOf(unauthenticatedState('openid'))).toBeUndefined();
  });
});

describe('the state of a request', () => {
  /** One instance of a site, and the login that it finds in a session. */
  const instance = (found?: SessionLogin) =>
    new RequestState({
      ...{ issuer, flow: 'openid', loginSession: { ...receipts, find: () => found } },
      logins: { lastVerification: () => 'unknown', scopeOf: () => ['openid'] },
    });
  const newRequest = () => ({}) as SessionRequest & { clinician?: ClinicianRequestState; user?: unknown };

  test.each([
    ['the user of the site', { ...login, user: { id: 7, role: 'doctor' } }, { id: 7, role: 'doctor' }],
    ['a user who has only the id of the service', login, { id: '1' }],
    ["a user who has only the site's own id", { ...login, userKey: 'site-1' }, { id: 'site-1' }],
    ['no user where Passport has it', { ...login, passportUser: '"1"' }, undefined],
  ])('has as req.user: %s', (_title, found, user) => {
    const req = newRequest();
    instance().set(req, found);
    expect(req.user).toEqual(user);
  });

  test('is that of the instance that the user has signed in with', () => {
    const req = newRequest();
    instance().receive(req, undefined);
    instance().receive(req, login);
    instance().receive(req, undefined);
    expect([req.clinician?.identity?.id, req.user]).toEqual(['1', { id: '1' }]);
  });

  test('is set again by the same instance, whose user has signed out', () => {
    const req = newRequest();
    const one = instance();
    one.receive(req, login);
    one.receive(req, undefined);
    expect(req.clinician?.isAuthenticated).toBe(false);
  });
});
