import type { Parameters } from '../../http/parameters.js';
import type { Client } from '../../state/clients.js';
import { Refusal } from '../refusal.js';
import { DEFAULT_SCOPE, isScopeText, SCOPES, scopeWords } from '../scopes.js';
import type { Check } from './check.js';
import { responseTypeWords } from './check-response-type.js';

const SOURCE = 'RFC 6749 section 3.3';

/** @returns the words of the scope that is asked for, each once; what the flow has by default when none is (decision 20). */
export function askedScope(parameters: Parameters, client: Client): readonly string[] {
  const words = scopeWords(parameters.get('scope') ?? '');
  return words.length === 0 ? DEFAULT_SCOPE[client.flow] : words;
}

/** Decisions 18 and 20 to 22. */
export const checkScope: Check = ({ parameters, client }) => {
  const text = parameters.get('scope');
  if (text !== undefined && !isScopeText(text)) {
    return new Refusal('invalid_scope', 'scope has characters that no scope has', { decision: 21, source: SOURCE });
  }
  const words = askedScope(parameters, client);
  const isOpenID = words.includes('openid');
  const known = words.filter((word) => SCOPES.has(word));
  if (known.length < words.length && !isOpenID) {
    return new Refusal('invalid_scope', 'scope holds a word that is not known', { decision: 21, source: SOURCE });
  }
  const forbidden = known.find((word) => !client.scope.has(word));
  if (forbidden !== undefined) {
    const description = `This client is not allowed the scope ${forbidden}`;
    return new Refusal('invalid_scope', description, { decision: 21, source: 'service spec: what the service does' });
  }
  if (!isOpenID && responseTypeWords(parameters).includes('id_token')) {
    const description = 'response_type code id_token goes with the scope openid';
    return new Refusal('invalid_scope', description, { decision: 18, source: 'OpenID Connect Core section 3.1.2.1' });
  }
  return { scope: known };
};
