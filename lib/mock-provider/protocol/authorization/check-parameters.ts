import { maskName } from '../../http/masking.js';
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

export const checkRequestObjects: Check = ({ parameters }) => {
  const name = ['request', 'request_uri', 'registration'].find((each) => parameters.get(each) !== undefined);
  if (name === undefined) return {};
  return new Refusal('no-request-objects', `${name}_not_supported`, `The parameter ${name} is not supported`);
};
