import type { Parameters } from '../../http/parameters.js';
import type { Client, ClientStore } from '../../state/clients.js';
import { Refusal } from '../refusal.js';

const SOURCE = 'RFC 6749 section 4.1.2.1';

/** Decision 12: without a known client nothing is redirected. */
export function checkClient(parameters: Parameters, clients: ClientStore): Client | Refusal {
  if (parameters.malformed) {
    return new Refusal('invalid_request', 'The request is not well-formed', {
      decision: 12,
      source: 'RFC 6749 appendix B',
    });
  }
  if (parameters.repeated.has('client_id')) {
    return new Refusal('invalid_request', 'client_id was sent more than once', { decision: 12, source: SOURCE });
  }
  const id = parameters.get('client_id');
  if (id === undefined) return new Refusal('invalid_request', 'client_id is missing', { decision: 12, source: SOURCE });
  const unknown = new Refusal('invalid_client', 'There is no client with this client_id', {
    decision: 12,
    source: SOURCE,
  });
  return clients.get(id) ?? unknown;
}
