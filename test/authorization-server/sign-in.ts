import {
  type AuthorizationParameters,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from '../../lib/authorization-server/authorization-server.js';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import type { Transaction } from '../../lib/authorization-server/transaction.js';
import type { Clock } from '../../lib/clock.js';
import { type ClinicianError, isClinicianError } from '../../lib/errors.js';
import { createFetch } from '../../lib/http.js';
import { Secret } from '../../lib/secret.js';
import type { HostileAuthorizationServer } from './hostile-authorization-server.js';

export interface TestClock extends Clock {
  /** Moves it by so many seconds. */
  advance(seconds: number): void;
}

export function testClock(seconds = 1_800_000_000): TestClock {
  let now = seconds * 1000;
  return {
    now: () => now,
    advance: (by) => {
      now += by * 1000;
    },
  };
}

/** A client of the hostile server; every option can be another. */
export function clientOf(
  hostile: HostileAuthorizationServer,
  options: Partial<AuthorizationServerOptions> = {},
): AuthorizationServer {
  return createAuthorizationServer({
    issuer: hostile.issuer,
    clientID: hostile.clientID,
    clientSecret: new Secret(hostile.clientSecret),
    flow: 'openid',
    redirectURI: hostile.redirectURI,
    clock: testClock(),
    fetch: createFetch(),
    ...options,
  });
}

export interface SignIn {
  tokens: TokenSet;
  transaction: Transaction;
  callback: URLSearchParams;
}

/** A whole sign-in. `meddle` may change the answer or the transaction on the way back. */
export async function signIn(
  hostile: HostileAuthorizationServer,
  client: AuthorizationServer,
  parameters: AuthorizationParameters = {},
  meddle: (callback: URLSearchParams, transaction: Transaction) => void = () => {},
): Promise<SignIn> {
  const { url, transaction } = await client.request(parameters);
  const callback = hostile.authorize(url);
  meddle(callback, transaction);
  return { tokens: await client.redeem(callback, transaction), transaction, callback };
}

/** @returns the code of the error that an act ends with, or 'done'. An error that is not the package's own is thrown on. */
export async function outcomeOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => 'done',
    (error: unknown) => {
      if (isClinicianError(error)) return error.code;
      throw error;
    },
  );
}

/** @returns the error that an act ends with, which must be one of the package's own. */
export async function errorOf(act: Promise<unknown>): Promise<ClinicianError> {
  const outcome = await act.then(
    () => new Error('it was expected to fail'),
    (error: unknown) => error,
  );
  if (isClinicianError(outcome)) return outcome;
  throw outcome;
}

/** @returns the code of the error that an act ends with. */
export async function codeOf(act: Promise<unknown>): Promise<string> {
  return (await errorOf(act)).code;
}
