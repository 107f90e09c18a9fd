import type { Clock } from '../async/clock.js';
import type { Secret } from '../sealing/sealer.js';
import { type Flow, type FlowChoice, flowOf } from './flows.js';

/** The options of one client of an authorization server, checked by `lib/options`. */
export interface AuthorizationServerOptions extends FlowChoice {
  /** The issuer URL, exactly as the authorization server publishes it, including a trailing slash. */
  issuer: string;
  clientID: string;
  clientSecret: Secret;
  /** The URL that receives the authorization response, exactly as it is registered, without query and fragment. */
  redirectURI: string;
  clock: Clock;
  /** The time limit of one request, in milliseconds. @default 10000 */
  timeout?: number;
  /**
   * Whether the endpoints are read from the metadata document, or are the service's fixed paths below `issuer`.
   * @default true in the `openid` flow, false in the `profile` flow
   */
  discovery?: boolean;
  /** Origins of endpoints, in addition to the issuer's, that its metadata may contain. @default [] */
  allowedEndpointOrigins?: readonly string[];
}

/** The options with defaults, and the flow as data. @internal */
export interface ClientConfig extends Omit<AuthorizationServerOptions, 'flow'> {
  flow: Flow;
  discovery: boolean;
  timeout: number;
  endpointOrigins: readonly string[];
}

/** Adds the defaults of the flow. `lib/options` has checked the options. */
export function resolveClientConfig(options: AuthorizationServerOptions): ClientConfig {
  const flow = flowOf(options);
  return {
    ...options,
    flow,
    discovery: options.discovery ?? flow.discovery,
    timeout: options.timeout ?? 10_000,
    endpointOrigins: [new URL(options.issuer).origin, ...(options.allowedEndpointOrigins ?? [])],
  };
}
