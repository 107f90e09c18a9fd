import { isIPv6 } from 'node:net';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { GrantLifetimes } from '../state/grants.js';
import { identityFor } from '../tls/authority.js';
import { milliseconds } from './duration.js';
import { refuseUnknownNames } from './option-check.js';
import type { LifetimeOptions, MockProviderOptions, RateLimitOptions } from './options.js';

/** Those without a default. */
type Optional = 'publicURL' | 'shareScriptPort';

/** Key and certificate of the server, and the authority behind them when they were made here. */
interface TLS {
  key: string | Uint8Array;
  cert: string | Uint8Array;
  ca?: string;
}

export type ResolvedOptions = Required<Omit<MockProviderOptions, Optional | 'https' | 'lifetimes' | 'rateLimit'>> &
  Pick<MockProviderOptions, Optional> & {
    https: TLS | undefined;
    lifetimes: GrantLifetimes & { session: number };
    rateLimit: { limit: number; window: number; countNotModified: boolean; blacklistAfter: number };
  };

const DEFAULTS: Omit<Required<MockProviderOptions>, Optional | 'https' | 'lifetimes' | 'rateLimit'> = {
  port: 0,
  host: '127.0.0.1',
  clients: [],
  clinicians: [],
  refreshGraceMs: 0,
  spelling: 'sample',
  verification: 'instant',
  issParameter: false,
  sessionStateOnErrors: false,
  logoutRevokesTokens: false,
  apiCORS: false,
  blacklisted: 'silence',
  control: false,
  allowInProduction: false,
};
const NAMES = [...Object.keys(DEFAULTS), 'https', 'publicURL', 'shareScriptPort', 'lifetimes', 'rateLimit'];
/** What needs no encoding, neither in a cookie nor in a page. */
const OWN_PATH = /^\/$|^(\/[\w.~-]+)+$/;
const TEN_MINUTES = 600_000;

/** @returns the options with their defaults. Throws a sentence that names the option at fault and the fix. */
export function resolveOptions(options: MockProviderOptions, where = 'startMockProvider()'): ResolvedOptions {
  refuseUnknownNames(options, NAMES, where);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const all: typeof DEFAULTS & MockProviderOptions = { ...DEFAULTS, ...given };
  refuseProduction(all);
  checkAddress(options, all);
  requireOneOf(all.spelling, ['sample', 'list', 'both'], 'spelling');
  requireOneOf(all.verification, ['instant', 'queued'], 'verification');
  requireOneOf(all.blacklisted, ['silence', 'forbidden'], 'blacklisted');
  for (const name of ['issParameter', 'sessionStateOnErrors', 'logoutRevokesTokens', 'apiCORS', 'control'] as const) {
    requireOneOf(all[name], [true, false], name);
  }
  refuseOpenControl(all);
  const refreshGrace = wholeNumber(all.refreshGraceMs, 'refreshGraceMs');
  return {
    ...all,
    https: all.https === true ? identityFor(all.host) : all.https || undefined,
    lifetimes: { ...resolveLifetimes(options.lifetimes ?? {}), refreshGrace },
    rateLimit: resolveRateLimit(options.rateLimit ?? {}),
  };
}

function refuseProduction({ allowInProduction }: { allowInProduction: boolean }): void {
  if (process.env.NODE_ENV !== 'production' || allowInProduction === true) return;
  throw new Error(
    'The mock provider signs with a key that everybody has, so it does not start with NODE_ENV=production. If you mean it, pass allowInProduction: true.',
  );
}

