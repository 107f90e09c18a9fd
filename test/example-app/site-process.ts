import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type Program, startProgram } from '../cli/program.js';
import { freePort } from '../helpers.js';

const main = fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url));

/** False where the reference site is not built: the tests of its process are skipped then. */
export const isBuilt: boolean = existsSync(main) || process.env.CI === 'true';

/** The reference site as a process. */
export interface SiteProcess extends Program {
  url: string;
}

/** Starts the process, with only these settings. It may not be ready yet. */
export function startProcess(settings: Record<string, string>): SiteProcess {
  return { ...startProgram([main], settings), url: `http://127.0.0.1:${settings.PORT}` };
}

/** Starts the site with a provider of the test, and waits until it is ready. */
export async function startSite(provider: MockProvider, settings: Record<string, string> = {}): Promise<SiteProcess> {
  const { clientID, clientSecret } = provider.clients.openid;
  const site = startProcess({
    PORT: String(await freePort()),
    SESSION_SECRET: 'shutdown-session-secret-0123456789-0123456789',
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
    ...settings,
  });
  await site.printed('Open http');
  return site;
}

/** Delays the next response of an endpoint for longer than a site needs to receive a signal. */
export function holdResponse({ faults }: MockProvider, endpoint: string): void {
  faults.next('delay', { endpoint, delay: '3 seconds' });
}

/** Waits until the provider has received the requests whose responses are delayed by a fault. */
export async function delaysStarted({ faults }: MockProvider): Promise<void> {
  while (faults.queued.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
