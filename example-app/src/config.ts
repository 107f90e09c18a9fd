import { randomBytes } from 'node:crypto';
import { type FlowName, isClinicianError } from 'passport-clinician';
import type { SignInBy } from './sign-in.js';

export interface Config {
  port: number;
  /** The public URL of this site: scheme, host and port. */
  appURL: string;
  /** The variables that `clinicianLogin.fromEnv()` reads, with the defaults of this site. */
  environment: Environment;
  /** Whether the mock provider is started in place of the service. */
  usesMockProvider: boolean;
  /** The first seals and signs, each of them is accepted. */
  sessionSecrets: readonly string[];
  /** The session cookie's SameSite. */
  sameSite: 'lax' | 'strict';
  signInBy: SignInBy;
  flow: FlowName;
  /** The scopes that this site requests, at the sign-in or on single pages. */
  offeredScope: readonly string[];
  /** Absent: sessions and tokens are in memory. */
  redisURLs: readonly URL[] | undefined;
  /** Whether `/readyz` shows the state of each part, to anyone who can request it. */
  readyzDetails: boolean;
  /** The time that requests in progress have after SIGTERM: longer than a request to the service. */
  shutdownTimeoutMs: number;
}

/** Reports a missing or invalid variable: the message names it and the fix. */
export class InvalidConfig extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

export const ALL_SCOPES: Readonly<Record<FlowName, string>> = {
  openid: 'openid basic colleagues email',
  profile: 'basic colleagues email',
};

/** The variables of the service. */
const SERVICE = [
  'CLINICIAN_ISSUER',
  'CLINICIAN_API_URL',
  'CLINICIAN_SHARE_SCRIPT_URL',
  'CLINICIAN_CLIENT_ID',
  'CLINICIAN_CLIENT_SECRET',
];

/** Reads the variables of this site. `clinicianLogin.fromEnv()` checks its own, such as CLINICIAN_ISSUER. */
export function readConfig(variables: Environment): Config {
  const env = withoutEmpty(variables);
  const port = readPort(env.PORT);
  const flow = readFlow(env.CLINICIAN_FLOW);
  const scope = env.CLINICIAN_SCOPE ?? ALL_SCOPES[flow];
  const usesMockProvider = readUsesMockProvider(env);
  const appURL = readAppURL(env.APP_URL ?? `http://127.0.0.1:${port}`, usesMockProvider);
  // With the mock provider a random secret for the lifetime of the process is enough.
  const secret = env.SESSION_SECRET ?? (usesMockProvider ? randomBytes(32).toString('base64url') : '');
  return {
    port,
    appURL,
    environment: { ...env, APP_URL: appURL, SESSION_SECRET: secret, CLINICIAN_SCOPE: scope },
    usesMockProvider,
    sessionSecrets: wordsOf(secret),
    sameSite: 'lax',
    signInBy: readSignInBy(env.CLINICIAN_SITE),
    flow,
    offeredScope: wordsOf(`${scope} ${env.CLINICIAN_OPTIONAL_SCOPE ?? ''}`),
    redisURLs: readRedisURLs(env.REDIS_URL),
    readyzDetails: readReadyzDetails(env.READYZ_DETAILS),
    shutdownTimeoutMs: readSeconds(env.SHUTDOWN_SECONDS) * 1000,
  };
}

/** Removes empty variables: in shells and containers `NAME=` means that NAME is not set. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** Splits a list that spaces separate. */
function wordsOf(value: string): readonly string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}

/** @returns the message for an error that a variable caused; undefined for any other error. */
export function configMessage(error: unknown): string | undefined {
  if (isClinicianError(error)) return `${error.message}\nSee ${error.see}`;
  return error instanceof InvalidConfig ? error.message : undefined;
}

function readPort(value = '3000'): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port >= 1 && port <= 65_535) return port;
  throw new InvalidConfig(`PORT must be a number from 1 to 65535, got '${value}'.`);
}

function readSeconds(value = '12'): number {
  const seconds = Number(value);
  if (/^\d+$/.test(value) && seconds >= 1 && seconds <= 3600) return seconds;
  throw new InvalidConfig(`SHUTDOWN_SECONDS must be a number from 1 to 3600, got '${value}'.`);
}

function readReadyzDetails(value = 'false'): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new InvalidConfig(`READYZ_DETAILS must be 'true' or 'false', not '${value}'.`);
}

function readFlow(value = 'openid'): FlowName {
  if (value === 'openid' || value === 'profile') return value;
  throw new InvalidConfig(`CLINICIAN_FLOW must be 'openid' or 'profile', not '${value}'.`);
}

function readSignInBy(value = 'passport'): SignInBy {
  if (value === 'passport' || value === 'drop-in') return value;
  throw new InvalidConfig(`CLINICIAN_SITE must be 'passport' or 'drop-in', not '${value}'.`);
}

function readAppURL(value: string, usesMockProvider: boolean): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidConfig(`APP_URL must be a URL such as https://app.example, without a path, not '${value}'.`);
  }
  if (usesMockProvider && !['127.0.0.1', 'localhost'].includes(url.hostname)) {
    throw new InvalidConfig(`APP_URL is '${value}', and the mock provider redirects to this machine only. Remove it.`);
  }
  return url.origin;
}

/** Uses the mock provider if no variable of the service is set. */
function readUsesMockProvider(env: Environment): boolean {
  if (env.NODE_ENV === 'production' || [...SERVICE, 'CLINICIAN_SHARE_SCRIPT_URL'].some((name) => env[name]))
    return false;
  return true;
}

/** Several URLs are the nodes of a Cluster. If one has the parameter `sentinel`, they are Sentinels. */
function readRedisURLs(value: string | undefined): readonly URL[] | undefined {
  if (value === undefined) return undefined;
  const texts = value.split(',').map((text) => text.trim());
  const urls = texts.filter((text) => URL.canParse(text)).map((text) => new URL(text));
  if (urls.length === texts.length && urls.every(({ protocol, hostname }) => /^rediss?:$/.test(protocol) && hostname))
    return urls;
  throw new InvalidConfig('REDIS_URL must be a URL such as redis://127.0.0.1:6379, or several, separated by commas.');
}
