import type { Clock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import type { Fetch } from '../http.js';
import type { Secret } from '../secret.js';
import { secureURL } from '../url.js';
import { type Flow, type FlowName, flows } from './flows.js';

/** Holds the options of one client of an authorization server. */
export interface AuthorizationServerOptions {
  /** The issuer URL, exactly as the authorization server publishes it, including a trailing slash. */
  issuer: string;
  clientID: string;
  clientSecret: Secret;
  flow: FlowName;
  /** The URL that receives the authorization response, exactly as it is registered, without query and fragment. */
  redirectURI: string;
  clock: Clock;
  fetch: Fetch;
  /**
   * Whether the endpoints are read from the metadata document, or are the service's fixed paths below `issuer`.
   * @default true in the `openid` flow, false in the `profile` flow
   */
  discovery?: boolean;
  /** Origins of endpoints, in addition to the issuer's, that its metadata may contain. @default [] */
  allowedEndpointOrigins?: readonly string[];
}

/** Holds the checked options, with defaults and the flow as data. @internal */
export interface ClientConfig extends Omit<AuthorizationServerOptions, 'flow'> {
  flow: Flow;
  discovery: boolean;
  endpointOrigins: readonly string[];
}

/** @throws ConfigurationError `insecure_url`, `issuer_malformed` or `redirect_uri_malformed`. */
export function resolveClientConfig(options: AuthorizationServerOptions): ClientConfig {
  const flow = flows[options.flow];
  const issuer = secureURL(options.issuer);
  if (issuer.search !== '' || issuer.hash !== '' || /[?#]/.test(options.issuer)) {
    throw new ConfigurationError(
      'issuer_malformed',
      'The issuer must have no query and no fragment (RFC 8414 section 2).',
    );
  }
  // The service compares the redirect_uri of both requests character by character (RFC 6749 section 4.1.3).
  const redirectURI = secureURL(options.redirectURI);
  if (redirectURI.href !== options.redirectURI || /[?#]/.test(options.redirectURI)) {
    throw new ConfigurationError(
      'redirect_uri_malformed',
      `The redirect URI must have its normal form, without query and fragment: ${redirectURI.origin}${redirectURI.pathname}`,
    );
  }
  return {
    ...options,
    flow,
    discovery: options.discovery ?? flow.discovery,
    endpointOrigins: [issuer.origin, ...(options.allowedEndpointOrigins ?? [])],
  };
}
