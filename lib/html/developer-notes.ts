import { ERROR_MEANINGS, REMEDIES } from '../errors/error-codes.js';
import { type ClinicianError, type ErrorCode, summarizeError } from '../errors/errors.js';
import { type HTML, html } from './escape.js';

/** The messages of this package are shorter. */
const MAX_LENGTH = 2000;

/** What the codes of OAuth errors mean (RFC 6749 sections 4.1.2.1 and 5.2, OIDC Core section 3.1.2.6). */
const OAUTH_MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    invalid_request: 'The request lacks a parameter, has one twice, or has an invalid value.',
    invalid_client: 'The service does not know the client, or refuses its secret or how it was sent.',
    invalid_grant: 'The authorization code or refresh token is invalid, expired, used, revoked, or of another client.',
    invalid_scope: 'The scope is unknown or malformed, or exceeds what this client or the user may grant.',
    unauthorized_client: 'The service does not allow this client to make such a request.',
    unsupported_grant_type: 'The token endpoint does not support this grant type.',
    unsupported_response_type: 'The service does not support this response type.',
    server_error: 'The service failed unexpectedly.',
    temporarily_unavailable: 'The service is overloaded or in maintenance.',
    login_required: 'With prompt=none, the user is not signed in at the service.',
    consent_required: 'With prompt=none, the user has not approved this site.',
    interaction_required: 'With prompt=none, the service needs to ask the user something.',
    account_selection_required: 'With prompt=none, the user must choose one of several accounts.',
  }),
);

/** What to do if the user must sign in and the site has no route for that. */
const SET_LOGIN = 'set the option routes.login to the path that starts a sign-in, so that pages lead to it';

const COMPARE_CLOCKS =
  "compare the clock of this machine with that of the service; in a test, set option clock to the mock provider's";

/** The codes of wrong responses that a wrong option or clock causes more often than an attack. */
const MISTAKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    issuer_mismatch: 'compare the option issuer with the metadata document of the service',
    id_token_issued_in_future: COMPARE_CLOCKS,
    id_token_not_yet_valid: COMPARE_CLOCKS,
    id_token_expired: COMPARE_CLOCKS,
  }),
);

/** The codes whose messages are for the user: their pages say the same in other words. */
const FOR_USERS: readonly string[] = [
  'grant_ended',
  'access_token_refused',
  'login_expired',
  'recent_login_required',
  'user_changed',
] satisfies ErrorCode[];

/** What the page of an error shows to the user. */
interface Shown {
  /** The reason of a denial, which is not shown again. */
  reason?: string | undefined;
  /** True if the site has a route that starts a sign-in. */
  canLogin: boolean;
}

/** @returns what developers need to know of an error, for pages in development: its message and what to do, without a stack. */
export function developerNotes(
  { code, message, remedy, cause }: ClinicianError,
  { reason = '', canLogin }: Shown,
): HTML {
  const plain = (FOR_USERS.includes(code) ? '' : message)
    .replace(/^passport-clinician: /, '')
    .replace(reason, '')
    .trim()
    .slice(0, MAX_LENGTH);
  const text = plain.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase()); // no name, such as onSignIn
  const meaning = ERROR_MEANINGS.get(code) ?? OAUTH_MEANINGS.get(code) ?? 'An error that only this service defines.';
  const remedyText = MISTAKES.get(code) ?? (remedy === 'sign_in' && !canLogin ? SET_LOGIN : REMEDIES[remedy]);
  return html`<section class="clinician-note" lang="en" dir="ltr">
<h2>For developers</h2>
${text && html`<p><bdi>${text}</bdi></p>`}
${cause !== undefined && html`<p>Cause: <bdi>${summarizeError(cause).message}</bdi></p>`}
<p><code>${code}</code>: ${meaning.replaceAll('`', '')}</p>
<p>What to do (<code>${remedy}</code>): ${remedyText}.</p>
<p>The page Errors of the documentation lists this code.</p>
<p>This part is for development: NODE_ENV is development or test, or it is not production and callbackURL is on localhost.</p>
</section>`;
}
