import type { ProviderInstance } from '../provider-instance.js';
import { rateKey } from '../resource-api/resource-api.js';
import type { Grant } from '../state/grants.js';

export type CodeState = 'issued' | 'used' | 'expired' | 'revoked';
export type TokenState = 'valid' | 'expired' | 'revoked';

/** What became of one login's code and tokens; by numbers, never by what they are. */
export interface GrantState {
  readonly number: number;
  /** The login that it came of, as long as its requests are recorded. */
  readonly login?: number;
  readonly clientID: string;
  readonly username: string;
  readonly scope: readonly string[];
  readonly issuedAt: number;
  readonly code: { readonly state: CodeState; readonly endsAt: number; readonly usedAt?: number };
  /** Which pair of tokens is the newest: 2 after one refresh, 0 while the code has not been redeemed. */
  readonly pair: number;
  readonly accessToken?: { readonly state: TokenState; readonly endsAt: number; readonly scope: readonly string[] };
  readonly refreshToken?: { readonly state: TokenState; readonly endsAt: number };
  readonly revokedAt?: number;
}

/** What is left of one clinician's requests at one application (decision 96). */
export interface RateWindow {
  readonly clientID: string;
  readonly username: string;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
}

/** @returns the newest grants, the newest first. */
export function grantStates(instance: ProviderInstance): GrantState[] {
  const now = instance.clock.now();
  const logins = loginsOfGrants(instance);
  return [...instance.grants.recent()].reverse().map((grant) => grantState(grant, now, logins.get(grant.number)));
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

/** @returns the rate windows of those who have tokens. */
export function rateWindows({ grants, rates }: ProviderInstance): RateWindow[] {
  const windows = new Map<string, RateWindow>();
  for (const grant of grants.recent()) {
    if (grant.serial === 0) continue;
    const { limit, remaining, reset } = rates.peek(rateKey(grant));
    windows.set(rateKey(grant), {
      clientID: grant.client.id,
      username: grant.account.username,
      limit,
      remaining,
      reset,
    });
  }
  return [...windows.values()];
}

/**
 * @returns the login that each grant came of, by the grant's number. The redirects with a code are recorded in the order in
 * which codes were issued, so the newest of one clinician at one client belong together.
 */
function loginsOfGrants({ grants, recorder }: ProviderInstance): Map<number, number> {
  const redirects = new Map<string, number[]>();
  for (const { location, clientID, clinician, login } of recorder.list) {
    if (login === undefined || location === undefined || !/[?&#]code=/.test(location)) continue;
    const key = JSON.stringify([clientID, clinician]);
    redirects.set(key, [...(redirects.get(key) ?? []), login]);
  }
  const logins = new Map<number, number>();
  for (const { number, client, account } of [...grants.recent()].reverse()) {
    const login = redirects.get(JSON.stringify([client.id, account.username]))?.pop();
    if (login !== undefined) logins.set(number, login);
  }
  return logins;
}
