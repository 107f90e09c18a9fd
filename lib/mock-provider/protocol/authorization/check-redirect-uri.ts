import { maskURL } from '../../http/masking.js';
import type { Parameters } from '../../http/parameters.js';
import type { Client } from '../../state/clients.js';
import { Refusal } from '../refusal.js';

/** Decision 13: an address that is not registered, byte for byte, gets nothing. */
export function checkRedirectURI(parameters: Parameters, client: Client): string | Refusal {
  if (parameters.repeated.has('redirect_uri')) {
    return new Refusal('invalid_request', 'redirect_uri was sent more than once', {
      decision: 13,
      source: 'RFC 6749 section 3.1',
    });
  }
  const uri = parameters.get('redirect_uri');
  if (uri === undefined) {
    return new Refusal('invalid_request', 'redirect_uri is missing', {
      decision: 13,
      source: 'service spec: GET /oauth/authorize',
    });
  }
  if (client.acceptsRedirectURI(uri)) return uri;
  return new Refusal('invalid_request', 'redirect_uri is not one that this client registered', {
    decision: 13,
    source: 'RFC 9700 section 4.1.3',
    reason: `redirect_uri ${JSON.stringify(maskURL(uri))} is not byte for byte one that this client registered`,
  });
}
