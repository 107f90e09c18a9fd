import type { ClinicianOptions } from './clinician.js';
import { type Duration, milliseconds } from './duration.js';
import { refuseUnknownNames } from './option-check.js';
import type { ClientRegistration } from './stores/client-registration.js';
import type { GrantLifetimes } from './stores/grants.js';

/** Options of {@link startMockProvider}. */
export interface MockProviderOptions {
  /** @default 0: a free port */
  port?: number;
  /** The address to listen on, and the host name of the issuer. @default '127.0.0.1' */
  host?: string;
  /** Applications to register, besides the two that are always there. */
  clients?: readonly ClientRegistration[];
  /** Clinicians to add, besides the personas. */
  clinicians?: readonly ClinicianOptions[];
  lifetimes?: {
    /** @default '5 minutes', 10 at most (decision 38) */
    code?: Duration;
    /** @default '1 hour' in the profile flow, '30 minutes' in the openid flow */
    accessToken?: Duration;
    /** @default '30 days' */
    refreshToken?: Duration;
    /** Somebody's session at the provider. @default '8 hours' */
    session?: Duration;
  };
  rateLimit?: {
    /** Requests for each window. @default 5000 */
    limit?: number;
    /** @default '1 hour' */
    window?: Duration;
  };
  /** How names are spelled in the profile: as in the service's sample payload (firstname) or its field list (first_name). @default 'sample' */
  spelling?: 'sample' | 'list';
  /** What happens to somebody who creates an account: verified at once, or in the manual queue for three days. @default 'instant' */
  verification?: 'instant' | 'queued';
  /** The signing key is published with this package; with NODE_ENV=production nothing starts unless this is true. @default false */
  allowInProduction?: boolean;
}

export interface ResolvedOptions {
  port: number;
  host: string;
  clients: readonly ClientRegistration[];
  clinicians: readonly ClinicianOptions[];
  lifetimes: GrantLifetimes & { session: number };
  rateLimit: { limit: number; window: number };
  spelling: 'sample' | 'list';
  verification: 'instant' | 'queued';
}

const NAMES = [
  'port',
  'host',
  'clients',
  'clinicians',
  'lifetimes',
  'rateLimit',
  'spelling',
  'verification',
  'allowInProduction',
];
const TEN_MINUTES = 600_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

function positive(duration: Duration, where: string): number {
  const result = milliseconds(duration, where);
  if (result <= 0) throw new TypeError(`${where} must be longer than nothing.`);
  return result;
}

function resolveLifetimes(given: NonNullable<MockProviderOptions['lifetimes']>): ResolvedOptions['lifetimes'] {
  refuseUnknownNames(given, ['code', 'accessToken', 'refreshToken', 'session'], 'lifetimes');
  const code = positive(given.code ?? '5 minutes', 'lifetimes.code');
  if (code > TEN_MINUTES) throw new TypeError('lifetimes.code can be 10 minutes at most (RFC 6749 section 4.1.2).');
  const access = (fallback: Duration) => positive(given.accessToken ?? fallback, 'lifetimes.accessToken');
  return {
    code,
    accessToken: { profile: access('1 hour'), openid: access('30 minutes') },
    refreshToken: positive(given.refreshToken ?? '30 days', 'lifetimes.refreshToken'),
    session: positive(given.session ?? '8 hours', 'lifetimes.session'),
  };
}

/** @returns the options with their defaults. Throws a sentence that names the option at fault and the cure. */
export function resolveOptions(options: MockProviderOptions): ResolvedOptions {
  refuseUnknownNames(options, NAMES, 'startMockProvider()');
  const { port = 0, host = '127.0.0.1', rateLimit = {}, spelling = 'sample', verification = 'instant' } = options;
  if (process.env.NODE_ENV === 'production' && options.allowInProduction !== true) {
    throw new Error(
      'The mock provider signs with a key that everybody has, so it does not start with NODE_ENV=production. If you mean it, pass allowInProduction: true.',
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TypeError(`port must be a number from 0 to 65535, not ${JSON.stringify(port)}.`);
  if (!LOOPBACK.test(host))
    throw new TypeError(
      `host must be of this machine (127.0.0.1, localhost or ::1), not ${JSON.stringify(host)}: the mock provider speaks plain http (decision 4).`,
    );
  if (spelling !== 'sample' && spelling !== 'list') throw new TypeError("spelling must be 'sample' or 'list'.");
  if (verification !== 'instant' && verification !== 'queued')
    throw new TypeError("verification must be 'instant' or 'queued'.");
  refuseUnknownNames(rateLimit, ['limit', 'window'], 'rateLimit');
  const limit = rateLimit.limit ?? 5000;
  if (!Number.isInteger(limit) || limit < 0)
    throw new TypeError('rateLimit.limit must be a whole number, not below 0.');
  return {
    port,
    host,
    clients: options.clients ?? [],
    clinicians: options.clinicians ?? [],
    lifetimes: resolveLifetimes(options.lifetimes ?? {}),
    rateLimit: { limit, window: positive(rateLimit.window ?? '1 hour', 'rateLimit.window') },
    spelling,
    verification,
  };
}
