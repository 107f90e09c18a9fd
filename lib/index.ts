export type { Clock } from './async/clock.js';
export type { FlowName } from './authorization-server/flows.js';
export type { TokenParams, TokenSet } from './authorization-server/token-set.js';
export {
  type ClinicianLogin,
  type ClinicianLoginFactory,
  clinicianLogin,
  type DefaultUser,
} from './clinician-login.js';
export {
  ClinicianError,
  ConfigurationError,
  type DenialLink,
  DeniedError,
  type ErrorCode,
  type ErrorDetails,
  isClinicianError,
  type OAuthErrorCode,
  ProtocolError,
  type Remedy,
  ServiceUnavailableError,
  SignInRequiredError,
  TransactionError,
} from './errors/errors.js';
export type { ClinicianEventName, EventLevel } from './events/event-table.js';
export type { ClinicianEvent, ClinicianEventListener } from './events/events.js';
export type { SignInButtonOptions, SignOutButtonOptions } from './express/buttons.js';
export type {
  Guards,
  ProfileCondition,
  RequireLoginOptions,
  RequireProfileOptions,
  RequireRecentLoginOptions,
  RequireVerifiedOptions,
} from './express/guards.js';
export type {
  ErrorHandler,
  ErrorMiddleware,
  ExpressRequest,
  ExpressResponse,
  Middleware,
} from './express/http-types.js';
export type { ClinicianLoginOptions } from './express/login-options.js';
export type { HelmetOptions } from './express/members.js';
export type { PagesOptions, Texts } from './express/page-options.js';
export type { ClinicianHealth, HealthCheck } from './health.js';
export type { ShareButtonOptions } from './html/buttons.js';
export type { Fetch, FetchInit, FetchResponse } from './http/http.js';
export type { RelyingPartyOptions } from './options/options.js';
export type { Routes } from './options/routes.js';
export type { AuthenticateOptions } from './passport/authenticate-options.js';
export type { PassportProfile } from './passport/passport-profile.js';
export type { EndSessionOptions } from './passport/site-tokens.js';
export { ClinicianStrategy, Strategy } from './passport/strategy.js';
export type { ClinicianStrategyOptions } from './passport/strategy-options.js';
export type { VerifyCallback, VerifyFunction } from './passport/verify.js';
export type { CallOptions } from './resource-api/authorized-fetch.js';
export type { Colleague, ColleaguePage, Colleagues, ColleaguesOptions } from './resource-api/colleagues.js';
export type { ClinicianProfile, Hospital, ProfileLocation, SpecialtyDetails } from './resource-api/profile.js';
export type { RateLimit } from './resource-api/request-limits.js';
export type { ResourceAPI } from './resource-api/resource-api.js';
export type { Secret } from './sealing/sealer.js';
export type { ClinicianGrant, TokenState } from './session/clinician-grant.js';
export type { ClinicianIdentity, Verification } from './session/logins.js';
export type { AuthenticatedState, ClinicianRequestState, UnauthenticatedState } from './session/visit.js';
export type { LoginOptions } from './sign-in/login-request.js';
export { type Denial, deny, type OnSignIn, type SignInDecision, type SignInEvent } from './sign-in/site-user.js';
export { MemoryTokenStore, type MemoryTokenStoreOptions } from './token-vault/memory-token-store.js';
export type { StoredGrant, TokenStore, TokenStoreLock } from './token-vault/token-store.js';
