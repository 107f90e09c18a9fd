import { TOKEN_HEADERS } from '../../http/response.js';
import { REALM } from '../client-authentication.js';
import type { Refusal, Refused } from '../refusal.js';

/** An error of the token or the revocation endpoint (RFC 6749 section 5.2). */
export function tokenError(refusal: Refusal): Refused {
  const { status, error, description } = refusal;
  const challenge = status === 401 ? { 'WWW-Authenticate': `Basic realm="${REALM}"` } : {};
  const body = JSON.stringify({ error, error_description: description });
  return { refusal, response: { status, headers: { ...TOKEN_HEADERS, ...challenge }, body } };
}
