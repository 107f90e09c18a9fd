import { maskName } from '../../http/masking.js';
import type { Parameters } from '../../http/parameters.js';
import { Refusal } from '../refusal.js';
import type { Check } from './check.js';

export const checkRepetition: Check = ({ parameters }) => {
  if (parameters.repeated.has('state')) {
    return new Refusal('state-sent-once', 'invalid_request', 'state was sent more than once');
  }
  const [name] = parameters.repeated;
  if (name === undefined) return {};
  return new Refusal('parameter-sent-once', 'invalid_request', `${maskName(name)} was sent more than once`);
};

/** Runs before the other parameters are checked: they may be in the request object (OIDC Core section 6.1). */
export const checkRequestObjects: Check = ({ parameters }) => refuseRequestObjects(parameters) ?? {};

export function refuseRequestObjects(parameters: Parameters): Refusal | undefined {
  const name = ['request', 'request_uri', 'registration'].find((each) => parameters.get(each) !== undefined);
  if (name === undefined) return undefined;
  return new Refusal('no-request-objects', `${name}_not_supported`, `The parameter ${name} is not supported`);
}
