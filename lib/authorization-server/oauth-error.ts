import { ClinicianError, type Remedy } from '../errors.js';

/** Maps OAuth error codes to remedy and HTTP status. Others are `fix_code` with 500. @internal */
export type Remedies = ReadonlyMap<string, readonly [remedy: Remedy, status: number]>;

/** Holds the members of an OAuth error response (RFC 6749 sections 4.1.2.1 and 5.2), as the service sent them. @internal */
export interface OAuthErrorMembers {
  error: string;
  error_description?: unknown;
  error_uri?: unknown;
}

/** Fixes for the errors that a site's own options cause. */
const FIXES: ReadonlyMap<string, string> = new Map([
  [
    'invalid_client',
    "Check the options 'clientID' and 'clientSecret' against what the service registered, and 'flow'.",
  ],
  [
    'unauthorized_client',
    "The service does not allow this to your client: check 'clientID' and 'flow', or ask the operator of the service.",
  ],
  [
    'invalid_scope',
    "The service does not grant this scope to your client: shorten the option 'scope', or ask the operator of the service to grant it.",
  ],
  ['invalid_request', "Check the options 'flow' and 'callbackURL' against what the service registered."],
]);

/** Reports an OAuth error response of the authorization server. `code` is its `error`. */
export abstract class OAuthError extends ClinicianError {
  readonly error: string;
  /** The `error_description`, as one line. Untrusted text: escape it in HTML. */
  readonly errorDescription?: string;
  /** The `error_uri`. Absent unless it is an https URL. */
  readonly errorURI?: string;

  constructor(prefix: string, members: OAuthErrorMembers, remedies: Remedies, secrets: readonly string[] = []) {
    const { error } = members;
    const [remedy, status] = remedies.get(error) ?? ['fix_code', 500];
    const description = sanitizeText(members.error_description, secrets);
    const uri = sanitizeURL(members.error_uri, secrets);
    const fix = FIXES.get(error);
    const message = `${prefix} "${error}"${description === undefined ? '' : `: ${description}`}`;
    super(fix === undefined ? message : `${message}. ${fix}`, { code: error, status, remedy });
    this.error = error;
    if (description !== undefined) this.errorDescription = description;
    if (uri !== undefined) this.errorURI = uri;
  }
}

const MAX_TEXT_LENGTH = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/**
 * @param secrets the secret parameters of the request
 * @returns text from the service as one line of at most 300 characters; undefined when it repeats a secret. It is still
 * untrusted: escape it in HTML.
 */
export function sanitizeText(text: unknown, secrets: readonly string[] = []): string | undefined {
  if (typeof text !== 'string') return undefined;
  const line = text.replace(CONTROL, ' ').trim().slice(0, MAX_TEXT_LENGTH);
  return line === '' || secrets.some((secret) => secret !== '' && text.includes(secret)) ? undefined : line;
}

/** @returns an https URL from the service, sanitized as {@link sanitizeText} does. */
function sanitizeURL(text: unknown, secrets: readonly string[] = []): string | undefined {
  const address = sanitizeText(text, secrets);
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' ? url.href : undefined;
}
