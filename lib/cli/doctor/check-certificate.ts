import { isIP } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import { type CheckResult, ok, problem, skipped, warning } from './check-result.js';

const DAY_MS = 86_400_000;
const MIN_DAYS = 14;
const TIMEOUT_MS = 10_000;

/** Checks that this machine trusts the certificate of a server, and that it does not expire soon. */
export async function checkCertificate(address: string, ca: string | undefined): Promise<CheckResult> {
  const { protocol, hostname, port } = new URL(address);
  const check = 'certificate';
  if (protocol !== 'https:') return skipped(check, `${address} is plain http`);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const expiresAt = await readExpiry(host, Number(port || 443), ca);
  if (typeof expiresAt === 'string') {
    const fix =
      'For a private certificate authority, pass its certificate: --ca-file here, the option "ca" at the site.';
    return problem(check, `The certificate of ${hostname} is not trusted (${expiresAt}).`, fix);
  }
  const days = Math.floor((expiresAt - Date.now()) / DAY_MS);
  if (days >= MIN_DAYS) return ok(check, `${hostname} for ${days} more days`);
  const fix = 'Ask the operator of the service to renew it: sign-ins fail when it has expired.';
  return warning(check, `The certificate of ${hostname} expires in ${days} days.`, fix);
}

/** @returns when the certificate expires, or an error code. */
function readExpiry(host: string, port: number, ca: string | undefined): Promise<number | string> {
  return new Promise((resolve) => {
    const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, ...trust, rejectUnauthorized: true, timeout: TIMEOUT_MS });
    const settle = (result: number | string): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('secureConnect', () => settle(Date.parse(socket.getPeerX509Certificate()?.validTo ?? '')));
    socket.once('timeout', () => settle('timeout'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? 'unknown reason'));
  });
}
