import type { Parameters } from '../../http/parameters.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** @returns the words of the response type in alphabetical order: theirs does not matter (RFC 6749 section 3.1.1). */
export function responseTypeWords(parameters: Parameters): string[] {
  return (parameters.get('response_type') ?? '').split(' ').sort();
}

/** Decisions 17 and 18. */
export const checkResponseType: Check = ({ parameters, client }) => {
  const source = 'RFC 6749 section 3.1.1';
  if (parameters.get('response_type') === undefined) {
    return new Refusal('invalid_request', 'response_type is missing', { decision: 17, source });
  }
  const type = responseTypeWords(parameters).join(' ');
  if (type !== 'code' && type !== 'code id_token') {
    return new Refusal('unsupported_response_type', 'response_type must be code', { decision: 17, source });
  }
  if (!client.responseTypes.includes(type)) {
    const description = `This client is not registered for response_type ${type}`;
    return new Refusal('unsupported_response_type', description, { decision: 18, source });
  }
  return { responseType: type };
};
