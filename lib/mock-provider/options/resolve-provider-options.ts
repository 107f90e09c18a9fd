import { isProduction } from '../../production.js';
import { isLocalHost, isLoopbackHost } from '../http/redirect-uri.js';
import { type CheckedRegistration, checkRegistration } from './client-registration.js';
import { milliseconds } from './duration.js';
import {
  type LifetimeOptions,
  type MockProviderOptions,
  mockProviderOptions,
  type RateLimitOptions,
} from './provider-options.js';
import type { FlowName } from './scopes.js';
import { quoted, validate, violationAt, withDefaults } from './validate.js';

/** Options without a default in the schema. */
type Optional = 'https' | 'publicURL' | 'apiPort';
/** Options that are converted. */
type Converted = 'clients' | 'lifetimes' | 'rateLimit';

type WithDefaults = Required<Omit<MockProviderOptions, Optional>> & Pick<MockProviderOptions, Optional>;

/** The lifetimes of codes and tokens in milliseconds. */
export interface GrantLifetimes {
  readonly code: number;
  readonly accessToken: Readonly<Record<FlowName, number>>;
  readonly refreshToken: number;
}

/** The options with their defaults, lengths of time in milliseconds. */
export interface ResolvedOptions extends Omit<WithDefaults, Converted> {
  readonly clients: readonly CheckedRegistration[];
  readonly lifetimes: GrantLifetimes & { session: number };
  readonly rateLimit: { limit: number; window: number };
}

/** A path that needs no encoding in a cookie or in a page. */
const OWN_PATH = /^\/$|^(\/[\w.~-]+)+$/;

/** @returns the options with their defaults. Throws a TypeError. */
export function resolveOptions(options: MockProviderOptions, caller = 'startMockProvider()'): ResolvedOptions {
  validate(mockProviderOptions, options, caller);
  const { lifetimes, ...all } = withDefaults(mockProviderOptions, options) as WithDefaults;
  refuseProduction(all);
  checkAddress(all);
  refuseOpenControl(all);
  return {
    ...all,
    clients: all.clients.map((client, index) => checkRegistration(client, hostOf(all), ['clients', index])),
    lifetimes: resolveLifetimes(lifetimes),
    rateLimit: resolveRateLimit(all.rateLimit),
  };
}

/** @returns the host name that clients reach the provider at. */
function hostOf({ publicURL, host }: Pick<WithDefaults, 'publicURL' | 'host'>): string {
  return publicURL === undefined ? host : new URL(publicURL).hostname;
}

function refuseProduction({ allowInProduction }: Pick<WithDefaults, 'allowInProduction'>): void {
  if (!isProduction() || allowInProduction) return;
  throw new TypeError(
    'The mock provider does not start with NODE_ENV=production: its signing key is public, so its tokens can be forged. To allow it, set allowInProduction to true in the options or the config file.',
  );
}

/** Checks the host and the public URL. Plain http is for requests that stay on this machine. */
function checkAddress({ https, publicURL, host }: Pick<WithDefaults, 'https' | 'publicURL' | 'host'>): void {
  if (publicURL !== undefined) checkPublicURL(publicURL, host);
  if (!URL.canParse(`https://${/^[^[].*:/.test(host) ? `[${host}]` : host}`)) {
    throw violationAt(['host'], `must be a host name or an IP address, not ${quoted(host)}.`);
  }
  if (https && publicURL?.startsWith('http:')) {
    throw violationAt(
      ['publicURL'],
      `must be an https address, because https is set, not ${quoted(publicURL)}. Or leave out https.`,
    );
  }
  if (isLoopbackHost(host) || https || publicURL !== undefined) return;
  throw violationAt(
    ['host'],
    `must be 127.0.0.1, localhost or ::1 with plain http, not ${quoted(host)}. Or set https to { key, cert }, or publicURL to the address of a proxy that terminates TLS or of this container.`,
  );
}

/**
 * Rejects a control API without a token that other machines could reach: behind a proxy every request seems to come from this
 * machine.
 */
function refuseOpenControl({ control, host, publicURL }: Pick<WithDefaults, 'control' | 'publicURL' | 'host'>): void {
  if (control !== true || (publicURL === undefined && isLoopbackHost(host))) return;
  throw violationAt(
    ['control'],
    'needs a token, because other machines can reach the provider: set it to { token }. Or leave out publicURL, and set host to 127.0.0.1, localhost or ::1.',
  );
}

/** @returns true for an address to listen on that other machines may reach. */
export function isReachable(host: string): boolean {
  return !isLoopbackHost(host);
}

/** Plain http to another host is for containers, whose network no other machine reaches. */
function checkPublicURL(publicURL: string, host: string): void {
  const url = URL.canParse(publicURL) ? new URL(publicURL) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && (isLocalHost(url.hostname) || !isLoopbackHost(host)));
  const isExact = url && publicURL === url.origin + url.pathname.replace(/\/$/, '') && OWN_PATH.test(url.pathname);
  if (isSafe && isExact) return;
  throw violationAt(
    ['publicURL'],
    `must be an https address, or an http address of this machine, without a final slash, such as 'https://auth.example' or 'https://auth.example/idp'. It is ${quoted(publicURL)}.`,
  );
}

function resolveLifetimes(lifetimes: LifetimeOptions): ResolvedOptions['lifetimes'] {
  const { code, refreshToken, session, accessToken } = lifetimes as Required<LifetimeOptions>;
  // Whole seconds, as in `expires_in`.
  const accessTokenMs = (byDefault: string) =>
    Math.ceil(milliseconds(accessToken ?? byDefault, 'lifetimes.accessToken') / 1000) * 1000;
  return {
    code: milliseconds(code, 'lifetimes.code'),
    accessToken: { profile: accessTokenMs('1 hour'), openid: accessTokenMs('30 minutes') },
    refreshToken: milliseconds(refreshToken, 'lifetimes.refreshToken'),
    session: milliseconds(session, 'lifetimes.session'),
  };
}

function resolveRateLimit(rateLimit: RateLimitOptions): ResolvedOptions['rateLimit'] {
  const all = rateLimit as Required<RateLimitOptions>;
  return { ...all, window: milliseconds(all.window, 'rateLimit.window') };
}
