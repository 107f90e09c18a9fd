import { createFetch } from '../../http.js';
import { checkCertificate } from './check-certificate.js';
import { checkClientSecret, checkRegistration } from './check-client.js';
import { checkNode, checkPackages } from './check-packages.js';
import { checkRedis } from './check-redis.js';
import { type CheckResult, skipped } from './check-result.js';
import { checkAPI, checkKeys, checkMetadata } from './check-service.js';
import { checkCallback, checkEnvironment, checkSecret, checkSettings } from './check-settings.js';
import type { Settings } from './settings.js';

/** Looks at everything, whatever is wrong elsewhere, and says what was found in the order of looking. */
export async function runChecks(settings: Settings): Promise<CheckResult[]> {
  const written = [...checkSettings(settings), ...checkCallback(settings)];
  const here = [checkNode(), ...checkPackages(settings.folder), ...written, ...checkSecret(settings)];
  const around = [checkEnvironment(settings), ...(await checkRedis(settings))];
  const isSound = written.every(({ outcome }) => outcome !== 'problem');
  const there = isSound ? await examineService(settings) : [skipped('service', 'the settings are to be mended first')];
  return [...here, ...around, ...there];
}

async function examineService(settings: Settings): Promise<CheckResult[]> {
  const { issuer, apiURL, ca } = settings;
  const origins = [
    ...new Set([issuer, apiURL].filter((address) => address !== '').map((address) => new URL(address).origin)),
  ];
  const certificates = await Promise.all(origins.map((origin) => checkCertificate(origin, ca)));
  if (certificates[0]?.outcome === 'problem') return certificates;
  const fetch = createFetch(ca === undefined ? {} : { ca });
  const [{ findings, metadata }, api] = await Promise.all([checkMetadata(settings, fetch), checkAPI(settings, fetch)]);
  if (metadata === undefined) return [...certificates, ...findings, api];
  const client = await Promise.all([
    checkKeys(settings, metadata, fetch),
    checkClientSecret(settings, metadata, fetch),
    checkRegistration(settings, metadata, fetch),
  ]);
  return [...certificates, ...findings, ...client, api];
}
