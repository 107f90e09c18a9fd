import type { Clock } from '../async/clock.js';
import type { Secret } from '../sealing/sealer.js';
import type { Flow } from './flows.js';

/** One client of an authorization server, as `lib/options` has checked it. @internal */
export interface ClientConfig {
  /** The issuer URL, exactly as the authorization server publishes it, including a trailing slash. */
  readonly issuer: string;
  readonly clientID: string;
  readonly clientSecret: Secret;
  /** The URL that receives the authorization response, exactly as it is registered, without query and fragment. */
  readonly redirectURI: string;
  readonly flow: Flow;
  readonly clock: Clock;
  /** The time limit of one request, in milliseconds. */
  readonly timeout: number;
  /** The origins that the endpoints in the metadata may have. */
  readonly endpointOrigins: readonly string[];
}
