import type { Parameters } from '../../http/parameters.js';
import { DEFAULT_SCOPE, isScopeText, SCOPES, scopeTokens } from '../../options/scopes.js';
import type { Client } from '../../state/clients.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';
import { responseTypeWords } from './check-response-type.js';

/** @returns the words of the requested scope, each once; the default of the flow when there is none. */
export function requestedScope(parameters: Parameters, client: Client): readonly string[] {
  const words = scopeTokens(parameters.get('scope') ?? '');
  return words.length === 0 ? DEFAULT_SCOPE[client.flow] : words;
}

export const checkScope: Check = ({ parameters, client }) => {
  const text = parameters.get('scope');
  if (text !== undefined && !isScopeText(text)) {
    return new Refusal('scope-characters', 'invalid_scope', 'scope has characters that no scope can have');
  }
  const words = requestedScope(parameters, client);
  const isOpenID = words.includes('openid');
  const known = words.filter((word) => SCOPES.has(word));
  if (known.length < words.length && !isOpenID) {
    return new Refusal('scope-known', 'invalid_scope', 'scope contains an unknown word');
  }
  const forbidden = known.find((word) => !client.scope.has(word));
  if (forbidden !== undefined) {
    return new Refusal('scope-allowed', 'invalid_scope', `This client is not allowed the scope ${forbidden}`);
  }
  if (!isOpenID && responseTypeWords(parameters).includes('id_token')) {
    const description = 'response_type code id_token needs the scope openid';
    return new Refusal('id-token-response-needs-openid', 'invalid_scope', description);
  }
  return { scope: known };
};
