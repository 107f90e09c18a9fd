import { matchesDigest } from '../http/digest.js';
import { LOCAL_PEER, type MockRequest } from '../http/request.js';
import { ControlError } from './control-error.js';

const PROXY_HEADER = /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/**
 * Allows requests from this machine to the provider's own address, and refuses pages of other origins.
 * Throws a {@link ControlError}.
 */
export function requireLocalRequest(issuer: string, http: MockRequest): void {
  requireLocalHost(issuer, http);
  requireOwnOrigin(http, ownOrigins(issuer, http));
}

function ownOrigins(issuer: string, { peer, headers: { host } }: MockRequest): readonly string[] {
  const own = peer === LOCAL_PEER ? [new URL(issuer).origin] : [`http://${host}`, `https://${host}`];
  return own.map((origin) => origin.toLowerCase());
}

/**
 * Allows requests with the token, from any machine. Pages of other origins and other host names are refused in any case.
 * Throws a {@link ControlError}.
 */
export function requireToken(issuer: string, http: MockRequest, tokenDigest: string): void {
  requireOwnHost(issuer, http);
  requireOwnOrigin(http, ownOrigins(issuer, http));
  const [, token = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(http.headers.authorization ?? '') ?? [];
  if (matchesDigest(token, tokenDigest)) return;
  throw new ControlError(401, 'unauthorized', 'Send the token of the control API: Authorization: Bearer <token>.');
}

/**
 * Checks the machine and the Host header, not the page that sends the request. Another name may resolve to 127.0.0.1, and its
 * page would have the origin of the provider (DNS rebinding).
 */
export function requireLocalHost(issuer: string, http: MockRequest): void {
  if (http.peer === LOCAL_PEER) return;
  if (!isLoopbackAddress(http.peer)) {
    throw forbidden('Only programs on the machine of the mock provider may send this request.');
  }
  if (Object.keys(http.headers).some((name) => PROXY_HEADER.test(name))) {
    throw forbidden('A proxy hides the sender of this request. Send it to the mock provider directly.');
  }
  requireOwnHost(issuer, http);
}

function requireOwnHost(issuer: string, http: MockRequest): void {
  if (http.peer === LOCAL_PEER) return;
  const host = http.headers.host?.toLowerCase() ?? '';
  if (isOwnHost(issuer, host, http.localPort)) return;
  throw forbidden(
    `The Host header ${JSON.stringify(host.slice(0, 100))} is not the address of this mock provider. Use ${issuer}.`,
  );
}

/** @param address an IP address, as a socket names it */
export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

function isOwnHost(issuer: string, host: string, localPort: number | undefined): boolean {
  const own = new URL(issuer);
  if (host === own.host) return true;
  const [, name, port] = /^(localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/.exec(host) ?? [];
  return (
    name !== undefined &&
    localPort !== undefined &&
    Number(port ?? (own.protocol === 'https:' ? 443 : 80)) === localPort
  );
}

/** Requires the provider's own origin. Browsers send Origin with every write, and Sec-Fetch-Site with every request. */
function requireOwnOrigin({ headers }: MockRequest, own: readonly string[]): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && !own.includes(origin.toLowerCase())) {
    throw forbidden(`Pages of ${JSON.stringify(origin.slice(0, 100))} may not send this request.`);
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden('Pages of other origins may not send this request.');
  }
}

function forbidden(message: string): ControlError {
  return new ControlError(403, 'forbidden', message);
}
