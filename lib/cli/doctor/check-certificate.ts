import { isIP } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import { type CheckResult, ok, problem, skipped, warning } from './check-result.js';

const A_DAY = 86_400_000;
const FEW_DAYS = 14;
const PATIENCE_MS = 10_000;

/** @returns whether the server of an address has a certificate that this machine trusts, and for how long. */
export async function checkCertificate(address: string, ca: string | undefined): Promise<CheckResult> {
  const { protocol, hostname, port } = new URL(address);
  const check = 'certificate';
  if (protocol !== 'https:') return skipped(check, `${address} is plain http on this machine`);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const seen = await validUntil(host, Number(port || 443), ca);
  if (typeof seen === 'string') {
    const fix =
      'If it is a private authority of yours, name its certificate: --ca-file here, the option "ca" at the site.';
    return problem(check, `The certificate of ${hostname} is refused (${seen}).`, fix);
  }
  const days = Math.floor((seen - Date.now()) / A_DAY);
  if (days >= FEW_DAYS) return ok(check, `${hostname} for ${days} more days`);
  const fix = 'Tell whoever runs it: nobody can sign in when it has ended.';
  return warning(check, `The certificate of ${hostname} ends in ${days} days.`, fix);
}

/** @returns when the certificate ends, or the code of what is wrong with it. */
function validUntil(host: string, port: number, ca: string | undefined): Promise<number | string> {
  return new Promise((resolve) => {
    const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, ...trust, rejectUnauthorized: true, timeout: PATIENCE_MS });
    const settle = (result: number | string): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('secureConnect', () => settle(Date.parse(socket.getPeerX509Certificate()?.validTo ?? '')));
    socket.once('timeout', () => settle('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? 'unknown reason'));
  });
}
