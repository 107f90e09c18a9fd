import { LOCAL_PEER, type MockRequest } from './request.js';

const PROXY_HEADER = /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/** @returns why a request may be of another machine, or of a page of another host name; undefined for one from this machine. */
export function senderProblem(issuer: string, http: MockRequest): string | undefined {
  if (http.peer === LOCAL_PEER) return undefined;
  if (!isLoopbackAddress(http.peer)) {
    return 'Only programs on the machine of the mock provider may send this request.';
  }
  if (Object.keys(http.headers).some((name) => PROXY_HEADER.test(name))) {
    return 'A proxy hides the sender of this request. Send it to the mock provider directly.';
  }
  return hostProblem(issuer, http);
}

/** @returns why the Host header is not the address of the provider; undefined if it is. */
export function hostProblem(issuer: string, http: MockRequest): string | undefined {
  if (http.peer === LOCAL_PEER) return undefined;
  const host = http.headers.host?.toLowerCase() ?? '';
  if (isOwnHost(issuer, host, http.localPort)) return undefined;
  return `The Host header ${JSON.stringify(host.slice(0, 100))} is not the address of this mock provider. Use ${issuer}.`;
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
