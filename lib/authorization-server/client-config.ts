import type { Clock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import type { Fetch } from '../http.js';
import type { Secret } from '../secret.js';
import { secureURL } from '../url.js';
import { type Flow, type FlowName, flows } from './flows.js';

/** What the relying party brings to the authorization server. */
export interface AuthorizationServerOptions {
  /** The authorization server's address, exactly as it names itself: the last slash counts. */
  issuer: string;
  clientID: string;
  clientSecret: Secret;
  flow: FlowName;
  /** Where the authorization response comes to, exactly as it is registered. Neither query nor fragment. */
  redirectURI: string;
  clock: Clock;
  fetch: Fetch;
  /**
   * Whether endpoints come from the metadata document, or are the service spec's own paths below `issuer`.
   * @default true in the `openid` flow, false in the `profile` flow
   */
  discovery?: boolean;
  /** Origins beside the issuer's own that its metadata may name endpoints at. @default [] */
  allowedEndpointOrigins?: readonly string[];
}

/** The options, with the flow as data and the rest settled. @internal */
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
    throw new ConfigurationError('issuer_malformed', 'The issuer has neither query nor fragment (RFC 8414 section 2).');
  }
  // openid-client makes the redirect_uri of the token request from the callback's address, without its query.
  const redirectURI = secureURL(options.redirectURI);
  if (redirectURI.href !== options.redirectURI || /[?#]/.test(options.redirectURI)) {
    throw new ConfigurationError(
      'redirect_uri_malformed',
      `The redirect URI is to be written in its normal form, without query and fragment: ${redirectURI.origin}${redirectURI.pathname}`,
    );
  }
  return {
    ...options,
    flow,
    discovery: options.discovery ?? flow.discovery,
    endpointOrigins: [issuer.origin, ...(options.allowedEndpointOrigins ?? [])],
  };
}
