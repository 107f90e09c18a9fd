import { createFetch } from '../../http/http.js';
import { checkCertificate } from './check-certificate.js';
import { checkClientSecret, checkRegistration } from './check-client.js';
import { checkNode, checkPackages } from './check-packages.js';
import { checkRedis } from './check-redis.js';
import { type CheckResult, hasNoProblems, skipped } from './check-result.js';
import { checkAPI, checkKeys, checkMetadata } from './check-service.js';
import { checkCallback, checkEnvironment, checkSecret, checkSettings } from './check-settings.js';
import { checkPostLogoutURL } from './check-sign-out.js';
import type { Settings } from './settings.js';

/**
 * Runs all checks. A problem in one skips only the checks that depend on it. They call the functions that the site runs: a second
 * implementation of the rules would diverge.
 */
export async function runChecks(settings: Settings): Promise<CheckResult[]> {
  const options = [...checkSettings(settings), ...checkCallback(settings)];
  return [
    checkNode(),
    ...checkPackages(settings.folder),
    ...options,
    ...checkSecret(settings),
    checkEnvironment(settings),
    ...(await checkRedis(settings)),
    ...(hasNoProblems(options)
      ? await checkService(settings)
      : [skipped('service', 'the settings must be fixed first')]),
  ];
}

async function checkService(settings: Settings): Promise<CheckResult[]> {
  const { issuer, apiURL, ca } = settings;
  const origins = [
    ...new Set([issuer, apiURL].filter((address) => address !== '').map((address) => new URL(address).origin)),
  ];
  const certificates = await Promise.all(origins.map((origin) => checkCertificate(origin, ca)));
  if (certificates[0]?.outcome === 'problem') return certificates;
  const fetch = createFetch(ca === undefined ? {} : { ca });
  const [{ results, metadata }, api] = await Promise.all([checkMetadata(settings, fetch), checkAPI(settings, fetch)]);
  if (metadata === undefined) return [...certificates, ...results, api];
  const client = await Promise.all([
    checkKeys(settings, metadata, fetch),
    checkClientSecret(settings, metadata, fetch),
    checkRegistration(settings, metadata, fetch),
    checkPostLogoutURL(settings, metadata, fetch),
  ]);
  return [...certificates, ...results, ...client, api];
}
