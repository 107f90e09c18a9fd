import { buildEndSessionUrl, type Configuration } from 'openid-client';
import type { Secret } from '../secret.js';

export interface EndSessionParameters {
  /** The ID Token of the login that ends. The service demands it, so without one there is nothing to ask for. */
  idTokenHint?: Secret | undefined;
  /** Where the service sends the person afterwards, exactly as it is registered. */
  postLogoutRedirectURI: string;
  /** Comes back with the person. */
  state: string;
}

/**
 * @returns the address that ends the person's session at the service (OpenID Connect RP-Initiated Logout 1.0 section 2), or
 * undefined where the service cannot be asked to.
 */
export function endSessionURL(configuration: Configuration, parameters: EndSessionParameters): string | undefined {
  const { idTokenHint, postLogoutRedirectURI, state } = parameters;
  if (idTokenHint === undefined || configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
  return buildEndSessionUrl(configuration, {
    id_token_hint: idTokenHint.reveal(),
    post_logout_redirect_uri: postLogoutRedirectURI,
    state,
  }).href;
}
