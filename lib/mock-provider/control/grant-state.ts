import type { RecordedRequest } from '../recording/recorded-request.js';
import { rateKey } from '../resources/resources.js';
import type { MockClock } from '../state/clock.js';
import type { Grant, GrantStore } from '../state/grants.js';
import type { RateLimiter } from '../state/rate-limiter.js';

type CodeState = 'issued' | 'used' | 'expired' | 'revoked';
type TokenState = 'valid' | 'expired' | 'revoked';

/** A login's code and tokens. They are identified by numbers, and their values are not shown. */
export interface GrantState {
  readonly number: number;
  /** The login of the grant, while its requests are recorded. */
  readonly login?: number;
  readonly clientID: string;
  readonly username: string;
  readonly scope: readonly string[];
  readonly issuedAt: number;
  readonly code: { readonly state: CodeState; readonly endsAt: number; readonly usedAt?: number };
  /** The number of the current token pair: 0 before the code is redeemed, 2 after one refresh. */
  readonly pair: number;
  readonly accessToken?: { readonly state: TokenState; readonly endsAt: number; readonly scope: readonly string[] };
  readonly refreshToken?: { readonly state: TokenState; readonly endsAt: number };
  readonly revokedAt?: number;
}

/** The rate limit of one clinician at one application. */
export interface RateWindow {
  readonly clientID: string;
  readonly username: string;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the Unix epoch. */
  readonly reset: number;
}

/** @returns the newest grants, the newest first. */
export function grantStates(
  grants: GrantStore,
  clock: Pick<MockClock, 'now'>,
  requests: readonly RecordedRequest[],
): GrantState[] {
  const now = clock.now();
  const newestFirst = [...grants.recent()].reverse();
  const loginOf = matchLogins(newestFirst, requests);
  return newestFirst.map((grant) => grantState(grant, now, loginOf.get(grant)));
}

function grantState(grant: Grant, now: number, login: number | undefined): GrantState {
  const { number, scope, issuedAt, codeEndsAt, redeemedAt, revokedAt, serial } = grant;
  const token = (endsAt: number) => ({ state: tokenState(revokedAt, endsAt, now), endsAt });
  return {
    number,
    ...(login !== undefined && { login }),
    clientID: grant.client.id,
    username: grant.account.username,
    scope,
    issuedAt,
    code: { state: codeState(grant, now), endsAt: codeEndsAt, ...(redeemedAt !== undefined && { usedAt: redeemedAt }) },
    pair: serial,
    ...(serial > 0 && {
      accessToken: { ...token(grant.accessEndsAt), scope: grant.accessScope },
      refreshToken: token(grant.refreshEndsAt),
    }),
    ...(revokedAt !== undefined && { revokedAt }),
  };
}

function codeState({ redeemedAt, revokedAt, codeEndsAt }: Grant, now: number): CodeState {
  if (redeemedAt !== undefined) return 'used';
  if (revokedAt !== undefined) return 'revoked';
  return codeEndsAt > now ? 'issued' : 'expired';
}

function tokenState(revokedAt: number | undefined, endsAt: number, now: number): TokenState {
  if (revokedAt !== undefined) return 'revoked';
  return endsAt > now ? 'valid' : 'expired';
}

/**
 * @returns the login of each grant. Redirects with a code are recorded in the order in which the codes were issued. So the newest
 * redirect belongs to the newest grant of the same clinician at the same client.
 */
function matchLogins(newestFirst: readonly Grant[], requests: readonly RecordedRequest[]): Map<Grant, number> {
  const redirects = new Map<string, number[]>();
  for (const { location, clientID, clinician, login } of requests) {
    if (login === undefined || location === undefined || !/[?&#]code=/.test(location)) continue;
    const key = JSON.stringify([clientID, clinician]);
    const logins = redirects.get(key);
    if (logins) logins.push(login);
    else redirects.set(key, [login]);
  }
  const loginOf = new Map<Grant, number>();
  for (const grant of newestFirst) {
    const login = redirects.get(JSON.stringify([grant.client.id, grant.account.username]))?.pop();
    if (login !== undefined) loginOf.set(grant, login);
  }
  return loginOf;
}

/** @returns the rate limits of the clinicians who have tokens. */
export function rateWindows(grants: GrantStore, rates: RateLimiter): RateWindow[] {
  const windows = new Map<string, RateWindow>();
  for (const grant of grants.recent()) {
    if (grant.serial === 0) continue;
    const { limit, remaining, reset } = rates.peek(rateKey(grant));
    const { client, account } = grant;
    windows.set(rateKey(grant), { clientID: client.id, username: account.username, limit, remaining, reset });
  }
  return [...windows.values()];
}
