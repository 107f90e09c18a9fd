import { maskURL } from '../../http/masking.js';
import type { Parameters } from '../../http/parameters.js';
import type { Client, ClientStore } from '../../state/clients.js';
import { invalidRequest, Refusal } from '../refusal.js';
import { refuseRequestObjects } from './request-checks.js';

/** Limits the number of registered clients that an error names. */
const MAX_CLIENT_IDS = 10;

/** @returns the client of an authorization request. Without a known one nothing is redirected. */
export function checkClient(parameters: Parameters, clients: ClientStore): Client | Refusal {
  if (parameters.malformed) return invalidRequest('parameters-well-formed', 'The request is not well-formed');
  if (parameters.repeated.has('client_id')) {
    return invalidRequest('parameter-sent-once', 'client_id was sent more than once');
  }
  const id = parameters.get('client_id');
  if (id === undefined) {
    return refuseRequestObjects(parameters) ?? invalidRequest('client-id-required', 'client_id is missing');
  }
  const client = clients.get(id);
  if (client !== undefined) return client;
  const mismatch = {
    sent: clients.maskID(id),
    registered: [...clients.all()].slice(0, MAX_CLIENT_IDS).map((one) => one.id),
  };
  return new Refusal('client-id-known', 'invalid_client', 'There is no client with this client_id', { mismatch });
}

/** @returns the redirect URI of an authorization request. Without a registered one nothing is redirected. */
export function checkRedirectURI(parameters: Parameters, client: Client): string | Refusal {
  if (parameters.repeated.has('redirect_uri')) {
    return invalidRequest('parameter-sent-once', 'redirect_uri was sent more than once');
  }
  const uri = parameters.get('redirect_uri');
  if (uri === undefined) {
    return refuseRequestObjects(parameters) ?? invalidRequest('redirect-uri-required', 'redirect_uri is missing');
  }
  if (client.accepts('redirectURIs', uri)) return uri;
  const description = 'redirect_uri is not one that this client registered';
  const sent = maskURL(uri);
  return new Refusal('redirect-uri-exact-match', 'invalid_request', description, {
    reason: `redirect_uri ${JSON.stringify(sent)} does not equal one that this client registered`,
    mismatch: { sent, registered: client.shown('redirectURIs') },
  });
}
