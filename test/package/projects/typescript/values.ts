// What a site exports from its modules without types: the compiler writes them in the declarations.
import type { Request } from 'express';
import {
  type ClinicianEvent,
  type ClinicianLoginOptions,
  type ClinicianRequestState,
  ClinicianStrategy,
  type ClinicianStrategyOptions,
  clinicianLogin,
  DeniedError,
  type ExpressRequest,
  MemoryTokenStore,
  type SignInEvent,
} from 'passport-clinician';
import type { MockProvider } from 'passport-clinician/mock-provider';
import * as mock from 'passport-clinician/mock-provider';
import { type PostgresPool, PostgresTokenStore } from 'passport-clinician/postgres';
import { RedisTokenStore } from 'passport-clinician/redis';
import * as testing from 'passport-clinician/testing';

declare const options: ClinicianLoginOptions;
declare const strategyOptions: ClinicianStrategyOptions;
declare const client: ConstructorParameters<typeof RedisTokenStore>[0]['client'];
declare const pool: PostgresPool;
declare const provider: MockProvider;

const clinician = clinicianLogin({ ...options, onSignIn: ({ identity }) => ({ id: identity.id, roles: ['reader'] }) });
/** The test adds an export of each member of these. */
export const values = {
  clinician,
  strategy: new ClinicianStrategy(strategyOptions, (_accessToken, _refreshToken, profile, done) => done(null, profile)),
  redisStore: new RedisTokenStore({ client }),
  postgresStore: new PostgresTokenStore({ pool }),
  memoryStore: new MemoryTokenStore(),
  denied: new DeniedError('profile_refused', 'For admins only.'),
  provider,
  mock,
  testing,
};

export default clinician;
export const { strategy: own, ...rest } = clinician;
export const site = { ...clinician, ...provider };
export const fetchArguments = (...args: Parameters<NonNullable<typeof options.fetch>>) => args;
export const fetchResult = (result: Awaited<ReturnType<NonNullable<typeof options.fetch>>>) => result;
export const decision = (result: ReturnType<NonNullable<typeof options.onSignIn>>) => result;
export const errorArguments = (...args: ConstructorParameters<typeof DeniedError>) => args;
export const guardArguments = (...args: Parameters<ReturnType<typeof clinician.requireLogin>>) => args;
export const requestOf = (event: SignInEvent<ExpressRequest>) => event.req;
export const failure = (event: ClinicianEvent) => (event.level === 'error' ? event : undefined);
export const signedOut = (state: ClinicianRequestState) => (state.isAuthenticated ? undefined : state);
export function signedIn(req: Request) {
  return req.clinician?.isAuthenticated ? req.clinician : undefined;
}
export class SiteStrategy extends ClinicianStrategy {
  override authenticate(...args: Parameters<ClinicianStrategy['authenticate']>) {
    super.authenticate(...args);
  }
}
