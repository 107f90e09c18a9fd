import { Refusal } from '../refusal.js';
import type { Check } from './check.js';
import { responseTypeWords } from './check-response-type.js';

/** Decision 18: an ID Token that comes through the browser is bound to a nonce. */
export const checkNonce: Check = ({ parameters }) => {
  const nonce = parameters.get('nonce');
  if (nonce !== undefined || !responseTypeWords(parameters).includes('id_token')) return { nonce };
  return new Refusal('invalid_request', 'nonce is required for response_type code id_token', {
    decision: 18,
    source: 'OpenID Connect Core section 3.3.2.11',
  });
};
