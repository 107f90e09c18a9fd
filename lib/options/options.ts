import { X509Certificate } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { type Clock, systemClock } from '../async/clock.js';
import type { FlowName } from '../authorization-server/flows.js';
import type { Fetch } from '../http/http.js';
import { isSecureURL } from '../http/url.js';
import { flag, type OptionTable, oneOf, type Problem, type Schema, text, texts } from '../schema.js';
import { func, objectWith } from './option-table.js';

/** The options that every sign-in needs. They are checked when the site starts, without a network request. */
export interface RelyingPartyOptions {
  /** The authorization server, `{auth_url}` in the spec: an https URL, exactly as in its metadata. Plain http on loopback only. */
  issuer: string;
  /**
   * The resource API, `{base_url}` in the spec. Required in the `profile` flow and with scope `basic`, which read the profile. Leave it
   * out at another OpenID Connect provider.
   */
  apiURL?: string | undefined;
  /** The service's share-button script, `{share_script_url}` in the spec. */
  shareScriptURL?: string | undefined;
  /** The client's id, as registered at the service. */
  clientID: string;
  /** The client's secret, as registered at the service. */
  clientSecret: string;
  /** Your callback URL, as registered at the service. It sets your site's origin; the `Host` header is only compared with it. */
  callbackURL: string;
  /**
   * At least 32 random bytes, which seal cookies and stored tokens. To rotate it, pass an array of at most 10 secrets: the first
   * one seals, and each of them opens. Append the new secret on every process, move it to the front, and remove the old one 30
   * days later.
   */
  secret: string | readonly string[];
  /** `openid` (OpenID Connect with PKCE) or `profile` (OAuth 2.0 with profile scopes). @default 'openid' */
  flow?: FlowName | undefined;
  /**
   * The scope to request, as an array or as one string separated by spaces. In the `openid` flow you can add `offline_access` if
   * the service's metadata lists it, and without `apiURL` any scope.
   * @default ['openid'] in the `openid` flow, ['basic'] in the `profile` flow
   */
  scope?: string | readonly string[] | undefined;
  /**
   * If true, a sign-in fails if the profile cannot be read. By default, users of the `openid` flow can sign in while the
   * resource API is down: `profile` is then undefined, and `verification` is `unknown` until the profile can be read. Set it to
   * true if `onSignIn` or the verify function denies users by their profile. Needs scope `basic`.
   * @default false in the `openid` flow, true in the `profile` flow, in which the profile identifies the user
   */
  profileRequired?: boolean | undefined;
  /** More origins, such as `https://keys.service.example`, that endpoints in the service's metadata may have. @default [] */
  allowedEndpointOrigins?: readonly string[] | undefined;
  /** The certificate of a private authority, in PEM. It is trusted in addition to those that Node trusts. */
  ca?: string | undefined;
  /** How long one request to the service may take, in milliseconds. @default 10_000 */
  timeout?: number | undefined;
  /**
   * Replaces the HTTP client, for example with a mock provider's `fetch`. It must not follow redirects. The `signal` of a request
   * aborts it after `timeout`. `ca` then has no effect.
   */
  fetch?: Fetch | undefined;
  /** Replaces the clock, for tests: a mock provider's `clock`. @default the machine's clock */
  clock?: Clock | undefined;
}

/** A timer of more than 2^31 milliseconds ends at once. */
const MAX_TIMEOUT_MS = 600_000;
/** HKDF, which derives the keys, adds no entropy. */
const MIN_SECRET_BYTES = 32;
/** Phrases of the examples of documentation. */
const PUBLISHED =
  /(?:your|my|super|top).?secret|change.?(?:me|this)|correct.horse.battery.staple|a.long,?.randomly.generated.string.stored.in.env/gi;
/** The differences between the characters of 32 random digits take at least 29 bytes, those of other random text more. */
const MIN_DEFLATED_BYTES = 28;
/** A rotation needs two. */
const MAX_SECRETS = 10;
/** Says how to create a secret. */
export const NEW_SECRET = "Make one with: node -p \"require('node:crypto').randomBytes(32).toString('base64url')\"";

/** Checks a clock. */
export const clockRule: Schema<Clock> = objectWith<Clock>(
  ['now'],
  'a clock',
  "Pass an object with a now() function, such as a mock provider's clock.",
);

/** Defines the options of {@link RelyingPartyOptions}. */
export const relyingPartyOptions: OptionTable<RelyingPartyOptions> = {
  issuer: {
    ...text,
    whenMissing: "Pass the authorization server's address.",
    check: issuerProblem,
  },
  apiURL: { ...text, check: apiURLProblem },
  shareScriptURL: { ...text, check: serviceURLProblem },
  clientID: {
    ...text,
    whenMissing: 'Pass the id that the service gave your application.',
    check: whiteSpaceProblem,
  },
  clientSecret: {
    ...text,
    whenMissing: 'Pass the secret that the service gave your application.',
    check: whiteSpaceProblem,
  },
  callbackURL: {
    ...text,
    whenMissing: 'Pass your own callback address, such as https://app.example/auth/callback.',
    check: callbackURLProblem,
  },
  secret: {
    type: `a string or an array of strings. ${NEW_SECRET}`,
    isValid: (value) => text.isValid(value) || texts.isValid(value),
    whenMissing: `It seals cookies and stored tokens. ${NEW_SECRET}`,
    check: secretProblem,
  },
  flow: {
    ...oneOf('openid', 'profile'),
    default: 'openid',
  },
  scope: {
    type: "a string such as 'openid basic', or an array of strings",
    isValid: (value) => text.isValid(value) || texts.isValid(value),
  },
  profileRequired: flag,
  allowedEndpointOrigins: {
    type: 'an array of origins such as https://keys.service.example, without a path or a final slash',
    isValid: (value) => texts.isValid(value) && (value as string[]).every(isOrigin),
    check: (origins) => origins.map((origin) => secureURLProblem(origin, '')).find((problem) => problem !== undefined),
    default: [],
  },
  ca: { type: 'a string: the certificate in PEM, not the path of its file', isValid: hasCertificate },
  timeout: {
    type: `a number of milliseconds above 0, and ${MAX_TIMEOUT_MS} at most`,
    isValid: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS,
    default: 10_000,
  },
  fetch: { ...func, type: 'a function such as the built-in fetch' },
  clock: { ...clockRule, default: systemClock },
};

