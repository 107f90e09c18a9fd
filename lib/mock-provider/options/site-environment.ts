import { randomBytes } from 'node:crypto';
import type { RegisteredClient } from './client-registration.js';

/** The environment variables of `clinicianLogin.fromEnv()`, and of a site that reads the same ones. */
export type SiteEnvironment = Readonly<Record<`CLINICIAN_${string}` | 'APP_URL' | 'SESSION_SECRET', string>>;

type Addresses = Readonly<Record<'issuer' | 'apiURL' | 'shareScriptURL', string>>;

/** @returns the settings of a site with this client, and a random session secret. */
export function siteEnvironment(addresses: Addresses, client: RegisteredClient): SiteEnvironment {
  return Object.freeze({
    CLINICIAN_ISSUER: addresses.issuer,
    CLINICIAN_API_URL: addresses.apiURL,
    CLINICIAN_SHARE_SCRIPT_URL: addresses.shareScriptURL,
    CLINICIAN_CLIENT_ID: client.clientID,
    CLINICIAN_CLIENT_SECRET: client.clientSecret,
    CLINICIAN_FLOW: client.flow,
    CLINICIAN_SCOPE: 'openid basic',
    CLINICIAN_OPTIONAL_SCOPE: 'colleagues email',
    APP_URL: 'http://127.0.0.1:3000',
    SESSION_SECRET: randomBytes(32).toString('base64url'),
  });
}
