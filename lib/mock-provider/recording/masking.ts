import { PATHS } from '../http/paths.js';
import { PAGE_PATHS } from '../pages/paths.js';

/** What stands in the place of a value that is not told. */
export const MASK = '[masked]';

const MOST_PARAMETERS = 50;
const LONGEST_TEXT = 200;
/** A secret of 128 bits has 22 characters at least. */
const LONGEST_WORD = 21;

type Keep = (value: string) => boolean;

/** Words as the protocol has them; a secret is longer. */
export const isWords: Keep = (value) =>
  value.length <= LONGEST_WORD ||
  (value.length <= LONGEST_TEXT && value.split(' ').every((word) => word.length <= LONGEST_WORD));
const isNumber: Keep = (value) => /^\d{1,15}$/.test(value);
const isText: Keep = (value) => value.length <= LONGEST_TEXT;
const never: Keep = () => false;
/** A longer text is the provider's own: where a client sends one, nobody knows what it is. */
const isOfClient = (keep: Keep, value: string): boolean => keep !== isText || isWords(value);

/**
 * The only parameters whose values are kept. All others are masked, the unknown ones too: a secret that a client sends under
 * a misspelled name is a secret.
 */
const KEPT: ReadonlyMap<string, Keep> = new Map<string, Keep>([
  ...each(['response_type', 'response_mode', 'scope', 'type', 'code_challenge_method', 'prompt', 'display'], isWords),
  ...each(['grant_type', 'token_type_hint', 'decision', 'approve_email', 'sent', 'error'], isWords),
  ...each(['page', 'per_page', 'max_age'], isNumber),
  ...each(['error_description', 'iss'], isText),
  // Known, and so their names need no look.
  ...each(['state', 'nonce', 'code', 'code_challenge', 'code_verifier', 'client_secret', 'refresh_token'], never),
  ...each(['interaction', 'form_token', 'username', 'password', 'account', 'token', 'session_state'], never),
]);

function each(names: readonly string[], keep: Keep): [string, Keep][] {
  return names.map((name) => [name, keep]);
}

const ADDRESSES: ReadonlySet<string> = new Set(['redirect_uri', 'post_logout_redirect_uri']);
const OWN_PATHS: ReadonlySet<string> = new Set<string>([...Object.values(PATHS), ...Object.values(PAGE_PATHS)]);

/** @returns what is told of a client_id. */
export type MaskID = (id: string) => string;

/** @returns parameters with every value masked that is not known to be harmless; names are kept, unless they look like a value. */
export function maskedParameters(
  entries: readonly (readonly [string, string])[],
  maskID: MaskID,
): Record<string, string> {
  const masked: Record<string, string> = {};
  let left = MOST_PARAMETERS;
  for (const [name, value] of entries) {
    if (left === 0) {
      masked[MASK] = `and ${entries.length - MOST_PARAMETERS} more`;
      break;
    }
    left -= 1;
    const keep = KEPT.get(name);
    if (keep !== undefined) masked[name] = value === '' || (keep(value) && isOfClient(keep, value)) ? value : MASK;
    else if (name === 'client_id') masked[name] = maskID(value);
    else if (ADDRESSES.has(name)) masked[name] = maskedAddress(value);
    else masked[maskedName(name)] = value === '' ? '' : MASK;
  }
  return masked;
}

/** @returns an address without the values in its query and fragment that are secret; `seen` is told of each pair. */
export function maskedAddress(address: string, seen?: (name: string, value: string) => void): string {
  const start = address.search(/[?#]/);
  if (start < 0) return cut(maskedPath(address));
  const rest = address.slice(start).replaceAll(/([?&#])([^=&#?]*)(?:=([^&#]*))?/g, (_whole, glue, name, value) => {
    if (value === undefined) return name === '' ? glue : glue + maskedName(name);
    seen?.(name, value);
    return `${glue}${maskedName(name)}=${maskedValue(name, decoded(value)) === MASK ? MASK : value}`;
  });
  return cut(maskedPath(address.slice(0, start)) + rest);
}

/** @returns a path whose segments are as long as a secret masked, unless it is one of the provider's own. */
export function maskedPath(path: string): string {
  if ((path.length <= LONGEST_WORD && !path.includes('@')) || OWN_PATHS.has(path) || harmless.has(path)) return path;
  const masked = maskedSegments(path);
  if (masked === path && harmless.size < MOST_HARMLESS) harmless.add(path);
  return masked;
}

/** Paths that had nothing to mask: a client's redirect URI comes with every request. */
const harmless = new Set<string>();
const MOST_HARMLESS = 100;

function maskedSegments(path: string): string {
  const [, origin = '', rest = path] = /^(https?:\/\/[^/]{1,250})(.*)$/is.exec(path) ?? [];
  const whose = origin.replace(/\/\/.*@/s, `//${MASK}@`);
  const segments = rest.split('/').map((segment) => (segment.length > LONGEST_WORD ? MASK : segment));
  return cut(whose + segments.join('/'));
}

/** @returns a word of the protocol as it was sent; what is as long as a secret is masked. */
export function maskedWord(word: string): string {
  return isWords(word) ? word : MASK;
}

/** @returns the scheme of an Authorization header alone; what has none may be a token. */
export function schemeOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^(basic|bearer|digest)(?= )/i.exec(authorization)?.[0] ?? MASK;
}

/** @returns the name of a parameter, a cookie or a header, unless it looks like a value that stands in its place. */
export function maskedName(name: string): string {
  return KEPT.has(name) || (name.length <= LONGEST_WORD && /^[A-Za-z_][\w.:[\]-]*$/.test(name)) ? name : MASK;
}

function maskedValue(name: string, value: string): string {
  return value === '' || KEPT.get(name)?.(value) ? value : MASK;
}

function decoded(encoded: string): string {
  if (!encoded.includes('%') && !encoded.includes('+')) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}

function cut(address: string): string {
  return address.length > 2 * LONGEST_TEXT ? `${address.slice(0, 2 * LONGEST_TEXT)}...` : address;
}
