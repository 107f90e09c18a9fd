import { LOCAL_PEER, type MockRequest } from '../http/request.js';
import type { ProviderInstance } from '../provider-instance.js';
import { ControlError } from './control-error.js';

const PROXY_HEADER = /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/**
 * Lets in who is on this machine and asked for this very address, and no page of another origin.
 * The Host header is looked at because a stranger's name may lead to 127.0.0.1, and their page is then of this origin (DNS rebinding).
 * Throws a {@link ControlError} that says what is wrong.
 */
export function requireLocalRequest(instance: ProviderInstance, http: MockRequest): void {
  refuseOtherHosts(instance, http);
  const { host } = http.headers;
  const own = http.peer === LOCAL_PEER ? [new URL(instance.issuer).origin] : [`http://${host}`, `https://${host}`];
  refuseOtherOrigins(
    http,
    own.map((origin) => origin.toLowerCase()),
  );
}

/** The half of it that looks at the machine and the address alone, not at the page that asks. */
export function refuseOtherHosts(instance: ProviderInstance, http: MockRequest): void {
  if (http.peer === LOCAL_PEER) return;
  if (!isLoopbackAddress(http.peer)) {
    throw forbidden('Only programs on the machine of the mock provider may ask for this.');
  }
  if (Object.keys(http.headers).some((name) => PROXY_HEADER.test(name))) {
    throw forbidden('This was asked through a proxy, so that nobody can say who asks: ask the mock provider itself.');
  }
  const host = http.headers.host?.toLowerCase() ?? '';
  if (isOwnHost(instance, host, http.localPort)) return;
  throw forbidden(
    `The Host header is ${JSON.stringify(host.slice(0, 100))}, which is not the address of this mock provider: ask at ${instance.issuer}.`,
  );
}

/** @returns true for an address of this machine, as a socket names it. */
export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

function isOwnHost({ issuer }: ProviderInstance, host: string, localPort: number | undefined): boolean {
  const own = new URL(issuer);
  if (host === own.host) return true;
  const [, name, port] = /^(localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/.exec(host) ?? [];
  return (
    name !== undefined &&
    localPort !== undefined &&
    Number(port ?? (own.protocol === 'https:' ? 443 : 80)) === localPort
  );
}

/** What a browser says of the page that asks: Origin with every write, Sec-Fetch-Site with everything. */
function refuseOtherOrigins({ headers }: MockRequest, own: readonly string[]): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && !own.includes(origin.toLowerCase())) {
    throw forbidden(`A page of ${JSON.stringify(origin.slice(0, 100))} asked, and pages of other origins may not.`);
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden('A page of another origin asked, and pages of other origins may not.');
  }
}

function forbidden(message: string): ControlError {
  return new ControlError(403, 'forbidden', message);
}
