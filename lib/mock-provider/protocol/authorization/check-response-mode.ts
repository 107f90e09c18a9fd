import type { Parameters } from '../../http/parameters.js';
import { Refusal } from '../refusal.js';
import type { ResponseMode } from './authorization-request.js';
import type { Check } from './check.js';
import { responseTypeWords } from './check-response-type.js';

/** @returns how the answer travels, an error's included: as asked where that can be, else by response type (decision 14). */
export function responseMode(parameters: Parameters): ResponseMode {
  const carriesToken = responseTypeWords(parameters).some((word) => word === 'id_token' || word === 'token');
  return carriesToken || parameters.get('response_mode') === 'fragment' ? 'fragment' : 'query';
}

/** Decisions 18 and 19. */
export const checkResponseMode: Check = ({ parameters }) => {
  const asked = parameters.get('response_mode');
  if (asked !== undefined && asked !== 'query' && asked !== 'fragment') {
    const source = 'service spec: GET /oauth/authorize';
    return new Refusal('invalid_request', 'response_mode must be query or fragment', { decision: 19, source });
  }
  if (asked === 'query' && responseMode(parameters) === 'fragment') {
    const source = 'OAuth 2.0 Multiple Response Types section 5';
    return new Refusal('invalid_request', 'An ID Token never travels in a query', { decision: 18, source });
  }
  return {};
};
