import { maskName } from '../../http/masking.js';
import type { MockRequest } from '../../http/request.js';
import { Refusal } from '../refusal.js';
import type { RuleID } from '../rules.js';

/** Checks the form of a token or revocation request, before the client is authenticated. */
export function checkForm(http: MockRequest): Refusal | undefined {
  if (!http.isForm) return refuse('form-body-required', 'The body must be application/x-www-form-urlencoded');
  if (http.search !== '') return refuse('parameters-in-body-only', 'Parameters belong in the body, not in the query');
  if (http.form.malformed) return refuse('form-body-well-formed', 'The body is not well-formed');
  const [name] = http.form.repeated;
  return name === undefined ? undefined : refuse('parameter-sent-once', `${maskName(name)} was sent more than once`);
}

function refuse(rule: RuleID, description: string): Refusal {
  return new Refusal(rule, 'invalid_request', description);
}
