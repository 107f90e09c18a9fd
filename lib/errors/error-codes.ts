/**
 * Names what resolves an error:
 * - `sign_in`: the user signs in again;
 * - `tell_user`: show the denial to the user; a retry does not help;
 * - `retry`: the service or the network failed, and a retry may succeed;
 * - `investigate`: the service's response was wrong or forged;
 * - `fix_code`: the site's configuration or code is wrong.
 */
export type Remedy = 'sign_in' | 'tell_user' | 'retry' | 'investigate' | 'fix_code';

/** Maps each remedy to what to do. @internal */
export const REMEDIES: Readonly<Record<Remedy, string>> = {
  sign_in: 'let the user sign in again',
  tell_user: 'the request was denied: show the message and offer another action',
  retry: 'the service or the network failed: a retry may succeed',
  investigate: "the service's response was wrong or forged; no user was signed in by it",
  fix_code: "the site's code or configuration is wrong; the message contains the fix",
};

/** Maps each error class to its remedy and HTTP status. `ClinicianError` itself is used for an invalid callback and an invalid link. */
export const ERROR_CLASSES = {
  ClinicianError: { remedy: 'sign_in', status: 400 },
  SignInRequiredError: { remedy: 'sign_in', status: 401 },
  TransactionError: { remedy: 'sign_in', status: 403 },
  DeniedError: { remedy: 'tell_user', status: 403 },
  ServiceUnavailableError: { remedy: 'retry', status: 503 },
  ProtocolError: { remedy: 'investigate', status: 502 },
  ConfigurationError: { remedy: 'fix_code', status: 500 },
} as const;

type ErrorClass = keyof typeof ERROR_CLASSES;

/** The meaning of each code, by the class of its errors, in the sections of docs/reference/errors.md. */
const SECTIONS = {
  'When the site starts': {
    ConfigurationError: {
      option_invalid: 'An option is missing, unknown or has a wrong value. The message names it and the fix.',
      argument_invalid: 'A call lacks an argument, or has a wrong one. The message says what to pass.',
      environment_invalid:
        '`clinicianLogin.fromEnv()` found missing or invalid variables. The message names each, without its value.',
      scope_not_requested: 'A guard or a call of the resource API needs a scope that your site never requests.',
    },
  },
  'During a sign-in': {
    ConfigurationError: {
      user_invalid: '`onSignIn` returned no user, or one whose `id` is neither a string nor a number.',
      site_error:
        'Your code threw an error, or did not decide within 30 seconds. See `cause`. To refuse a user, return `deny(reason)` from `onSignIn`.',
      serialize_user_missing: '`serializeUser` is missing, or passes no value to `done()`.',
      session_missing:
        'There is no session of `express-session` before the sign-in, or it got no new id at the sign-in.',
      session_not_saved:
        'The user signed in, but the next request has no session. Often `cookie.secure` is set without https, or behind a proxy without `trust proxy`.',
      tokens_in_memory:
        'Another process has the tokens of this login in its memory, or this one lost them in a restart. Several processes need a shared `tokenStore`.',
      middleware_missing:
        '`app.use(clinician)` is missing, or you created the sign-in twice: create it once, and import it.',
      mount_path_conflict:
        '`app.use(path, clinician)` makes some of its routes unreachable, or the callback has another path than `callbackURL`.',
    },
    ClinicianError: {
      callback_malformed:
        'The callback repeats a parameter, has one that is too long, has no code, or more than a code.',
      login_link_invalid:
        'A link to the login route has an unknown value or scope, or a script requested it. The message names the mistake.',
    },
    TransactionError: {
      transaction_missing:
        'This browser has no such sign-in: it started elsewhere, is finished, or its cookie is blocked.',
      transaction_secret_unknown:
        'This process does not have the secret that sealed this sign-in. See "Rotate the secret" in the guide Deploy.',
      transaction_expired: 'The sign-in started more than 30 minutes ago.',
      too_many_transactions: 'Another site started too many sign-ins in this browser.',
      transaction_too_large: '`state` does not fit into a cookie.',
    },
    DeniedError: {
      access_denied: 'The user denied the request. The message has the description from the service.',
      sign_in_refused: '`onSignIn` refused the user.',
      framed_sign_in: 'A sign-in started in a frame, which the service forbids.',
      cross_site_request:
        'A request that changes data came from no page of your site, or the page has `Referrer-Policy: no-referrer`.',
      user_changed:
        'The user who signed in at the service is not the one who is signed in here, or whose account is linked.',
    },
    ServiceUnavailableError: {
      session_unavailable: 'The session store does not respond.',
    },
  },
  'ID Tokens': {
    ProtocolError: {
      id_token_missing: 'The token response has no ID Token.',
      id_token_invalid:
        'The ID Token is malformed, forged, or not for this sign-in. `error.claim` names the claim that is wrong.',
      id_token_expired: 'The ID Token has expired (60 seconds tolerance).',
      id_token_subject_changed: 'A refresh returned the ID Token of another user.',
    },
  },
  'Responses of the service': {
    ServiceUnavailableError: {
      service_unreachable: 'No connection to the service, or no response in time.',
      service_error: 'The service returned HTTP status 429 or 5xx.',
      rate_limited:
        'The rate limit is used up, or too many calls wait for a response. `retryAt` is the time of the next call.',
      api_not_responding:
        'The resource API did not respond to the last five calls: it is down, or blacklists your application. No call is sent until `retryAt`.',
    },
    ProtocolError: {
      certificate_refused: 'The certificate of the service is not valid.',
      response_malformed: 'A response of the service is not valid. The message names the document and what is wrong.',
      issuer_mismatch: 'The metadata document or the callback has another issuer than the option `issuer`.',
      metadata_endpoint_refused: 'The metadata document has an endpoint at another origin.',
      revocation_unsupported:
        'The metadata lists no revocation endpoint, or it does not revoke access tokens. Tokens are erased at the site, and expire at the service.',
      scope_widened: 'A refresh returned a scope that was not granted.',
      profile_subject_mismatch: 'The profile belongs to another user.',
    },
  },
  'After a sign-in': {
    ConfigurationError: {
      token_store_refused:
        'Redis or PostgreSQL refused a command of the token store. The message has its error code and the fix.',
    },
    SignInRequiredError: {
      sign_in_required: 'The user is not signed in.',
      recent_login_required: 'The user signed in at the service too long ago for this page.',
      login_expired: 'The login was not used for `idleTimeout`, or is older than `absoluteTimeout`.',
      grant_ended:
        'The tokens of this login were deleted, revoked or have expired, or a refresh was refused: see `cause`.',
      grant_unreadable: 'The stored tokens were altered, or sealed for another client, issuer or flow.',
      grant_secret_unknown:
        'This process does not have the secret that sealed the stored tokens. The login continues: see "Rotate the secret" in the guide Deploy.',
      access_token_refused: 'The resource API rejected the access token, even after a refresh.',
      refresh_token_missing: 'The service sent no refresh token.',
    },
    DeniedError: {
      verification_pending: 'The service has not verified the user yet.',
      profile_refused:
        'The profile does not meet the condition of `requireProfile()`, or your own guard refused the user.',
      scope_missing: 'The user has not approved a scope, or your site does not request it. The message names it.',
    },
    ServiceUnavailableError: {
      refresh_busy: 'Another process is refreshing these tokens and has not finished.',
      token_store_unavailable: 'The token store does not respond.',
      closed: '`close()` was called: this process is stopping. Another one can respond.',
    },
  },
} as const;

