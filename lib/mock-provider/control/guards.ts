import { matchesDigest } from '../http/digest.js';
import { hostProblem, senderProblem } from '../http/local-sender.js';
import { LOCAL_PEER, type MockRequest } from '../http/request.js';
import { ControlError } from './control-error.js';

/**
 * Allows requests from this machine to the provider's own address, and refuses pages of other origins.
 * Throws a {@link ControlError}.
 */
export function requireLocalRequest(issuer: string, http: MockRequest): void {
  requireLocalHost(issuer, http);
  requireOwnOrigin(issuer, http);
}

/**
 * Allows requests with the token, from any machine. Pages of other origins and other host names are refused in any case.
 * Throws a {@link ControlError}.
 */
export function requireToken(issuer: string, http: MockRequest, tokenDigest: string): void {
  refuse(hostProblem(issuer, http));
  requireOwnOrigin(issuer, http);
  const [, token = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(http.headers.authorization ?? '') ?? [];
  if (matchesDigest(token, tokenDigest)) return;
  const message = 'Send the token of the control API: Authorization: Bearer <token>.';
  throw new ControlError(401, 'unauthorized', message, { 'WWW-Authenticate': 'Bearer' });
}

/**
 * Checks the machine and the Host header, not the page that sends the request. Another name may resolve to 127.0.0.1, and its
 * page would have the origin of the provider (DNS rebinding).
 */
export function requireLocalHost(issuer: string, http: MockRequest): void {
  refuse(senderProblem(issuer, http));
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw forbidden(problem);
}

/** Requires the provider's own origin. Browsers send Origin with every write, and Sec-Fetch-Site with every request. */
function requireOwnOrigin(issuer: string, { peer, headers }: MockRequest): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const own = peer === LOCAL_PEER ? [new URL(issuer).origin] : [`http://${host}`, `https://${host}`];
  if (origin !== undefined && !own.some((one) => one.toLowerCase() === origin.toLowerCase())) {
    throw forbidden(`Pages of ${JSON.stringify(origin.slice(0, 100))} may not send this request.`);
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden('Pages of other origins may not send this request.');
  }
}

function forbidden(message: string): ControlError {
  return new ControlError(403, 'forbidden', message);
}
