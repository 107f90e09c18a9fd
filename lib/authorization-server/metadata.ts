import type { ServerMetadata } from 'openid-client';
import { ConfigurationError, ProtocolError } from '../errors.js';
import { secureURL } from '../url.js';
import type { ClientConfig } from './client-config.js';

/** The paths that the service spec fixes for its authorization server ("Endpoints"). */
export function specMetadata(issuer: string): ServerMetadata {
  const base = issuer.replace(/\/$/, '');
  return {
    issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    revocation_endpoint: `${base}/oauth/revoke`,
    end_session_endpoint: `${base}/oauth/logout`,
    check_session_iframe: `${base}/oauth/session_state`,
    jwks_uri: `${base}/.well-known/jwks.json`,
  };
}

/**
 * Takes out of a metadata document what is used here, and checks each: OpenID Connect Discovery 1.0 section 4.3, RFC 8414
 * sections 3.3 and 6.2. What is not listed has no say, so the document cannot switch anything on.
 * @throws ProtocolError `issuer_mismatch`, `metadata_malformed`, `metadata_endpoint_refused` or `pkce_unsupported`.
 */
export function checkedMetadata(document: Record<string, unknown>, party: ClientConfig): ServerMetadata {
  const { issuer, flow } = party;
  if (document.issuer !== issuer) {
    throw new ProtocolError(
      'issuer_mismatch',
      `The metadata document of ${issuer} names another issuer. Compare the option "issuer" with it letter by letter: the last slash counts.`,
    );
  }
  const methods = document.code_challenge_methods_supported;
  if (flow.pkce && Array.isArray(methods) && !methods.includes('S256')) {
    throw new ProtocolError(
      'pkce_unsupported',
      `${issuer} says that it does not support the code challenge method S256.`,
    );
  }
  const find = (name: string) => endpoint(document, name, party);
  const endSession = find('end_session_endpoint');
  const checkSession = find('check_session_iframe');
  const jwks = flow.expectsIDToken ? required('jwks_uri', find('jwks_uri')) : undefined;
  return {
    issuer,
    authorization_endpoint: required('authorization_endpoint', find('authorization_endpoint')),
    token_endpoint: required('token_endpoint', find('token_endpoint')),
    // The spec names it in one of the service's two metadata documents only, and fixes its path.
    revocation_endpoint: find('revocation_endpoint') ?? (specMetadata(issuer).revocation_endpoint as string),
    ...(endSession !== undefined && { end_session_endpoint: endSession }),
    ...(checkSession !== undefined && { check_session_iframe: checkSession }),
    ...(jwks !== undefined && { jwks_uri: jwks }),
    authorization_response_iss_parameter_supported: document.authorization_response_iss_parameter_supported === true,
  };
}

function endpoint(
  document: Record<string, unknown>,
  name: string,
  { endpointOrigins }: ClientConfig,
): string | undefined {
  const address = document[name];
  if (address === undefined) return undefined;
  const url = typeof address === 'string' ? acceptable(address) : undefined;
  if (url === undefined || !endpointOrigins.includes(url.origin)) {
    throw new ProtocolError(
      'metadata_endpoint_refused',
      `The metadata document's ${name} is not at ${endpointOrigins.join(' or ')}. Another origin is used only when "allowedEndpointOrigins" names it.`,
    );
  }
  return url.href;
}

function acceptable(address: string): URL | undefined {
  try {
    return secureURL(address);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

function required(name: string, address: string | undefined): string {
  if (address !== undefined) return address;
  throw new ProtocolError('metadata_malformed', `The metadata document lacks ${name}.`);
}
