import { readFileSync } from 'node:fs';
import { type FlowName, flows } from '../../authorization-server/flows.js';
import { Secret } from '../../secret.js';
import type { ParsedArguments } from '../arguments.js';
import { CommandError } from '../command.js';

/** Holds the settings of a site. `checkSettings()` checks their values. A missing one is the empty string. */
export interface Settings {
  readonly issuer: string;
  readonly apiURL: string;
  readonly clientID: string;
  readonly clientSecret: Secret;
  readonly flow: FlowName;
  readonly scope: string;
  readonly callbackURL: string;
  /** True when APP_URL is missing. */
  readonly callbackIsAssumed: boolean;
  /** The first seals, each of them opens. */
  readonly sessionSecrets: readonly Secret[];
  readonly redisURL: Secret;
  readonly production: boolean;
  /** The option `allowedEndpointOrigins`. */
  readonly allowedEndpointOrigins: readonly string[];
  /** The certificate of a private authority, in PEM. */
  readonly ca: string | undefined;
  /** The folder of the site and its packages. */
  readonly folder: string;
}

/** Maps each option of `clinicianLogin()` to its environment variable. */
export const VARIABLES: Readonly<Record<string, string>> = {
  issuer: 'CLINICIAN_ISSUER',
  apiURL: 'CLINICIAN_API_URL',
  clientID: 'CLINICIAN_CLIENT_ID',
  clientSecret: 'CLINICIAN_CLIENT_SECRET',
  flow: 'CLINICIAN_FLOW',
  scope: 'CLINICIAN_SCOPE',
  callbackURL: 'APP_URL',
  secret: 'SESSION_SECRET',
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment variables of the reference site. Options on the command line override them. */
export function readSettings(parsed: ParsedArguments, env: Environment): Settings {
  const text = (flag: string, variable: string): string => notBlank(String(parsed[flag] ?? env[variable] ?? ''));
  const flow = (text('flow', 'CLINICIAN_FLOW') || 'openid') as FlowName;
  const appURL = text('app-url', 'APP_URL');
  const origin = appURL || `http://127.0.0.1:${notBlank(env.PORT) || 3000}`;
  return {
    issuer: text('issuer', 'CLINICIAN_ISSUER'),
    apiURL: text('api-url', 'CLINICIAN_API_URL'),
    clientID: text('client-id', 'CLINICIAN_CLIENT_ID'),
    clientSecret: new Secret(notBlank(env.CLINICIAN_CLIENT_SECRET)),
    flow,
    scope:
      text('scope', 'CLINICIAN_SCOPE').trim().replaceAll(/\s+/g, ' ') || (flows[flow]?.knownScopes ?? []).join(' '),
    callbackURL: `${origin.replace(/\/$/, '')}${text('callback-path', '') || '/auth/callback'}`,
    callbackIsAssumed: appURL === '',
    sessionSecrets: notBlank(env.SESSION_SECRET)
      .split(/\s+/)
      .filter((secret) => secret !== '')
      .map((secret) => new Secret(secret)),
    redisURL: new Secret(notBlank(env.REDIS_URL)),
    production: env.NODE_ENV === 'production',
    allowedEndpointOrigins: [text('endpoint-origin', '')].filter((origin) => origin !== ''),
    ca: parsed['ca-file'] === undefined ? undefined : readAuthority(parsed['ca-file'] as string),
    folder: String(parsed.folder ?? process.cwd()),
  };
}

/** Replaces a blank value by '': shells and containers often set `NAME=` for a variable that is not set. */
function notBlank(value = ''): string {
  return value.trim() === '' ? '' : value;
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
