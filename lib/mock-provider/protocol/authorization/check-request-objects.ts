import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

/** Decision 26. */
export const checkRequestObjects: Check = ({ parameters }) => {
  const name = ['request', 'request_uri', 'registration'].find((each) => parameters.get(each) !== undefined);
  if (name === undefined) return {};
  const source = 'OpenID Connect Core section 3.1.2.6';
  return new Refusal(`${name}_not_supported`, `The parameter ${name} is not supported`, { decision: 26, source });
};
