import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** Decision 32. */
export const checkMaxAge: Check = ({ parameters }) => {
  const maxAge = parameters.get('max_age');
  if (maxAge === undefined) return {};
  if (/^\d{1,12}$/.test(maxAge)) return { maxAge: Number(maxAge) };
  const source = 'OpenID Connect Core section 3.1.2.1';
  return new Refusal('invalid_request', 'max_age must be a whole number of seconds', { decision: 32, source });
};
