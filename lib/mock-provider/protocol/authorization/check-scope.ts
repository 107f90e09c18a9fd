import { DEFAULT_SCOPE, isScopeText, SCOPES, scopeTokens } from '../../options/scopes.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';
import { responseTypeValues } from './check-response-type.js';

/** An empty scope is the default of the flow. */
export const checkScope: Check = ({ parameters, client }) => {
  const text = parameters.get('scope');
  if (text !== undefined && !isScopeText(text)) {
    return new Refusal('scope-characters', 'invalid_scope', 'scope has characters that no scope can have');
  }
  const tokens = scopeTokens(text ?? '');
  const requested = tokens.length === 0 ? DEFAULT_SCOPE[client.flow] : tokens;
  const isOpenID = requested.includes('openid');
  const known = requested.filter((token) => SCOPES.has(token));
  if (known.length < requested.length && !isOpenID) {
    return new Refusal('scope-known', 'invalid_scope', 'scope contains an unknown scope');
  }
  const forbidden = known.find((token) => !client.scope.has(token));
  if (forbidden !== undefined) {
    return new Refusal('scope-allowed', 'invalid_scope', `This client may not request the scope ${forbidden}`);
  }
  if (!isOpenID && responseTypeValues(parameters).includes('id_token')) {
    const description = 'response_type code id_token needs the scope openid';
    return new Refusal('id-token-response-needs-openid', 'invalid_scope', description);
  }
  return { scope: known.length < requested.length ? known : requested };
};
