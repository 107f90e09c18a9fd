import { randomBytes } from 'node:crypto';
import { type FlowName, isClinicianError } from 'passport-clinician';

/** The service that clinicians sign in with, as it registered this site. */
export interface Service {
  issuer: string;
  apiURL: string;
  clientID: string;
  clientSecret: string;
  shareScriptURL?: string;
}

export interface Config {
  port: number;
  /** Where browsers reach this site: scheme, host and port. */
  appURL: string;
  sessionSecret: string;
  /** The session cookie's SameSite. */
  sameSite: 'lax' | 'strict';
  flow: FlowName;
  scope: readonly string[];
  /** Absent when none is named: then the mock provider is started in its place. */
  service: Service | undefined;
  /** Absent: sessions and tokens are kept in memory. */
  redisURL: string | undefined;
}

/** A missing or bad value: its message is the sentence to show. */
export class BadConfig extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const EVERY_SCOPE: Readonly<Record<FlowName, readonly string[]>> = {
  openid: ['openid', 'basic', 'colleagues', 'email'],
  profile: ['basic', 'colleagues', 'email'],
};

/** Where each option of passport-clinician comes from. */
const VARIABLES: Readonly<Record<string, string>> = {
  issuer: 'CLINICIAN_ISSUER',
  apiURL: 'CLINICIAN_API_URL',
  clientID: 'CLINICIAN_CLIENT_ID',
  clientSecret: 'CLINICIAN_CLIENT_SECRET',
  flow: 'CLINICIAN_FLOW',
  scope: 'CLINICIAN_SCOPE',
  callbackURL: 'APP_URL',
  secret: 'SESSION_SECRET',
};

/** Reads the environment. What passport-clinician checks itself, such as https, is left to it. */
export function readConfig(environment: Environment): Config {
  const env = withoutEmpty(environment);
  const port = readPort(env.PORT);
  const flow = readFlow(env.CLINICIAN_FLOW);
  const service = readService(env);
  return {
    port,
    appURL: readAppURL(env.APP_URL ?? `http://127.0.0.1:${port}`, service),
    sessionSecret: readSecret(env.SESSION_SECRET, service),
    sameSite: 'lax',
    flow,
    scope: env.CLINICIAN_SCOPE?.trim().split(/\s+/) ?? EVERY_SCOPE[flow],
    service,
    redisURL: readRedisURL(env.REDIS_URL),
  };
}

/** `NAME=` is how shells and containers say that NAME is not set. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** @returns the sentence for whoever starts this site, or undefined for an error that no setting caused. */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof BadConfig) return error.message;
  if (!isClinicianError(error)) return undefined;
  return error.message
    .replace('passport-clinician: ', '')
    .replace(/option '(\w+)'/g, (text, option: string) => VARIABLES[option] ?? text);
}

function readPort(value = '3000'): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port >= 1 && port <= 65_535) return port;
  throw new BadConfig(`PORT must be a number from 1 to 65535, and '${value}' is none.`);
}

function readFlow(value = 'openid'): FlowName {
  if (value === 'openid' || value === 'profile') return value;
  throw new BadConfig(`CLINICIAN_FLOW must be 'openid' or 'profile', not '${value}'.`);
}

function readAppURL(value: string, service: Service | undefined): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new BadConfig(`APP_URL must be an address such as https://app.example, without a path, not '${value}'.`);
  }
  if (!service && !['127.0.0.1', 'localhost'].includes(url.hostname)) {
    throw new BadConfig(`APP_URL is '${value}', and the mock provider leads back to this machine only. Remove it.`);
  }
  return url.origin;
}

/** All four, or none. */
function readService(env: Environment): Service | undefined {
  const { CLINICIAN_ISSUER, CLINICIAN_API_URL, CLINICIAN_CLIENT_ID, CLINICIAN_CLIENT_SECRET } = env;
  const given = { CLINICIAN_ISSUER, CLINICIAN_API_URL, CLINICIAN_CLIENT_ID, CLINICIAN_CLIENT_SECRET };
  const names = Object.keys(given) as (keyof typeof given)[];
  const set = names.find((name) => given[name]);
  const missing = names.find((name) => !given[name]);
  if (!set && env.NODE_ENV !== 'production') return undefined;
  if (missing) {
    throw new BadConfig(
      set
        ? `${missing} is missing, and ${set} is set: give all of ${names.join(', ')}, or none to use the mock provider.`
        : `${missing} is missing, and the mock provider is not for production: give ${names.join(', ')}.`,
    );
  }
  return {
    issuer: CLINICIAN_ISSUER as string,
    apiURL: CLINICIAN_API_URL as string,
    clientID: CLINICIAN_CLIENT_ID as string,
    clientSecret: CLINICIAN_CLIENT_SECRET as string,
  };
}

function readRedisURL(value: string | undefined): string | undefined {
  if (value === undefined || /^rediss?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) return value;
  throw new BadConfig('REDIS_URL must be an address such as redis://127.0.0.1:6379.');
}

/** Beside the mock provider a secret that lasts until the end of the process will do. */
function readSecret(value: string | undefined, service: Service | undefined): string {
  return value ?? (service ? '' : randomBytes(32).toString('base64url'));
}
