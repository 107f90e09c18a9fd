export type { FlowName } from './authorization-server/flows.js';
export type { TokenParams, TokenSet } from './authorization-server/token-set.js';
export { clinicianLogin } from './clinician-login.js';
export type { Clock } from './clock.js';
export {
  ClinicianError,
  ConfigurationError,
  DeniedError,
  isClinicianError,
  ProtocolError,
  type Remedy,
  ServiceUnavailableError,
  SignInRequiredError,
  TransactionError,
} from './errors.js';
export type { AuthenticateOptions, ClinicianAuthenticateOptions } from './express/authenticate-options.js';
export type { ClinicianLogin, ClinicianLoginOptions, ShareButtonLook, SignInButtonLook } from './express/drop-in.js';
export type { ClinicianEvent, ClinicianEventName, EventListener } from './express/events.js';
export type { Guards, RequireLoginOptions, RequireVerifiedOptions } from './express/guards.js';
export type { HelmetOptions } from './express/helmet.js';
export type { ClinicianGrant, TokenState } from './express/kept-tokens.js';
export type { PassportProfile } from './express/passport-profile.js';
export type { ErrorHandler } from './express/router.js';
export type { Routes } from './express/routes.js';
export { type Denial, deny, type OnSignIn, type SignInEvent } from './express/sign-in.js';
export { ClinicianStrategy } from './express/strategy.js';
export type { ClinicianStrategyOptions } from './express/strategy-options.js';
export type { ClinicianIdentity, ClinicianRequestState, Verification } from './express/types.js';
export type { VerifyCallback, VerifyFunction } from './express/verify.js';
export type { Fetch } from './http.js';
export type { ClinicianOptions } from './options.js';
export type { CallOptions } from './resource-api/authorized-fetch.js';
export type { Colleague, ColleaguePage, Colleagues, ColleaguesOptions } from './resource-api/colleagues.js';
export type { ClinicianLocation, ClinicianProfile, Hospital, SpecialtyDetails } from './resource-api/profile.js';
export { type RateLimit, RateLimitedError } from './resource-api/rate-limit.js';
export type { ResourceAPI } from './resource-api/resource-api.js';
export type { Agreement, Kept, KeptProfile, KeptProfiles } from './retention/kept-profiles.js';
export type { Secret } from './secret.js';
export { MemoryTokenStore } from './token-vault/memory-token-store.js';
export type { StoredGrant, TokenStore, TokenStoreLock } from './token-vault/token-store.js';
