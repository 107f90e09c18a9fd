import type { MockRequest } from '../../http/request.js';
import { tokenEndpointResponse } from '../../http/response.js';
import { REALM } from '../client-authentication.js';
import { invalidRequest, type Refusal, type Refused, refuseRepeated } from '../refusal.js';

/** Checks the form of a token or revocation request, before the client is authenticated. */
export function checkForm(http: MockRequest): Refusal | undefined {
  if (!http.isForm || !isUTF8(http)) {
    return invalidRequest('form-body-required', 'The body must be application/x-www-form-urlencoded in UTF-8');
  }
  if (http.search !== '')
    return invalidRequest('parameters-in-body-only', 'Parameters belong in the body, not in the query');
  if (http.form.malformed) return invalidRequest('parameters-well-formed', 'The body is not well-formed');
  return refuseRepeated(http.form);
}

/** @returns false for a charset other than UTF-8. Without a charset it is UTF-8 (RFC 6749 appendix B). */
function isUTF8(http: MockRequest): boolean {
  const [, charset] = /;\s*charset="?([^\s";]*)/i.exec(http.headers['content-type'] ?? '') ?? [];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

/** Creates the error response of the token and the revocation endpoint (RFC 6749 section 5.2). */
export function tokenError(refusal: Refusal): Refused {
  const { status, error, description } = refusal;
  const challenge = status === 401 ? { 'WWW-Authenticate': `Basic realm="${REALM}"` } : {};
  return { refusal, response: tokenEndpointResponse(status, { error, error_description: description }, challenge) };
}
