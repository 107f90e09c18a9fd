import { randomBytes } from 'node:crypto';
import { type ConfigurationError, type FlowName, isClinicianError } from 'passport-clinician';
import type { SignInBy } from './sign-in.js';

/** Describes the service that clinicians sign in with, and this site's registration there. */
export interface Service {
  issuer: string;
  apiURL: string;
  clientID: string;
  clientSecret: string;
  shareScriptURL?: string;
}

export interface Config {
  port: number;
  /** The public URL of this site: scheme, host and port. */
  appURL: string;
  /** The first seals and signs, each of them is accepted. */
  sessionSecrets: readonly string[];
  /** The session cookie's SameSite. */
  sameSite: 'lax' | 'strict';
  signInBy: SignInBy;
  flow: FlowName;
  scope: readonly string[];
  /** The scopes that users are asked for only on the pages that need them. */
  optionalScope: readonly string[];
  /** Absent when none is set: the mock provider is started instead. */
  service: Service | undefined;
  /** Absent: sessions and tokens are in memory. */
  redisURLs: readonly URL[] | undefined;
  /** The time that requests in progress have after SIGTERM: longer than a request to the service. */
  shutdownTimeoutMs: number;
}

/** Reports a missing or invalid variable: the message names it and the fix. */
export class InvalidConfig extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const ALL_SCOPES: Readonly<Record<FlowName, readonly string[]>> = {
  openid: ['openid', 'basic', 'colleagues', 'email'],
  profile: ['basic', 'colleagues', 'email'],
};

/** The variable of each option of passport-clinician. */
const VARIABLES: Readonly<Record<string, string>> = {
  issuer: 'CLINICIAN_ISSUER',
  apiURL: 'CLINICIAN_API_URL',
  shareScriptURL: 'CLINICIAN_SHARE_SCRIPT_URL',
  clientID: 'CLINICIAN_CLIENT_ID',
  clientSecret: 'CLINICIAN_CLIENT_SECRET',
  flow: 'CLINICIAN_FLOW',
  scope: 'CLINICIAN_SCOPE',
  optionalScope: 'CLINICIAN_OPTIONAL_SCOPE',
  callbackURL: 'APP_URL',
  secret: 'SESSION_SECRET',
};

/** Reads the environment. passport-clinician checks its own options, such as https. */
export function readConfig(environment: Environment): Config {
  const env = withoutEmpty(environment);
  const port = readPort(env.PORT);
  const flow = readFlow(env.CLINICIAN_FLOW);
  const service = readService(env);
  return {
    port,
    appURL: readAppURL(env.APP_URL ?? `http://127.0.0.1:${port}`, service),
    sessionSecrets: readSecrets(env.SESSION_SECRET, service),
    sameSite: 'lax',
    signInBy: readSignInBy(env.CLINICIAN_SITE),
    flow,
    scope: readScope(env.CLINICIAN_SCOPE) ?? ALL_SCOPES[flow],
    optionalScope: readScope(env.CLINICIAN_OPTIONAL_SCOPE) ?? [],
    service,
    redisURLs: readRedisURLs(env.REDIS_URL),
    shutdownTimeoutMs: readSeconds(env.SHUTDOWN_SECONDS) * 1000,
  };
}

/** Removes empty variables: in shells and containers `NAME=` means that NAME is not set. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** @returns the message for an error that a variable caused, with the name of the variable; undefined for any other error. */
export function configMessage(error: unknown): string | undefined {
  if (error instanceof InvalidConfig) return error.message;
  if (!isClinicianError(error)) return undefined;
  const { option = '' } = error as ConfigurationError;
  const variable = VARIABLES[option];
  return variable ? `Check ${variable}. ${error.message}` : error.message;
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

function readFlow(value = 'openid'): FlowName {
  if (value === 'openid' || value === 'profile') return value;
  throw new InvalidConfig(`CLINICIAN_FLOW must be 'openid' or 'profile', not '${value}'.`);
}

function readSignInBy(value = 'passport'): SignInBy {
  if (value === 'passport' || value === 'drop-in') return value;
  throw new InvalidConfig(`CLINICIAN_SITE must be 'passport' or 'drop-in', not '${value}'.`);
}

function readScope(value: string | undefined): readonly string[] | undefined {
  return value?.trim().split(/\s+/);
}

function readAppURL(value: string, service: Service | undefined): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidConfig(`APP_URL must be a URL such as https://app.example, without a path, not '${value}'.`);
  }
  if (!service && !['127.0.0.1', 'localhost'].includes(url.hostname)) {
    throw new InvalidConfig(`APP_URL is '${value}', and the mock provider redirects to this machine only. Remove it.`);
  }
  return url.origin;
}

/** Reads the four variables of the service and the optional share script, or none. */
function readService(env: Environment): Service | undefined {
  const { CLINICIAN_ISSUER, CLINICIAN_API_URL, CLINICIAN_CLIENT_ID, CLINICIAN_CLIENT_SECRET } = env;
  const { CLINICIAN_SHARE_SCRIPT_URL } = env;
  const values = { CLINICIAN_ISSUER, CLINICIAN_API_URL, CLINICIAN_CLIENT_ID, CLINICIAN_CLIENT_SECRET };
  const names = Object.keys(values) as (keyof typeof values)[];
  const set = names.find((name) => values[name]) ?? (CLINICIAN_SHARE_SCRIPT_URL && 'CLINICIAN_SHARE_SCRIPT_URL');
  const missing = names.find((name) => !values[name]);
  if (!set && env.NODE_ENV !== 'production') return undefined;
  if (missing) {
    throw new InvalidConfig(
      set
        ? `${missing} is missing, and ${set} is set. Set all of ${names.join(', ')}, or none to use the mock provider.`
        : `${missing} is missing, and the mock provider is not for production. Set ${names.join(', ')}.`,
    );
  }
  return {
    issuer: CLINICIAN_ISSUER as string,
    apiURL: CLINICIAN_API_URL as string,
    clientID: CLINICIAN_CLIENT_ID as string,
    clientSecret: CLINICIAN_CLIENT_SECRET as string,
    ...(CLINICIAN_SHARE_SCRIPT_URL && { shareScriptURL: CLINICIAN_SHARE_SCRIPT_URL }),
  };
}

/** Several URLs are the nodes of a Cluster. Where one has the parameter `sentinel`, they are Sentinels. */
function readRedisURLs(value: string | undefined): readonly URL[] | undefined {
  if (value === undefined) return undefined;
  const texts = value.split(',').map((text) => text.trim());
  const urls = texts.filter((text) => URL.canParse(text)).map((text) => new URL(text));
  if (urls.length === texts.length && urls.every(({ protocol, hostname }) => /^rediss?:$/.test(protocol) && hostname))
    return urls;
  throw new InvalidConfig('REDIS_URL must be a URL such as redis://127.0.0.1:6379, or several, separated by commas.');
}

/** Reads the session secrets, separated by spaces. With the mock provider a random one for the lifetime of the process is enough. */
function readSecrets(value: string | undefined, service: Service | undefined): readonly string[] {
  if (value !== undefined) return value.trim().split(/\s+/);
  return service ? [] : [randomBytes(32).toString('base64url')];
}
