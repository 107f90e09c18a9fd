import type { ClinicianOptions } from '../state/clinician.js';
import type { ClientRegistration } from './client-registration.js';
import type { Duration } from './duration.js';

/** Options of {@link startMockProvider}. */
export interface MockProviderOptions {
  /** @default 0: a free port */
  port?: number;
  /** The address to listen on, and the host name of the issuer. @default '127.0.0.1' */
  host?: string;
  /**
   * The provider speaks TLS itself. `true` makes a certificate in this process, for `host` and this machine's usual names,
   * and an authority to trust, `provider.ca`; or give a key and a certificate of your own, in PEM. @default plain http
   */
  https?: boolean | { key: string | Uint8Array; cert: string | Uint8Array };
  /**
   * The address that becomes the issuer: of a proxy that speaks TLS and hands requests on (decision 4), or of the place in an
   * Express app where `provider.app` is mounted, such as `http://127.0.0.1:5001/idp`.
   */
  publicURL?: string;
  /** Applications to register, besides the two that are always there. */
  clients?: readonly ClientRegistration[];
  /** Clinicians to add, besides the personas. */
  clinicians?: readonly ClinicianOptions[];
  lifetimes?: LifetimeOptions;
  /** For how many milliseconds a refresh token that was just replaced is answered with the pair that replaced it (decision 55). @default 0 */
  refreshGraceMs?: number;
  rateLimit?: RateLimitOptions;
  /** How names are spelled in the API: as in the service's sample payload (firstname), its field list (first_name), or both (decision 90). @default 'sample' */
  spelling?: 'sample' | 'list' | 'both';
  /** What happens to somebody who creates an account: verified at once, or in the manual queue for three days (decision 31). @default 'instant' */
  verification?: 'instant' | 'queued';
  /** A port, and so an origin, for the share-button script alone; 0 for any that is free (decision 101). @default the provider's own */
  shareScriptPort?: number;
  /** Adds `iss` to authorization responses, and says so in the metadata (RFC 9207, decision 36). @default false */
  issParameter?: boolean;
  /** Adds session_state to error responses of openid requests too (decision 37). @default false */
  sessionStateOnErrors?: boolean;
  /** Logout revokes the tokens that the client got for this clinician (decision 81). @default false */
  logoutRevokesTokens?: boolean;
  /** Lets pages of any origin read the resource API (decision 3). @default false */
  apiCORS?: boolean;
  /** What a blacklisted application gets of the API: no byte, or 403 (decision 98). @default 'silence' */
  blacklisted?: 'silence' | 'forbidden';
  /** Opens the control API, `/_mock/`, to programs on this machine. For a host of this machine alone. @default false */
  control?: boolean;
  /** The signing key is published with this package; with NODE_ENV=production nothing starts unless this is true. @default false */
  allowInProduction?: boolean;
}

export interface LifetimeOptions {
  /** @default '5 minutes', 10 at most (decision 38) */
  code?: Duration;
  /** @default '1 hour' in the profile flow, '30 minutes' in the openid flow */
  accessToken?: Duration;
  /** From the last use on. @default '30 days' */
  refreshToken?: Duration;
  /** Somebody's session at the provider. @default '8 hours' */
  session?: Duration;
}

export interface RateLimitOptions {
  /** Requests for each window. @default 5000 */
  limit?: number;
  /** @default '1 hour' */
  window?: Duration;
  /** Counts a 304 like any other answer (decision 94). @default false */
  countNotModified?: boolean;
  /** Blacklists an application that went over the limit in so many windows (decision 98). @default never */
  blacklistAfter?: number;
}
