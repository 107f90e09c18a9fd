import { maskName } from '../../http/masking.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** Decisions 5 and 16: no parameter twice. */
export const checkRepetition: Check = ({ parameters }) => {
  const source = 'RFC 6749 section 3.1';
  if (parameters.repeated.has('state')) {
    return new Refusal('invalid_request', 'state was sent more than once', { decision: 16, source });
  }
  const [name] = parameters.repeated;
  if (name === undefined) return {};
  return new Refusal('invalid_request', `${maskName(name)} was sent more than once`, { decision: 5, source });
};
