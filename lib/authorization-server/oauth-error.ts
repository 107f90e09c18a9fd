import { ClinicianError, type Remedy } from '../errors.js';
import { sanitizeText, sanitizeURL } from './sanitize-text.js';

/** What can be done about an OAuth error, and the status for a site to answer with. @internal */
export type Remedies = ReadonlyMap<string, readonly [remedy: Remedy, status: number]>;

/** The members of an OAuth error response (RFC 6749 sections 4.1.2.1 and 5.2), as they came. @internal */
export interface OAuthErrorMembers {
  error: string;
  error_description?: unknown;
  error_uri?: unknown;
}

/** What to do about the errors that a site's own options cause. */
const FIXES: ReadonlyMap<string, string> = new Map([
  [
    'invalid_client',
    "Check the options 'clientID' and 'clientSecret' against what the service registered, and 'flow'.",
  ],
  [
    'unauthorized_client',
    "The service does not let this client do that: check 'clientID' and 'flow', or ask the service.",
  ],
  [
    'invalid_scope',
    "The service does not grant this scope to your client: shorten the option 'scope', or ask the service for more.",
  ],
  ['invalid_request', "Check the options 'flow' and 'callbackURL' against what the service registered."],
]);

/** An error that the authorization server reports in OAuth's own terms. `code` is its `error`. */
export abstract class OAuthError extends ClinicianError {
  readonly error: string;
  /** The service's words. Text from outside: escape it where it is shown. */
  readonly errorDescription?: string;
  /** A page about the error. Absent unless it is an https address. */
  readonly errorURI?: string;

  constructor(prefix: string, members: OAuthErrorMembers, remedies: Remedies, secrets: readonly string[] = []) {
    const { error } = members;
    const [remedy, status] = remedies.get(error) ?? ['fix_code', 500];
    const words = sanitizeText(members.error_description, secrets);
    const link = sanitizeURL(members.error_uri, secrets);
    const fix = FIXES.get(error);
    const said = `${prefix} "${error}"${words === undefined ? '' : `: ${words}`}`;
    super(fix === undefined ? said : `${said}. ${fix}`, { code: error, status, remedy });
    this.error = error;
    if (words !== undefined) this.errorDescription = words;
    if (link !== undefined) this.errorURI = link;
  }
}