/** @returns true for text with a certificate in PEM. Node ignores other text, and the sign-in would then ask for this option. */
function hasCertificate(value: unknown): boolean {
  try {
    return text.isValid(value) && new X509Certificate(value as string).raw.length > 0;
  } catch {
    return false;
  }
}

/** Checks a URL that secrets or tokens are sent to. @param example a right one, for the message */
export function secureURLProblem(value: string, example: string): Problem | undefined {
  const detail = `Got '${value}'.`;
  const spaces = whiteSpaceProblem(value);
  if (spaces) return spaces;
  if (!URL.canParse(value)) return { phrase: `must be an absolute URL such as ${example}.`, detail };
  const url = new URL(value);
  if (!isSecureURL(url)) {
    const phrase = 'must use https: plain http sends secrets unencrypted, and is for loopback (http://127.0.0.1) only.';
    return { phrase, detail };
  }
  if (url.username || url.password) return 'must not contain a user name or a password.';
  if (/[?#]/.test(value)) return "must not have a query or a fragment. Remove what follows '?' or '#'.";
  return undefined;
}

function whiteSpaceProblem(value: string): Problem | undefined {
  if (value.trim() === value) return undefined;
  return 'must not start or end with white space, such as the line break of a file. Remove it.';
}

/** @returns the problem of an address that contains a path which this package adds */
export function addedPathProblem(value: string, added: RegExp, path: string): Problem | undefined {
  const address = value.replace(added, '');
  if (address === value) return undefined;
  const phrase = `must end before '${path}', which this package adds.`;
  return { phrase, detail: `Write '${address}', not '${value}'.` };
}

function issuerProblem(value: string): Problem | undefined {
  const problem = secureURLProblem(value, 'https://service.example');
  const metadata = /\/\.well-known(?:\/[^/]*(?:\/$)?|$)/i;
  return problem ?? addedPathProblem(value, metadata, '/.well-known');
}

function apiURLProblem(value: string): Problem | undefined {
  const problem = serviceURLProblem(value);
  // Not the host of 'https://api'.
  return problem ?? addedPathProblem(value, /(?<!\/)\/(?:v1|api(?:\/v1(?:\/.*)?)?)\/?$/i, '/api/v1');
}

function serviceURLProblem(value: string): Problem | undefined {
  return value === '' ? undefined : secureURLProblem(value, 'https://service.example');
}

function callbackURLProblem(value: string): Problem | undefined {
  const problem = secureURLProblem(value, 'https://app.example/auth/callback');
  if (problem) return problem;
  const { pathname, href } = new URL(value);
  if (pathname === '/') return 'needs its own path, such as https://app.example/auth/callback.';
  if (href === value) return undefined;
  return { phrase: 'must be in its normal form.', detail: `Write '${href}', not '${value}'.` };
}

function secretProblem(value: string | readonly string[]): Problem | undefined {
  const secrets = [value].flat();
  if (secrets.length === 0) return `is missing. ${relyingPartyOptions.secret.whenMissing}`;
  if (secrets.length > MAX_SECRETS) {
    return `must have at most ${MAX_SECRETS} secrets, not ${secrets.length}. Remove those that are not in use.`;
  }
  const positionOf = (index: number, what: string) =>
    secrets.length === 1 ? '' : `: number ${index + 1} of ${secrets.length} ${what}`;
  const spaces = secrets.map(whiteSpaceProblem).find((problem) => problem !== undefined);
  if (spaces) return spaces;
  const short = secrets.findIndex((secret) => Buffer.byteLength(secret) < MIN_SECRET_BYTES);
  if (short >= 0) {
    return `must be at least ${MIN_SECRET_BYTES} bytes long${positionOf(short, 'is shorter')}. ${NEW_SECRET}`;
  }
  // Tests may use a constant.
  if (process.env.NODE_ENV === 'test') return undefined;
  const guessable = secrets.findIndex(isGuessable);
  if (guessable >= 0) {
    return `must be random${positionOf(guessable, 'is not')}: text that repeats itself, counts up or is published can be guessed. With NODE_ENV=test it is accepted. ${NEW_SECRET}`;
  }
  return undefined;
}

/** Users receive sealed text, so they can try as many secrets as they like. A random secret is never refused. */
function isGuessable(secret: string): boolean {
  const bytes = Buffer.from(secret.replaceAll(PUBLISHED, ''));
  return deflateRawSync(bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0))).length < MIN_DEFLATED_BYTES;
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value;
}
