import { PATHS } from './paths.js';

/** Replaces a value that is not shown. */
export const MASK = '[masked]';

const MAX_PARAMETERS = 50;
const MAX_TEXT_LENGTH = 200;
/** A secret of 128 bits has at least 22 characters. */
const MAX_WORD_LENGTH = 21;
const MAX_UNMASKED_PATHS = 100;

type IsHarmless = (value: string) => boolean;

/** @returns true for words of the protocol: each is shorter than a secret. */
export const isWords: IsHarmless = (value) =>
  value.length <= MAX_WORD_LENGTH ||
  (value.length <= MAX_TEXT_LENGTH && value.split(' ').every((word) => word.length <= MAX_WORD_LENGTH));
const isNumber: IsHarmless = (value) => /^\d{1,15}$/.test(value);
const isText: IsHarmless = (value) => value.length <= MAX_TEXT_LENGTH;
const never: IsHarmless = () => false;

/**
 * The only parameters whose values are shown. All others are masked, the unknown ones too: a secret that a client sends under
 * a misspelled name is still a secret.
 */
const SHOWN_PARAMETERS: ReadonlyMap<string, IsHarmless> = new Map<string, IsHarmless>([
  ...forEach(
    ['response_type', 'response_mode', 'scope', 'type', 'code_challenge_method', 'prompt', 'display'],
    isWords,
  ),
  ...forEach(['grant_type', 'token_type_hint', 'decision', 'approve_email', 'sent', 'error'], isWords),
  ...forEach(['page', 'per_page', 'max_age'], isNumber),
  ...forEach(['error_description', 'iss'], isText),
  // Listed so that maskName() does not mask their names.
  ...forEach(['state', 'nonce', 'code', 'code_challenge', 'code_verifier', 'client_secret', 'refresh_token'], never),
  ...forEach(['interaction', 'form_token', 'username', 'password', 'account', 'token', 'session_state'], never),
]);

function forEach(names: readonly string[], isHarmless: IsHarmless): [string, IsHarmless][] {
  return names.map((name) => [name, isHarmless]);
}

const URL_PARAMETERS: ReadonlySet<string> = new Set(['redirect_uri', 'post_logout_redirect_uri']);
const SERVICE_PATHS: ReadonlySet<string> = new Set(Object.values(PATHS));

/** @returns a client_id, or a mask for one that may be a secret. */
export type MaskID = (id: string) => string;

/** @returns the parameters that a client sent, with every value masked that is not known to be harmless; names are unchanged unless they look like a value. */
export function maskParameters(parameters: ReadonlyMap<string, string>, maskID: MaskID): Record<string, string> {
  const masked: Record<string, string> = {};
  const isTooLong = parameters.size > MAX_PARAMETERS;
  for (const [name, value] of isTooLong ? [...parameters].slice(0, MAX_PARAMETERS) : parameters) {
    const isHarmless = SHOWN_PARAMETERS.get(name);
    if (isHarmless !== undefined) {
      // Only the provider writes long texts: a long text from a client may contain a secret.
      masked[name] = value === '' || (isHarmless === isText ? isWords(value) : isHarmless(value)) ? value : MASK;
    } else if (name === 'client_id') masked[name] = maskID(value);
    else if (URL_PARAMETERS.has(name)) masked[name] = maskURL(value);
    else masked[maskName(name)] = value === '' ? '' : MASK;
  }
  if (isTooLong) masked[MASK] = `and ${parameters.size - MAX_PARAMETERS} more`;
  return masked;
}

/** @returns a URL with the secret values in its path, query and fragment masked. */
export function maskURL(url: string): string {
  const start = url.search(/[?#]/);
  if (start < 0) return truncate(maskPath(url));
  const rest = url.slice(start).replaceAll(/([?&#])([^=&#?]*)(?:=([^&#]*))?/g, (_whole, separator, name, value) => {
    if (value === undefined) return name === '' ? separator : separator + maskName(name);
    return `${separator}${maskName(name)}=${maskValue(name, decode(value)) === MASK ? MASK : value}`;
  });
  return truncate(maskPath(url.slice(0, start)) + rest);
}

/** Paths without a segment to mask, such as those of redirect URIs, which are masked for every request. */
const unmaskedPaths = new Set<string>();

/**
 * @returns a path, or a URL without query and fragment. Segments as long as a secret are masked; the paths of the service are
 * unchanged.
 */
export function maskPath(path: string): string {
  if (path.length <= MAX_WORD_LENGTH && !path.includes('@')) return path;
  if (SERVICE_PATHS.has(path) || unmaskedPaths.has(path)) return path;
  const [, origin = '', rest = path] = /^(https?:\/\/[^/]{1,250})(.*)$/is.exec(path) ?? [];
  const originWithoutUser = origin.replace(/\/\/.*@/s, `//${MASK}@`);
  const segments = rest.split('/').map((segment) => (segment.length > MAX_WORD_LENGTH ? MASK : segment));
  const masked = truncate(originWithoutUser + segments.join('/'));
  if (masked === path && unmaskedPaths.size < MAX_UNMASKED_PATHS) unmaskedPaths.add(path);
  return masked;
}

/** @returns words of the protocol as they were sent, and a mask for one that is as long as a secret. */
export function maskWord(word: string): string {
  return isWords(word) ? word : MASK;
}

/** @returns only the scheme of an Authorization header; a header without a scheme may be a token. */
export function schemeOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^(basic|bearer|digest)(?= )/i.exec(authorization)?.[0] ?? MASK;
}

/** @returns the name of a parameter, a cookie or a header, or a mask for a name that looks like a value. */
export function maskName(name: string): string {
  const isName = name.length <= MAX_WORD_LENGTH && /^[A-Za-z_][\w.:[\]-]*$/.test(name);
  return isName || SHOWN_PARAMETERS.has(name) ? name : MASK;
}

function maskValue(name: string, value: string): string {
  return value === '' || SHOWN_PARAMETERS.get(name)?.(value) ? value : MASK;
}

function decode(encoded: string): string {
  if (!encoded.includes('%') && !encoded.includes('+')) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}

function truncate(url: string): string {
  return url.length > 2 * MAX_TEXT_LENGTH ? `${url.slice(0, 2 * MAX_TEXT_LENGTH)}...` : url;
}
