import type { Parameters } from '../../parameters.js';
import { Refusal } from '../../refusal.js';
import type { Client, ClientStore } from '../../stores/clients.js';

/** Whom an authorization request comes from, and where its answer may go. Nothing is redirected before this is known. */
export interface Trusted {
  client: Client;
  redirectURI: string;
}

function refuse(error: string, description: string, decision: number, source: string): Refusal {
  return new Refusal(error, description, { decision, source });
}

/** Decisions 12 and 13: client_id and redirect_uri; a fault in them is shown on a page, never redirected. */
export function checkClientAndRedirect(parameters: Parameters, clients: ClientStore): Trusted | Refusal {
  const source = 'RFC 6749 section 4.1.2.1';
  if (parameters.malformed)
    return refuse('invalid_request', 'The request is not well-formed', 5, 'RFC 6749 appendix B');
  for (const [name, decision] of [
    ['client_id', 12],
    ['redirect_uri', 13],
  ] as const) {
    if (parameters.repeated.has(name))
      return refuse('invalid_request', `${name} was sent more than once`, decision, source);
    if (parameters.get(name) === undefined) return refuse('invalid_request', `${name} is missing`, decision, source);
  }
  const client = clients.get(parameters.get('client_id') as string);
  if (client === undefined) return refuse('invalid_client', 'There is no client with this client_id', 12, source);
  const redirectURI = parameters.get('redirect_uri') as string;
  if (!client.acceptsRedirectURI(redirectURI)) {
    return refuse(
      'invalid_request',
      'This redirect_uri is not registered for the client, byte for byte',
      13,
      'RFC 9700 section 4.1.3',
    );
  }
  return { client, redirectURI };
}
