import { beforeEach, describe, expect, test } from '@jest/globals';
import type { FlowName } from '../../lib/authorization-server/flows.js';
import { type TokenSet, tokenParams } from '../../lib/authorization-server/token-set.js';
import type { FetchInit } from '../../lib/http/http.js';
import { RequestLimits } from '../../lib/resource-api/request-limits.js';
import { Secret } from '../../lib/sealing/sealer.js';
import { Identification } from '../../lib/sign-in/identify.js';
import { movableClock } from '../token-vault/movable-clock.js';

const ISSUER = 'https://auth.example';
const HOUR_MS = 3_600_000;
const clock = movableClock();
const used = {
  'x-rate-limit-limit': '5000',
  'x-rate-limit-remaining': '0',
  'x-rate-limit-reset': `${clock.now() / 1000 + 60}`,
};

interface Situation {
  flow?: FlowName;
  profileRequired?: boolean;
  apiURL?: string | undefined;
  /** The response of the resource API. */
  profile?: object;
  status?: number;
  headers?: object;
}

let limits: RequestLimits;
let requests: { url: string; headers?: FetchInit['headers'] }[];
let emitted: unknown[];

beforeEach(() => {
  limits = new RequestLimits({ clock });
  requests = [];
  emitted = [];
});

function identification({
  profile = { id: 7 },
  status = 200,
  headers = {},
  profileRequired = false,
  ...other
}: Situation = {}): Identification {
  return new Identification({
    site: { issuer: ISSUER, flow: 'openid', apiURL: 'https://api.example', clock, ...other },
    ...{ profileRequired, limits },
    fetch: async (url, { headers: sent } = {}) => {
      requests.push({ url, headers: sent });
      return new Response(JSON.stringify(profile), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      });
    },
    events: { reportError: (...args: unknown[]) => void emitted.push(args) } as never,
  } as ConstructorParameters<typeof Identification>[0]);
}

const tokenSet = (members: Partial<TokenSet> = {}, response: object = {}): TokenSet => ({
  ...{
    accessToken: new Secret('access'),
    expiresAt: clock.now() + HOUR_MS,
    scope: ['openid', 'basic'],
    subject: 'sub',
  },
  params: tokenParams(response as Record<string, unknown>),
  ...members,
});

describe('a user with an ID Token', () => {
  test('is its subject, with the id of the profile', async () => {
    const found = await identification({ headers: { etag: '"1"' } }).identify(tokenSet());
    expect(found.identity).toEqual({ id: 'sub', issuer: ISSUER, serviceID: '7' });
    expect(found.tokens.profileID).toBe('7');
    expect(found.response).toEqual({ etag: '"1"', body: '{"id":7}' });
    expect(requests).toEqual([
      {
        url: 'https://api.example/api/v1/users/current',
        headers: expect.objectContaining({ authorization: 'Bearer access' }),
      },
    ]);
  });

  test.each<[string, Situation, Partial<TokenSet>]>([
    ['the scope does not allow it', {}, { scope: ['openid'] }],
    ['the site has no resource API', { apiURL: undefined }, {}],
  ])('is identified without a request for the profile when %s', async (_title, situation, members) => {
    const found = await identification(situation).identify(tokenSet(members));
    expect([found.identity, found.profile, requests]).toEqual([{ id: 'sub', issuer: ISSUER }, undefined, []]);
  });

  test('is identified without the profile when it cannot be read, which is reported', async () => {
    const found = await identification({ status: 503 }).identify(tokenSet());
    expect(found.identity).toEqual({ id: 'sub', issuer: ISSUER });
    expect(emitted).toMatchObject([[{ code: 'service_error' }, 'sub']]);
  });

  test('is refused where the profile is required, and missing or not readable', async () => {
    const required = { profileRequired: true };
    await expect(identification(required).identify(tokenSet({ scope: ['openid'] }))).rejects.toMatchObject({
      code: 'scope_missing',
    });
    await expect(identification({ ...required, status: 503 }).identify(tokenSet())).rejects.toMatchObject({
      code: 'service_error',
    });
  });
});

describe('a user without an ID Token', () => {
  const basic = { flow: 'profile', profileRequired: true } as const;
  const withoutSubject = (scope: string[], response = {}): TokenSet => {
    const { subject: _, ...tokens } = tokenSet({ scope }, response);
    return tokens;
  };

  test('is that of the profile', async () => {
    const found = await identification(basic).identify(withoutSubject(['basic']));
    expect(found.identity).toEqual({ id: '7', issuer: ISSUER, serviceID: '7' });
  });

  test('is refused without scope basic', async () => {
    await expect(identification(basic).identify(withoutSubject(['email']))).rejects.toMatchObject({
      code: 'scope_missing',
    });
  });

  test.each([
    ['shows that it was approved, where the token response has no scope', {}, ['basic', 'email']],
    ['adds nothing to the scope of the token response', { scope: 'basic' }, ['basic']],
  ])('an email address in the profile %s', async (_title, response, scope) => {
    const profile = { id: 7, email: 'a@app.example' };
    const found = await identification({ ...basic, profile }).identify(withoutSubject(['basic'], response));
    expect(found.tokens.scope).toEqual(scope);
  });

  test('has the rate limit of the request, which was sent before the user was known', async () => {
    await identification({ ...basic, headers: used }).identify(withoutSubject(['basic']));
    const reserve = (userID: string) => () => limits.budgetOf(userID).reserve({ maxWaitMs: 0, isUncounted: false });
    expect(reserve('7')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    expect(reserve('8')).not.toThrow();
  });

  test.each([{}, { id: 0 }, { id: '7' }, { id: 7.5 }])('is refused with the profile %j', async (profile) => {
    await expect(identification({ ...basic, profile }).identify(withoutSubject(['basic']))).rejects.toMatchObject({
      code: 'response_malformed',
    });
  });
});
