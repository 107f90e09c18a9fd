import type { Parameters } from '../../http/parameters.js';
import type { ResponseMode } from '../../state/authorization-request.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** @returns the values of response_type in alphabetical order, as their order does not matter (RFC 6749 section 3.1.1). */
export function responseTypeValues(parameters: Parameters): string[] {
  return (parameters.get('response_type') ?? '').split(' ').sort();
}

/** @returns the response mode, also of an error: as requested if possible, otherwise by response type. */
export function responseMode(parameters: Parameters): ResponseMode {
  const hasToken = responseTypeValues(parameters).some((value) => value === 'id_token' || value === 'token');
  return hasToken || parameters.get('response_mode') === 'fragment' ? 'fragment' : 'query';
}

export const checkResponseType: Check = ({ parameters, client }) => {
  if (parameters.get('response_type') === undefined) {
    return new Refusal('response-type-required', 'invalid_request', 'response_type is missing');
  }
  const type = responseTypeValues(parameters).join(' ');
  if (type !== 'code' && type !== 'code id_token') {
    return new Refusal('response-type-supported', 'unsupported_response_type', 'response_type must be code');
  }
  if (!client.responseTypes.includes(type)) {
    const description = `This client is not registered for response_type ${type}`;
    return new Refusal('response-type-registered', 'unsupported_response_type', description);
  }
  return { responseType: type };
};

export const checkResponseMode: Check = ({ parameters }) => {
  const mode = parameters.get('response_mode');
  if (mode !== undefined && mode !== 'query' && mode !== 'fragment') {
    return new Refusal('response-mode-supported', 'invalid_request', 'response_mode must be query or fragment');
  }
  if (mode === 'query' && responseMode(parameters) === 'fragment') {
    return new Refusal('id-token-not-in-query', 'invalid_request', 'An ID Token cannot be returned in the query');
  }
  return {};
};

export const checkNonce: Check = ({ parameters }) => {
  const nonce = parameters.get('nonce');
  if (nonce !== undefined || !responseTypeValues(parameters).includes('id_token')) return { nonce };
  const description = 'nonce is required for response_type code id_token';
  return new Refusal('id-token-response-needs-nonce', 'invalid_request', description);
};
