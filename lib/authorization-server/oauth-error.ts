import { ClinicianError, type Remedy } from '../errors.js';
import { sanitizeText, sanitizeURL } from './sanitize-text.js';

/** The remedy and HTTP status of OAuth error codes. Others are `fix_code` with 500. @internal */
export type Remedies = ReadonlyMap<string, readonly [remedy: Remedy, status: number]>;

/** The members of an OAuth error response (RFC 6749 sections 4.1.2.1 and 5.2), as the service sent them. @internal */
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
    "The service does not allow this to your client: check 'clientID' and 'flow', or ask the service.",
  ],
  [
    'invalid_scope',
    "The service does not grant this scope to your client: shorten the option 'scope', or ask the service for more.",
  ],
  ['invalid_request', "Check the options 'flow' and 'callbackURL' against what the service registered."],
]);

/** An OAuth error response of the authorization server. `code` is its `error`. */
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
