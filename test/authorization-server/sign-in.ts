import type { Clock } from '../../lib/async/clock.js';
import { PendingWork } from '../../lib/async/work.js';
import type { AuthorizationParameters, Transaction } from '../../lib/authorization-server/authorization-request.js';
import { AuthorizationServer } from '../../lib/authorization-server/authorization-server.js';
import type { ClientConfig } from '../../lib/authorization-server/client-config.js';
import { type FlowName, flowOf } from '../../lib/authorization-server/flows.js';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { type ClinicianError, isClinicianError } from '../../lib/errors/errors.js';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { Secret } from '../../lib/sealing/sealer.js';
import type { HostileAuthorizationServer } from './hostile-authorization-server.js';

export type Members = Record<string, unknown>;

/** @returns a change of a document, or of the claims of a token */
export const withMember: (name: string, value: unknown) => (members: Members) => Members =
  (name, value) => (members) => ({
    ...members,
    [name]: value,
  });

/** @returns a change that removes a member */
export const without: (name: string) => (members: Members) => Members = (name) => (members) => {
  const { [name]: _, ...rest } = members;
  return rest;
};

export interface TestClock extends Clock {
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

/** The options of a client, and its fetch. */
export type ClientOptions = Partial<Omit<ClientConfig, 'flow'>> & { flow?: FlowName; fetch?: Fetch };

/** @returns a client of the hostile server. */
export function clientOf(
  hostile: HostileAuthorizationServer,
  { fetch = createFetch(), flow = 'openid', ...options }: ClientOptions = {},
): AuthorizationServer {
  const client: ClientConfig = {
    issuer: hostile.issuer,
    clientID: hostile.clientID,
    clientSecret: new Secret(hostile.clientSecret),
    flow: flowOf({ flow, apiURL: 'https://api.service.example' }),
    endpointOrigins: [hostile.issuer],
    timeout: 10_000,
    redirectURI: hostile.redirectURI,
    clock: testClock(),
    ...options,
  };
  return new AuthorizationServer(client, fetch, new PendingWork());
}

export interface SignIn {
  tokens: TokenSet;
  transaction: Transaction;
  callback: URLSearchParams;
}

/** Signs in. `change` may alter the authorization response or the transaction. */
export async function signIn(
  hostile: HostileAuthorizationServer,
  client: AuthorizationServer,
  parameters: AuthorizationParameters = {},
  change: (callback: URLSearchParams, transaction: Transaction) => void = () => {},
): Promise<SignIn> {
  const { url, transaction } = await client.request(parameters);
  const callback = hostile.authorize(url);
  change(callback, transaction);
  return { tokens: await client.redeem(callback, transaction), transaction, callback };
}

/** @returns the code of an error, with the claim of an ID Token that is wrong. */
const nameOf = ({ code, claim }: ClinicianError) => (claim === undefined ? code : `${code} ${claim}`);

/** @returns the code of the error that a call rejects with, or 'done'. Rethrows an error that is not this package's. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => {
      if (isClinicianError(error)) return nameOf(error);
      throw error;
    },
  );
}

/** @returns the error that a call rejects with, which must be one of this package. */
export async function errorOf(call: Promise<unknown>): Promise<ClinicianError> {
  const outcome = await call.then(
    () => new Error('the call did not reject'),
    (error: unknown) => error,
  );
  if (isClinicianError(outcome)) return outcome;
  throw outcome;
}

/** @returns why a refresh has ended its grant. */
export async function refusalOf(refresh: Promise<unknown>): Promise<string> {
  const { code, cause } = await errorOf(refresh);
  return code === 'grant_ended' && isClinicianError(cause) ? nameOf(cause) : `not ended: ${code}`;
}
