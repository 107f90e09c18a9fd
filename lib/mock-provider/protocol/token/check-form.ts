import { maskName } from '../../http/masking.js';
import type { MockRequest } from '../../http/request.js';
import { Refusal } from '../refusal.js';

/** What the token and the revocation endpoint want of a request before they look at who sent it (decisions 5, 40 and 42). */
export function checkForm(http: MockRequest): Refusal | undefined {
  if (!http.isForm) return refuse('The body must be application/x-www-form-urlencoded', 40);
  if (http.search !== '') return refuse('Parameters belong into the body, not into the query', 40);
  if (http.form.malformed) return refuse('The body is not well-formed', 40);
  const [name] = http.form.repeated;
  return name === undefined ? undefined : refuse(`${maskName(name)} was sent more than once`, 5);
}

function refuse(description: string, decision: number): Refusal {
  return new Refusal('invalid_request', description, { decision, source: 'RFC 6749 section 3.2' });
}