/** Decision 4: plain http goes no further than this machine. */
function checkAddress(given: MockProviderOptions, { port, host }: { port: number; host: string }): void {
  const { https, publicURL, shareScriptPort = 0 } = given;
  checkPort(port, 'port');
  checkPort(shareScriptPort, 'shareScriptPort');
  if (https !== undefined && typeof https !== 'boolean' && !(https?.key && https.cert)) {
    throw new TypeError(
      'https needs a key and a cert, both in PEM: https: { key, cert }. Or let it make them: https: true.',
    );
  }
  if (publicURL !== undefined) checkPublicURL(publicURL);
  if (typeof host !== 'string' || !URL.canParse(`https://${isIPv6(host) ? `[${host}]` : host}`)) {
    throw new TypeError(`host must be a host name or an IP address, not ${JSON.stringify(host)}.`);
  }
  if (isLoopbackHost(host) || https || publicURL?.startsWith('https:')) return;
  throw new TypeError(
    `host must be of this machine (127.0.0.1, localhost or ::1), not ${JSON.stringify(host)}: plain http is for this machine alone (decision 4). Give https: true or https: { key, cert }, or publicURL if a proxy in front speaks TLS.`,
  );
}

/** Whoever reaches the control API does everything, so nobody from elsewhere may: a proxy's requests all look as if from here. */
function refuseOpenControl({ control, host, publicURL }: MockProviderOptions): void {
  if (!control || (publicURL === undefined && isLoopbackHost(host as string))) return;
  throw new TypeError(
    'control: true is for a provider that this machine alone can reach: leave out publicURL, and let host be 127.0.0.1, localhost or ::1.',
  );
}

function checkPort(port: unknown, where: string): void {
  if (Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535) return;
  throw new TypeError(`${where} must be a number from 0 to 65535, not ${JSON.stringify(port)}.`);
}

function checkPublicURL(publicURL: string): void {
  const url = URL.canParse(publicURL) ? new URL(publicURL) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isSafe && publicURL === url.origin + url.pathname.replace(/\/$/, '') && OWN_PATH.test(url.pathname))
    return;
  throw new TypeError(
    `publicURL must be an https address without a slash at its end, such as 'https://auth.example', or an http one of this machine; a path may follow, such as /idp. It is not ${JSON.stringify(publicURL)}.`,
  );
}

function resolveLifetimes(given: LifetimeOptions): Omit<ResolvedOptions['lifetimes'], 'refreshGrace'> {
  refuseUnknownNames(given, ['code', 'accessToken', 'refreshToken', 'session'], 'lifetimes');
  const code = lasting(given.code ?? '5 minutes', 'lifetimes.code');
  if (code > TEN_MINUTES) throw new TypeError('lifetimes.code can be 10 minutes at most (RFC 6749 section 4.1.2).');
  const access = (fallback: string) => lasting(given.accessToken ?? fallback, 'lifetimes.accessToken');
  return {
    code,
    accessToken: { profile: access('1 hour'), openid: access('30 minutes') },
    refreshToken: lasting(given.refreshToken ?? '30 days', 'lifetimes.refreshToken'),
    session: lasting(given.session ?? '8 hours', 'lifetimes.session'),
  };
}

function resolveRateLimit(given: RateLimitOptions): ResolvedOptions['rateLimit'] {
  refuseUnknownNames(given, ['limit', 'window', 'countNotModified', 'blacklistAfter'], 'rateLimit');
  const { countNotModified = false, blacklistAfter = Number.POSITIVE_INFINITY } = given;
  requireOneOf(countNotModified, [true, false], 'rateLimit.countNotModified');
  return {
    limit: wholeNumber(given.limit ?? 5000, 'rateLimit.limit'),
    window: lasting(given.window ?? '1 hour', 'rateLimit.window'),
    countNotModified,
    blacklistAfter:
      blacklistAfter === Number.POSITIVE_INFINITY
        ? blacklistAfter
        : wholeNumber(blacklistAfter, 'rateLimit.blacklistAfter', 1),
  };
}

function lasting(duration: number | string, where: string): number {
  const result = milliseconds(duration, where);
  if (result <= 0) throw new TypeError(`${where} must be longer than nothing.`);
  return result;
}

function wholeNumber(value: unknown, where: string, least = 0): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new TypeError(`${where} must be a whole number, not below ${least}, and not ${JSON.stringify(value)}.`);
}

function requireOneOf(value: unknown, known: readonly unknown[], where: string): void {
  if (known.includes(value)) return;
  const list = known.map((one) => (typeof one === 'string' ? `'${one}'` : String(one))).join(' or ');
  throw new TypeError(`${where} must be ${list}.`);
}
