import { readFileSync } from 'node:fs';
import { Secret } from '../../secret.js';
import type { ParsedArguments } from '../arguments.js';
import { CommandError } from '../command-error.js';

/** A site's settings as they are found, checked by nobody yet. Empty texts are those that are missing. */
export interface Settings {
  readonly issuer: string;
  readonly apiURL: string;
  readonly clientID: string;
  readonly clientSecret: Secret;
  readonly flow: string;
  readonly scope: string;
  readonly callbackURL: string;
  /** True when nobody named the site's own address. */
  readonly callbackIsAssumed: boolean;
  readonly sessionSecret: Secret;
  readonly redisURL: Secret;
  readonly production: boolean;
  /** Origins beside the issuer's own that its metadata may name endpoints at: the option `allowedEndpointOrigins`. */
  readonly allowedEndpointOrigins: readonly string[];
  /** The certificate of a private authority, in PEM. */
  readonly ca: string | undefined;
  /** Where the site is, and so its packages. */
  readonly folder: string;
}

/** Where each option of passport-clinician comes from. */
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

const EVERY_SCOPE: Readonly<Record<string, string>> = {
  openid: 'openid basic colleagues email',
  profile: 'basic colleagues email',
};

/** Reads the variables that the reference site reads, with what the command line says instead of them. */
export function readSettings(given: ParsedArguments, env: Environment): Settings {
  const text = (flag: string, variable: string): string => orNothing(String(given[flag] ?? env[variable] ?? ''));
  const flow = text('flow', 'CLINICIAN_FLOW') || 'openid';
  const appURL = text('app-url', 'APP_URL');
  const origin = appURL || `http://127.0.0.1:${orNothing(env.PORT) || 3000}`;
  return {
    issuer: text('issuer', 'CLINICIAN_ISSUER'),
    apiURL: text('api-url', 'CLINICIAN_API_URL'),
    clientID: text('client-id', 'CLINICIAN_CLIENT_ID'),
    clientSecret: new Secret(orNothing(env.CLINICIAN_CLIENT_SECRET)),
    flow,
    scope: text('scope', 'CLINICIAN_SCOPE').trim().replaceAll(/\s+/g, ' ') || (EVERY_SCOPE[flow] ?? ''),
    callbackURL: `${origin.replace(/\/$/, '')}${text('callback-path', '') || '/auth/callback'}`,
    callbackIsAssumed: appURL === '',
    sessionSecret: new Secret(orNothing(env.SESSION_SECRET)),
    redisURL: new Secret(orNothing(env.REDIS_URL)),
    production: env.NODE_ENV === 'production',
    allowedEndpointOrigins: [text('endpoint-origin', '')].filter((origin) => origin !== ''),
    ca: given['ca-file'] === undefined ? undefined : readAuthority(given['ca-file'] as string),
    folder: String(given.folder ?? process.cwd()),
  };
}

/** `NAME=` is how shells and containers say that NAME is not set. */
function orNothing(value = ''): string {
  return value.trim() === '' ? '' : value;
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
