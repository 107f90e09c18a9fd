import { PAGE_PATHS } from '../pages/paths.js';
import type { Parameters } from '../parameters.js';
import { PATHS } from '../paths.js';

/** What stands in the place of a value that is not told. */
export const MASK = '[masked]';

const MOST_PARAMETERS = 50;
const LONGEST_NAME = 30;
const LONGEST_TEXT = 200;
/** Every path longer than this is either one of ours or looked at: a secret of 128 bits has 22 characters. */
const LONGEST_SEGMENT = 21;

type Keep = (value: string) => boolean;

/** Words as the protocol has them; a secret is longer. */
const words: Keep = (value) => value.length <= LONGEST_TEXT && value.split(/[ +]/).every((word) => word.length <= 20);
const number: Keep = (value) => /^\d{1,15}$/.test(value);
const text: Keep = (value) => value.length <= LONGEST_TEXT;

/**
 * The only parameters whose values are kept. All others are masked, the unknown ones too: a secret that a client sends under
 * a misspelled name is a secret.
 */
const KEPT: ReadonlyMap<string, Keep> = new Map([
  ...['response_type', 'response_mode', 'scope', 'type', 'code_challenge_method', 'prompt', 'display'].map(
    (name): [string, Keep] => [name, words],
  ),
  ...['grant_type', 'token_type_hint', 'decision', 'approve_email', 'sent', 'error'].map((name): [string, Keep] => [
    name,
    words,
  ]),
  ...['page', 'per_page', 'max_age'].map((name): [string, Keep] => [name, number]),
  ...['client_id', 'error_description', 'iss'].map((name): [string, Keep] => [name, text]),
]);

const ADDRESSES: ReadonlySet<string> = new Set(['redirect_uri', 'post_logout_redirect_uri']);
const OWN_PATHS: ReadonlySet<string> = new Set<string>([...Object.values(PATHS), ...Object.values(PAGE_PATHS)]);

/** @returns parameters with every value masked that is not known to be harmless; names are kept, unless they look like a value. */
export function maskedParameters(parameters: Parameters): Record<string, string> {
  const masked: Record<string, string> = {};
  const entries = parameters.entries();
  for (const [name, value] of entries.slice(0, MOST_PARAMETERS)) masked[maskedName(name)] = maskedValue(name, value);
  if (entries.length > MOST_PARAMETERS) masked[MASK] = `and ${entries.length - MOST_PARAMETERS} more`;
  return masked;
}

/** @returns an address without the values in its query and fragment that are secret; `seen` is told of each pair. */
export function maskedAddress(address: string, seen?: (name: string, value: string) => void): string {
  const start = address.search(/[?#]/);
  if (start < 0) return cut(maskedPath(address));
  const rest = address.slice(start).replaceAll(/([?&#])([^=&#?]*)(?:=([^&#]*))?/g, (_whole, glue, name, value) => {
    if (value === undefined) return name === '' ? glue : glue + maskedName(decoded(name));
    seen?.(name, value);
    return `${glue}${maskedName(decoded(name))}=${maskedValue(name, decoded(value)) === MASK ? MASK : value}`;
  });
  return cut(maskedPath(address.slice(0, start)) + rest);
}

/** @returns a path whose segments are as long as a secret masked, unless it is one of the provider's own. */
export function maskedPath(path: string): string {
  if (path.length <= LONGEST_SEGMENT || OWN_PATHS.has(path)) return path;
  const segments = path.split('/').map((segment) => (segment.length > LONGEST_SEGMENT ? MASK : segment));
  return cut(segments.join('/'));
}

/** @returns the scheme of an Authorization header alone; what has none may be a token. */
export function schemeOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^(basic|bearer|digest)(?= )/i.exec(authorization)?.[0] ?? MASK;
}

function maskedName(name: string): string {
  return name.length <= LONGEST_NAME && /^[A-Za-z][\w.:[\]-]*$/.test(name) ? name : MASK;
}

function maskedValue(name: string, value: string): string {
  if (value === '') return '';
  if (ADDRESSES.has(name)) return maskedAddress(value);
  return KEPT.get(name)?.(value) ? value : MASK;
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}

function cut(address: string): string {
  return address.length > 2 * LONGEST_TEXT ? `${address.slice(0, 2 * LONGEST_TEXT)}...` : address;
}
