import type { Express } from 'express';
import { createSite } from '../../example-app/src/app.js';
import { type Config, readConfig } from '../../example-app/src/config.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';

export type SiteSettings = Partial<
  Pick<Config, 'appURL' | 'signInBy' | 'flow' | 'scope' | 'optionalScope' | 'sameSite'>
>;

/** Every way in which the site can sign clinicians in, in both flows. */
export const COMBINATIONS: readonly Required<Pick<SiteSettings, 'signInBy' | 'flow'>>[] = (
  ['passport', 'drop-in'] as const
).flatMap((signInBy) => (['openid', 'profile'] as const).map((flow) => ({ signInBy, flow })));

/** The reference site with a mock provider, as in its main.ts, with settings of the test. */
export function siteFor(provider: MockProvider, settings: SiteSettings = {}): Express {
  const { flow = 'openid' } = settings;
  const { clientID, clientSecret } = provider.clients[flow];
  const { issuer, apiURL, shareScriptURL } = provider;
  const service = { issuer, apiURL, shareScriptURL, clientID, clientSecret };
  return createSite({ ...readConfig({ CLINICIAN_FLOW: flow }), ...settings, service }).app;
}