const WARNINGS = {
  secret_unknown:
    'This process does not have the secret that sealed some data, or a cookie was forged. See "Rotate the secret" in the guide Deploy.',
  memory_token_store:
    'This process keeps the tokens in its memory. For several processes, and across restarts, pass a shared `tokenStore`.',
  postgres_connection_lost:
    "The pool of `PostgresTokenStore` lost an idle connection, and opens another one. To log each: `pool.on('error', (error) => log.warn(error))`.",
  erasure_failed: 'The token store did not delete the tokens of a login that ended. They expire there.',
  session_erasure_failed:
    'The session store did not delete the session of a user who was forgotten. Its login has ended.',
  revocation_failed: 'The service did not revoke the tokens of a login that ended: they are still valid.',
  close_incomplete:
    '`close()` ended before all refreshes and revocations were complete. Their users may have to sign in again.',
} as const;

type Sections = (typeof SECTIONS)[keyof typeof SECTIONS];

/** Selects the codes of one error class in one section, or in each of several. */
type CodesIn<S, C extends ErrorClass> = S extends Record<C, infer Codes> ? keyof Codes : never;

/** Selects the codes of one error class. @internal */
export type CodeOf<C extends ErrorClass> = C extends ErrorClass ? CodesIn<Sections, C> : never;

/** The codes of errors that this package detects. They are stable within a major version. */
export type ErrorCode = CodeOf<ErrorClass>;

/** The codes of warnings: the login or logout continues without the failed step. */
export type WarningCode = keyof typeof WARNINGS;

type Section = Readonly<Record<string, readonly [ErrorClass, string]>>;

/** Every error code, with its class and its meaning, by section. @internal */
export const ERROR_SECTIONS: readonly (readonly [title: string, codes: Section])[] = Object.entries(SECTIONS).map(
  ([title, section]) => {
    const entries = Object.entries(section).flatMap(([errorClass, codes]) =>
      Object.entries(codes as object).map(([code, meaning]) => [code, [errorClass, meaning]]),
    );
    return [title, Object.fromEntries(entries)];
  },
);

/** Maps every warning code to its meaning. @internal */
export const WARNING_CODES: Readonly<Record<WarningCode, string>> = WARNINGS;

/** Maps each code to its meaning and, for the code of an error, its remedy. @internal */
export const MEANINGS: ReadonlyMap<string, { meaning: string; remedy?: Remedy }> = new Map([
  ...ERROR_SECTIONS.flatMap(([, codes]) =>
    Object.entries(codes).map(
      ([code, [errorClass, meaning]]) => [code, { meaning, remedy: ERROR_CLASSES[errorClass].remedy }] as const,
    ),
  ),
  ...Object.entries(WARNING_CODES).map(([code, meaning]) => [code, { meaning }] as const),
]);

/** The address of this version's files, which the build defines if package.json has a repository. */
declare const FILES_URL: string | undefined;

/**
 * @param option the option that is wrong: a heading of docs/reference/options.md
 * @returns where the documentation explains an error: an address, or a path in the repository
 * @internal
 */
export function addressOf(code: string, option?: string): string {
  // Anchors as GitHub makes them: `routeslogin` for `routes.login`.
  const anchor = code === 'option_invalid' && option?.toLowerCase().replace('.', '');
  const heading = MEANINGS.has(code) ? code : 'codes-of-the-service';
  const files = typeof FILES_URL === 'undefined' ? '' : FILES_URL;
  return `${files}docs/reference/${anchor ? `options.md#${anchor}` : `errors.md#${heading}`}`;
}
