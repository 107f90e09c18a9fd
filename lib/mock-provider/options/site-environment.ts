import { randomBytes } from 'node:crypto';

/** The environment variables of `clinicianLogin.fromEnv()`, and of a site that reads the same ones. */
export type SiteEnvironment = Readonly<
  Record<
    | `CLINICIAN_${'ISSUER' | 'API_URL' | 'SHARE_SCRIPT_URL' | 'CLIENT_ID' | 'CLIENT_SECRET' | 'FLOW'}`
    | `CLINICIAN_${'SCOPE' | 'OPTIONAL_SCOPE'}`
    | 'APP_URL'
    | 'SESSION_SECRET',
    string
  >
>;

/** The addresses of the provider, and the client of the site. */
interface SiteProvider {
  readonly issuer: string;
  readonly apiURL: string;
  readonly shareScriptURL: string;
  readonly client: { readonly clientID: string; readonly clientSecret: string; readonly flow: string };
}

/** @returns the settings of a site, with a random session secret. */
export function siteEnvironment({ issuer, apiURL, shareScriptURL, client }: SiteProvider): SiteEnvironment {
  return Object.freeze({
    CLINICIAN_ISSUER: issuer,
    CLINICIAN_API_URL: apiURL,
    CLINICIAN_SHARE_SCRIPT_URL: shareScriptURL,
    CLINICIAN_CLIENT_ID: client.clientID,
    CLINICIAN_CLIENT_SECRET: client.clientSecret,
    CLINICIAN_FLOW: client.flow,
    CLINICIAN_SCOPE: 'openid basic',
    CLINICIAN_OPTIONAL_SCOPE: 'colleagues email',
    APP_URL: 'http://127.0.0.1:3000',
    SESSION_SECRET: randomBytes(32).toString('base64url'),
  });
}
