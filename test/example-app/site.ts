import { jest } from '@jest/globals';
import type { Express } from 'express';
import { createSite } from '../../example-app/src/app.js';
import { type Config, readConfig } from '../../example-app/src/config.js';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';

/** Settings of the reference site, in place of its environment variables. */
export interface SiteSettings
  extends Partial<Pick<Config, 'appURL' | 'signInBy' | 'flow' | 'sameSite' | 'readyzDetails'>> {
  scope?: readonly string[];
  optionalScope?: readonly string[];
}

/** The reference site with a mock provider, as in its main.ts, with settings of the test. */
export function siteFor(provider: MockProvider, settings: SiteSettings = {}): Express {
  if (!jest.isMockFunction(console.info)) jest.spyOn(console, 'info').mockImplementation(() => undefined); // each sign-in
  const { appURL, signInBy, flow = 'openid', scope, optionalScope, sameSite = 'lax' } = settings;
  const { clientID, clientSecret } = provider.clients[flow];
  const config = readConfig({
    APP_URL: appURL,
    SESSION_SECRET: 'reference-site-secret-0123456789-0123456789',
    CLINICIAN_SITE: signInBy,
    CLINICIAN_FLOW: flow,
    CLINICIAN_SCOPE: scope?.join(' '),
    CLINICIAN_OPTIONAL_SCOPE: optionalScope?.join(' '),
    READYZ_DETAILS: settings.readyzDetails?.toString(),
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_SHARE_SCRIPT_URL: provider.shareScriptURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
  });
  return createSite({ ...config, sameSite }).app;
}
