import { maskURL } from '../http/masking.js';
import type { Parameters } from '../http/parameters.js';
import type { ClientRedirect } from '../http/response.js';
import type { Client, ClientStore } from '../state/clients.js';
import type { IDTokens } from './id-token.js';
import { invalidRequest, Refusal, refuseRepeated } from './refusal.js';

/** A logout request that passed every check. */
interface LogoutRequest {
  /** The subject of the ID Token. */
  readonly sub: string;
  /** The client_id. */
  readonly client: string;
  /** The post_logout_redirect_uri. */
  readonly target: string;
  readonly state: string | undefined;
}

/** Reads a logout request. No part of a refused one may be used. */
export function readLogoutRequest(
  parameters: Parameters,
  idTokens: IDTokens,
  clients: ClientStore,
): LogoutRequest | Refusal {
  if (parameters.malformed) return invalidRequest('parameters-well-formed', 'The request is not well-formed');
  const repeated = refuseRepeated(parameters);
  if (repeated !== undefined) return repeated;
  const hint = parameters.get('id_token_hint');
  const target = parameters.get('post_logout_redirect_uri');
  const named = parameters.get('client_id');
  if (hint === undefined) {
    const requested = named === undefined ? undefined : clients.get(named);
    const mismatch = requested && checkPostLogoutURI(target, requested);
    return mismatch ?? invalidRequest('logout-parameters-required', 'id_token_hint is missing');
  }
  if (target === undefined) return invalidRequest('logout-parameters-required', 'post_logout_redirect_uri is missing');
  const claims = idTokens.readOwn(hint);
  const client = typeof claims?.azp === 'string' ? clients.get(claims.azp) : undefined;
  if (client === undefined) {
    return invalidRequest('logout-hint-valid', 'id_token_hint is not an ID Token of this provider');
  }
  if (named !== undefined && named !== client.id) {
    return invalidRequest('logout-client-id-matches', 'client_id is not the one of id_token_hint');
  }
  return (
    checkPostLogoutURI(target, client) ?? {
      sub: String(claims?.sub),
      client: client.id,
      target,
      state: parameters.get('state'),
    }
  );
}

function checkPostLogoutURI(target: string | undefined, client: Client): Refusal | undefined {
  if (target === undefined || client.accepts('postLogoutRedirectURIs', target)) return undefined;
  const description = 'post_logout_redirect_uri does not equal one that the client registered';
  return new Refusal('post-logout-uri-exact-match', 'invalid_request', description, {
    mismatch: { sent: maskURL(target), registered: client.shown('postLogoutRedirectURIs') },
  });
}

/** @returns the redirect after a logout, with `state` when it was sent. */
export function logoutRedirect({ client, target, state }: LogoutRequest): ClientRedirect {
  return { clientID: client, uri: target, mode: 'query', parameters: { state } };
}
