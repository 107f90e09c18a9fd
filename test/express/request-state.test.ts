import { describe, expect, test } from '@jest/globals';
import { authenticatedState, type ClinicianRequestState, unauthenticatedState } from '../../lib/express/middleware.js';
import type { Verification } from '../../lib/session/logins.js';

const login = {
  grantID: 'grant',
  id: '1',
  since: 0,
  scope: ['openid', 'basic'],
};

const issuer = 'https://auth.service.example';

const stateOf = (lastVerification: () => Verification) =>
  authenticatedState(login, {
    ...{ issuer, flow: 'openid', loginSession: { find: () => login } },
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
