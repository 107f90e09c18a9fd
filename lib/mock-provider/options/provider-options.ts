import { flag, oneOf, type Schema, text } from '../../schema.js';
import { type ClientRegistration, clientRegistration } from './client-registration.js';
import { type ClinicianOptions, clinicianOptions } from './clinician-options.js';
import { type Duration, durationThatIs } from './duration.js';
import { count, flagOr, list, object } from './schema.js';

/** The options of {@link startMockProvider}. */
export interface MockProviderOptions {
  /** The port to listen on. @default 0, any free port */
  port?: number;
  /**
   * The address to listen on, and the host name of the issuer. `localhost` is both 127.0.0.1 and ::1. If other machines can reach
   * it, it needs `https` or `publicURL`, and a process warning reports it. @default '127.0.0.1'
   */
  host?: string;
  /**
   * Serves https. With `true`, this package's certificate is for `localhost`, `127.0.0.1` and `::1`: trust `provider.ca`. For
   * another host, pass your own key and certificate, in PEM. @default plain http
   */
  https?: boolean | { key: string | Uint8Array; cert: string | Uint8Array };
  /**
   * The issuer, if it is not `host` and `port`: the address of a proxy that terminates TLS, `http://mock:4400` of a container (with
   * host `0.0.0.0`), or the address where an Express app mounts `provider.app`, such as `http://127.0.0.1:5001/idp`.
   */
  publicURL?: string;
  /** Clients to register, in addition to the two default clients. */
  clients?: readonly ClientRegistration[];
  /** Clinicians to add, in addition to the test users. */
  clinicians?: readonly ClinicianOptions[];
  /** How long codes, tokens and sessions are valid. */
  lifetimes?: LifetimeOptions;
  /** The rate limit of the resource API. */
  rateLimit?: RateLimitOptions;
  /** The API's member names: as in the service's sample payload (firstname), its field list (first_name), or both. @default 'sample' */
  spelling?: 'sample' | 'list' | 'both';
  /** Whether a new account is verified at once, or after three days in the verification queue. @default 'instant' */
  verification?: 'instant' | 'queued';
  /** Serves the resource API and the inbox only on this port; 0 selects any free one. @default the provider's own */
  apiPort?: number;
  /** Adds `iss` to authorization responses and announces it in the metadata (RFC 9207). @default false */
  issParameter?: boolean;
  /**
   * Opens the control API, `/_mock/`. `true` opens it to programs on this machine, and needs a loopback `host` and no `publicURL`;
   * a token of 128 random bits, to every program that sends `Authorization: Bearer <token>`. @default false
   */
  control?: boolean | { token: string };
  /** Starts even if NODE_ENV is production. Anyone can then forge tokens: this package publishes the signing key. @default false */
  allowInProduction?: boolean;
}

/** How long codes, tokens and sessions are valid, by the provider's clock. */
export interface LifetimeOptions {
  /** An authorization code, 10 minutes at most. @default '5 minutes' */
  code?: Duration;
  /** An access token, rounded up to whole seconds. @default '1 hour' in the profile flow, '30 minutes' in the openid flow */
  accessToken?: Duration;
  /** A refresh token, since its last use. @default '30 days' */
  refreshToken?: Duration;
  /** A clinician's session at the provider. @default '8 hours' */
  session?: Duration;
}

/** The rate limit of the resource API, for each clinician at each client. */
export interface RateLimitOptions {
  /** The number of requests in a window. @default 5000 */
  limit?: number;
  /** The length of a window. @default '1 hour' */
  window?: Duration;
}

const MAX_CODE_LIFETIME_MS = 600_000;
const positive = durationThatIs('longer than 0 milliseconds', (length) => length > 0);
const port = count(0, 65_535);
const pem: Schema<string | Uint8Array> = {
  type: 'text in PEM',
  isValid: () => true,
  isSecret: true,
  check: (value) =>
    (typeof value === 'string' || value instanceof Uint8Array) && value.length > 0 ? undefined : 'must be text in PEM.',
};
const MIN_TOKEN_BITS = 128;
/** 32 random hexadecimal digits have fewer in one of 20 million cases. */
const MIN_DIFFERENT_CHARACTERS = 8;
/** The sets that random texts are made of, with the number of characters in each. The first one that fits is used. */
const ALPHABETS: readonly (readonly [characters: RegExp, size: number])[] = [
  [/^\d+$/, 10],
  [/^[\da-f]+$/i, 16],
  [/^(?:[\da-z]+|[\dA-Z]+)$/, 36],
  [/^[\x21-\x7e]+$/, 64],
];

/** @returns true for a text of so many and so different characters that 128 random bits fit in. */
function isRandomToken(token: string): boolean {
  const size = ALPHABETS.find(([characters]) => characters.test(token))?.[1] ?? 1;
  return token.length * Math.log2(size) >= MIN_TOKEN_BITS && new Set(token).size >= MIN_DIFFERENT_CHARACTERS;
}

const controlToken: Schema<string> = {
  ...text,
  isSecret: true,
  check: (value) =>
    isRandomToken(value)
      ? undefined
      : 'must have 128 random bits, without spaces: for example the 32 characters of "openssl rand -hex 16".',
};
const off: Schema<boolean> = { ...flag, default: false };

const lifetimeOptions: Schema<LifetimeOptions> = object(
  {},
  {
    code: {
      ...durationThatIs(
        'longer than 0 milliseconds and 10 minutes at most (RFC 6749 section 4.1.2)',
        (length) => length > 0 && length <= MAX_CODE_LIFETIME_MS,
      ),
      default: '5 minutes',
    },
    accessToken: positive,
    refreshToken: { ...positive, default: '30 days' },
    session: { ...positive, default: '8 hours' },
  },
);

const rateLimitOptions: Schema<RateLimitOptions> = object(
  {},
  {
    limit: { ...count(), default: 5000 },
    window: { ...positive, default: '1 hour' },
  },
);

/** Validates {@link MockProviderOptions}. */
export const mockProviderOptions: Schema<MockProviderOptions> = object(
  {},
  {
    port: { ...port, default: 0 },
    host: { ...text, default: '127.0.0.1' },
    https: flagOr(
      object<{ key: string | Uint8Array; cert: string | Uint8Array }>({ key: pem, cert: pem }, {}),
      'true, false or { key, cert } in PEM',
    ),
    publicURL: text,
    clients: { ...list(clientRegistration), default: [] },
    clinicians: { ...list(clinicianOptions), default: [] },
    lifetimes: { ...lifetimeOptions, default: {} },
    rateLimit: { ...rateLimitOptions, default: {} },
    spelling: { ...oneOf('sample', 'list', 'both'), default: 'sample' },
    verification: { ...oneOf('instant', 'queued'), default: 'instant' },
    apiPort: port,
    issParameter: off,
    control: {
      ...flagOr(object<{ token: string }>({ token: controlToken }, {}), 'true, false or { token }'),
      default: false,
    },
    allowInProduction: off,
  },
);
