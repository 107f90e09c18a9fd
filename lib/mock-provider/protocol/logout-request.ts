import { maskName } from '../http/masking.js';
import type { Parameters } from '../http/parameters.js';
import type { ClientRedirect } from '../http/response.js';
import type { ProviderInstance } from '../provider-instance.js';
import { readOwnIDToken } from './id-token.js';
import { Refusal } from './refusal.js';

/** A request to end the session that passed every check. */
export interface LogoutRequest {
  /** Whom the ID Token names. */
  readonly sub: string;
  /** The client_id of the client that asks. */
  readonly client: string;
  /** Where the browser goes afterwards. */
  readonly target: string;
  /** Goes there with it. */
  readonly state: string | undefined;
}

/** Reads a logout request (decisions 74 to 78). Nothing of it may be followed when it is refused. */
export function readLogoutRequest(instance: ProviderInstance, parameters: Parameters): LogoutRequest | Refusal {
  if (parameters.malformed) return refuse('The request is not well-formed', 74);
  const [name] = parameters.repeated;
  if (name !== undefined) return refuse(`${maskName(name)} was sent more than once`, 74);
  const hint = parameters.get('id_token_hint');
  const target = parameters.get('post_logout_redirect_uri');
  if (hint === undefined) return refuse('id_token_hint is missing', 75);
  if (target === undefined) return refuse('post_logout_redirect_uri is missing', 75);
  const claims = readOwnIDToken(hint, instance.keys, instance.issuer);
  const client = typeof claims?.azp === 'string' ? instance.clients.get(claims.azp) : undefined;
  if (client === undefined) return refuse('id_token_hint is not an ID Token of this provider', 76);
  const named = parameters.get('client_id');
  if (named !== undefined && named !== client.id) return refuse('client_id is not the one of id_token_hint', 77);
  if (!client.acceptsPostLogoutRedirectURI(target)) {
    return refuse('post_logout_redirect_uri is not registered for the client, byte for byte', 78);
  }
  return { sub: String(claims?.sub), client: client.id, target, state: parameters.get('state') };
}

/** @returns the redirect after a logout, with `state` when it was sent (decision 80). */
export function logoutRedirect({ client, target, state }: LogoutRequest): ClientRedirect {
  return { clientID: client, uri: target, mode: 'query', parameters: { state } };
}

function refuse(description: string, decision: number): Refusal {
  return new Refusal('invalid_request', description, {
    decision,
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
  });
}
