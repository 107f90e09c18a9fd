import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { SessionLogin, Verification } from '../../lib/session/logins.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { type ClinicianRequestState, Visits } from '../../lib/session/visit.js';

const login = { grantID: 'grant', id: '1', since: 0, scope: ['openid', 'basic'] };
const issuer = 'https://auth.service.example';
const site = { issuer, flow: 'openid', origin: 'https://app.example', callbackURL: 'https://app.example/cb' } as const;

type SiteRequest = SessionRequest & { clinician: ClinicianRequestState; user?: unknown };

/** An instance of the sign-in, with what it knows of each login. */
const createVisits = (instance = 'one', lastVerification = (): Verification => 'unknown') =>
  new Visits(
    site,
    instance,
    { hasEnded: () => false, known: new Map([['grant', {}]]), lastVerification, scopeOf: ({ scope }) => scope },
    Object.prototype as never,
  );

const requestWith = (logins: Record<string, SessionLogin> = {}) => {
  const texts = Object.entries(logins).map(([instance, found]) => [instance, JSON.stringify(found)]);
  return { headers: {}, session: { clinician: Object.fromEntries(texts) } } as unknown as SiteRequest;
};

const receive = (visits: Visits, req: SiteRequest) => visits.receive(req, {} as ServerResponse, () => undefined);

describe('req.clinician', () => {
  test('is JSON without the id of the login, with a verification that follows the profile', () => {
    let verification: Verification = 'unknown';
    const req = requestWith({ one: login });
    receive(
      createVisits('one', () => verification),
      req,
    ).setState();
    const state = req.clinician;
    const json = { isAuthenticated: true, identity: { id: '1', issuer }, flow: 'openid', scope: login.scope };
    expect(JSON.parse(JSON.stringify(state))).toEqual({ ...json, verified: false, verification: 'unknown' });
    verification = 'verified';
    expect(JSON.parse(JSON.stringify({ ...state }))).toEqual({ ...json, verified: true, verification: 'verified' });
    verification = 'pending';
    expect([state.verified, state.grantID, Object.isFrozen(state)]).toEqual([false, 'grant', true]);
  });

  test('is not that of another user whose login a store has under the same id', () => {
    const visits = createVisits();
    const ids = ['1', '2'].map((id) => {
      const req = requestWith({ one: { ...login, id } });
      receive(visits, req).setState();
      return req.clinician.identity?.id;
    });
    expect(ids).toEqual(['1', '2']);
  });

  test('of a signed-out user has no identity and no scope, and cannot be changed for other requests', () => {
    const req = requestWith();
    receive(createVisits(), req).setState();
    const state = req.clinician;
    const signedOut = { isAuthenticated: false, identity: undefined, scope: [], verified: false };
    expect(state).toEqual({ ...signedOut, flow: 'openid', verification: 'unknown' });
    expect([Object.isFrozen(state), Object.isFrozen(state.scope)]).toEqual([true, true]);
  });

  test('is that of the instance that the user has signed in with, until the user has signed out', () => {
    const req = requestWith({ two: login });
    const one = receive(
      new Visits(
        { ...site, callbackURL: 'https://app.example/1' },
        'one',
        Object.prototype as never,
        Object.prototype as never,
      ),
      req,
    );
    const two = receive(createVisits('two'), req);
    for (const visit of [one, two, one]) visit.setState(false);
    expect(req.clinician.isAuthenticated).toBe(true);
    delete req.session?.clinician;
    two.setState(false);
    expect(req.clinician.isAuthenticated).toBe(false);
  });

  test.each([
    ['the user of the site', { ...login, user: { id: 7, role: 'doctor' } }, { id: 7, role: 'doctor' }],
    ['a user who has only the id of the service', login, { id: '1' }],
    ["a user who has only the site's own id", { ...login, userKey: 'site-1' }, { id: 'site-1' }],
    ['no user where Passport has it', { ...login, passportUser: '"1"' }, undefined],
  ])('comes with req.user: %s', (_title, found, user) => {
    const req = requestWith({ one: found });
    receive(createVisits(), req).setState();
    expect(req.user).toEqual(user);
  });
});

describe('the login of a request', () => {
  test('is read again when the site has replaced or destroyed the session', () => {
    const visits = createVisits();
    const req = requestWith({ one: login });
    receive(visits, req);
    const found = [visits.of(req).readLogin()?.grantID];
    req.session = requestWith({ one: { ...login, grantID: 'other' } }).session;
    found.push(visits.of(req).readLogin()?.grantID);
    req.session = undefined;
    found.push(visits.of(req).readLogin()?.grantID);
    expect(found).toEqual(['grant', 'other', undefined]);
  });

  test('lacks no member', () => {
    const req = requestWith({ one: { ...login, grantID: 7 } as unknown as SessionLogin });
    expect(receive(createVisits(), req).login).toBeUndefined();
  });
});
