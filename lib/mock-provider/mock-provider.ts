export { FAULTS, type Fault, type FaultName } from './faults/catalogue.js';
export type { FaultEndpoint, FaultKind, FaultOptions } from './faults/fault.js';
export type { Faults, QueuedFault } from './faults/fault-queue.js';
export type { BrowserSelector, HeadlessSignInOptions } from './headless/headless-browser.js';
export type { ClientRegistration, RegisteredClient } from './options/client-registration.js';
export type {
  ClinicianChanges,
  ClinicianLocation,
  ClinicianOptions,
  ClinicianProfileFields,
} from './options/clinician-options.js';
export type { Duration } from './options/duration.js';
export type { GrantExpiry, GrantSelector } from './options/grant-selector.js';
export type { ClinicianName } from './options/personas.js';
export type { LifetimeOptions, MockProviderOptions, RateLimitOptions } from './options/provider-options.js';
export type { FlowName } from './options/scopes.js';
export type { SiteEnvironment } from './options/site-environment.js';
export type { SessionCheck } from './protocol/session-state.js';
export type { MockProvider } from './provider.js';
export type { Problem } from './recording/problems.js';
export type {
  LoginOutcome,
  RecordedLogin,
  RecordedRequest,
  RecordedRequests,
  WaitOptions,
} from './recording/recorded-request.js';
export type { Finding, Report } from './recording/report.js';
export type { TraceOptions } from './recording/trace.js';
export type { MockProviderApp } from './server/app.js';
export type { MockFetch } from './server/fetch.js';
export { startMockProvider } from './start.js';
export type { Clinician, Clinicians } from './state/clinician.js';
export type { MockClock } from './state/clock.js';
export type { Inbox, InboxMessage } from './state/inbox.js';
export type { Keys } from './state/keys.js';
