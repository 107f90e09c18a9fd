import { ClinicianError, type Remedy } from '../errors/errors.js';
import { safeText } from '../errors/safe-text.js';

/** Maps OAuth error codes to remedy and HTTP status. Others are `fix_code` with 500. @internal */
export type Remedies = ReadonlyMap<string, readonly [remedy: Remedy, status: number]>;

/** The members of an OAuth error response (RFC 6749 sections 4.1.2.1 and 5.2), as the service sent them. @internal */
export interface OAuthErrorMembers {
  error: string;
  error_description?: unknown;
  error_uri?: unknown;
}

/** Fixes for the errors that a site's own options cause. @internal */
export const FIXES: ReadonlyMap<string, string> = new Map([
  [
    'invalid_client',
    "Compare the options 'clientID', 'clientSecret' and 'flow' with your registration at the service: the client sends client_secret_basic in the openid flow, and client_secret_post in the profile flow.",
  ],
  [
    'unauthorized_client',
    "Your client may not do this, or its secret is wrong: check 'clientID', 'clientSecret' and 'flow', or ask the service.",
  ],
  [
    'invalid_scope',
    "Your client may not request this scope: shorten the option 'scope', or ask the service to allow it.",
  ],
  ['invalid_request', "Compare the options 'flow' and 'callbackURL' with your registration at the service."],
]);

const ERROR_CODE = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * @param secrets the credentials of the request
 * @returns the error code of a response; `server_error` for text that is not one, or looks like a credential
 */
export function oauthErrorCode(error: string, secrets: readonly string[] = []): string {
  return ERROR_CODE.test(error) && safeText(error, secrets) === error ? error : 'server_error';
}

/** Reports an OAuth error response of the authorization server. `code` is its `error`. */
export abstract class OAuthError extends ClinicianError {
  readonly error: string;
  /** The `error_description`, as one line. Absent if it repeats a credential. Untrusted text: escape it in HTML. */
  readonly errorDescription?: string;
  /** The `error_uri`. Absent unless it is an https URL. */
  readonly errorURI?: string;

  /** @param summary the message, without the fix @param secrets the credentials of the request */
  constructor(summary: string, members: OAuthErrorMembers, remedies: Remedies, secrets: readonly string[] = []) {
    const { error } = members;
    const [remedy, status] = remedies.get(error) ?? ['fix_code', 500];
    const fix = FIXES.get(error);
    super(fix === undefined ? summary : `${summary}. ${fix}`, { code: error, status, remedy });
    this.error = error;
    const description = safeText(members.error_description, secrets);
    if (description !== undefined) this.errorDescription = description;
    const uri = safeURL(members.error_uri, secrets);
    if (uri !== undefined) this.errorURI = uri;
  }
}

/** @returns an https URL from the service that contains no credential. */
function safeURL(text: unknown, secrets: readonly string[]): string | undefined {
  const address = safeText(text, secrets);
  const url = address !== undefined && address === text && URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' ? url.href : undefined;
}
