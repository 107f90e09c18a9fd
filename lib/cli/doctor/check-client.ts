import { createHash, randomBytes } from 'node:crypto';
import { flows } from '../../authorization-server/flows.js';
import { checkErrorResponse, TOKEN_RESPONSE, TokenResponseError } from '../../authorization-server/token-response.js';
import { isClinicianError } from '../../errors/errors.js';
import type { Fetch, FetchResponse } from '../../http/http.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import type { ServerMetadata } from './check-service.js';
import { errorCode, send } from './request.js';
import type { Settings } from './settings.js';

const random = (): string => randomBytes(32).toString('base64url');
const UNREACHABLE = 'Check that this machine can reach the service.';

/**
 * Checks the client secret without a user, by a token request with an invalid code. The service responds `invalid_client` when the
 * client authentication is wrong, and `invalid_grant` when it is correct (RFC 6749 section 5.2).
 */
export async function checkClientSecret(
  settings: Settings,
  metadata: ServerMetadata,
  fetch: Fetch,
): Promise<CheckResult> {
  const { clientID, clientSecret, callbackURL } = settings;
  const { clientAuthentication, pkce } = flows[settings.flow];
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: random(), redirect_uri: callbackURL });
  if (pkce) body.set('code_verifier', random());
  const headers = new Headers({ accept: 'application/json' });
  const authenticate = clientAuthentication(clientSecret.reveal());
  await authenticate(metadata, { client_id: clientID }, body, headers);
  headers.set('content-type', 'application/x-www-form-urlencoded');
  const request = { method: 'POST', headers: Object.fromEntries(headers), body };
  const response = await send(fetch, String(metadata.token_endpoint), request);
  if (typeof response === 'string') return problem('client secret', response, UNREACHABLE);
  return await readTokenError(response, settings);
}

/** Reads the error as the site does: a response that the site refuses has no error code here either. */
async function readTokenError(
  response: FetchResponse,
  { clientID, clientSecret, flow }: Settings,
): Promise<CheckResult> {
  const check = 'client secret';
  const { status } = response;
  const error: unknown = await checkErrorResponse(response, TOKEN_RESPONSE, [clientSecret.reveal()]).catch(
    (thrown: unknown) => thrown,
  );
  const code = error instanceof TokenResponseError ? error.code : undefined;
  if (code === 'invalid_grant') return ok(check, 'correct: an invalid code was rejected with invalid_grant');
  if (code === 'unauthorized_client') {
    return problem(
      check,
      `The client ${clientID} may not redeem codes, or its secret is wrong (unauthorized_client).`,
      'Compare CLINICIAN_CLIENT_SECRET with the value from the service. If it is right, ask the service to allow the client.',
    );
  }
  if (code === 'invalid_client' || status === 401) {
    const fix = `Compare CLINICIAN_CLIENT_ID and CLINICIAN_CLIENT_SECRET with the values from the service for the ${flow} flow.`;
    // The message does not contain the client id: it is the secret if the two variables are mixed up.
    return problem(check, 'The service does not recognize the client, or its secret is wrong (invalid_client).', fix);
  }
  const received = code === undefined ? `status ${status}` : `${code}, status ${status}`;
  const message =
    code === undefined && isClinicianError(error)
      ? error.message
      : `An invalid code was rejected with ${received} instead of invalid_grant.`;
  return warning(check, message, 'The secret was not checked. Try again later.');
}

/**
 * Checks the callback URL and the scope without a user, by an authorization request with prompt=none. The service redirects to a
 * registered URL with `login_required`, and never to another one (OpenID Connect Core section 3.1.2.6, RFC 6749 section 4.1.2.1).
 */
export async function checkRegistration(
  settings: Settings,
  metadata: ServerMetadata,
  fetch: Fetch,
): Promise<CheckResult> {
  const { clientID, callbackURL, scope } = settings;
  const { pkce, nonce } = flows[settings.flow];
  const url = new URL(String(metadata.authorization_endpoint));
  const parameters = { client_id: clientID, response_type: 'code', redirect_uri: callbackURL, scope, state: random() };
  for (const [name, value] of Object.entries({ ...parameters, prompt: 'none' })) url.searchParams.set(name, value);
  if (nonce) url.searchParams.set('nonce', random());
  if (pkce) {
    url.searchParams.set('code_challenge', createHash('sha256').update(random()).digest('base64url'));
    url.searchParams.set('code_challenge_method', 'S256');
  }
  const response = await send(fetch, url.href, { headers: { accept: 'text/html' } });
  if (typeof response === 'string') return problem('registration', response, UNREACHABLE);
  return readAuthorizationError(response, settings);
}

/** The expected errors of prompt=none without a session. */
const NO_SESSION_ERRORS = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

function readAuthorizationError({ status, headers }: FetchResponse, settings: Settings): CheckResult {
  const { callbackURL, scope } = settings;
  const check = 'registration';
  const parameters = callbackParameters(headers.get('location'), callbackURL);
  if (parameters === undefined) {
    if (status < 400 || status >= 500) {
      return warning(
        check,
        `A request with prompt=none got status ${status} and no redirect to the callback URL.`,
        'Test it by a sign-in.',
      );
    }
    const fix = `Register exactly ${callbackURL} for this client, or set APP_URL and --callback-path to the registered one.`;
    return problem(check, `The service does not recognize the client or its callback URL (status ${status}).`, fix);
  }
  const code = errorCode(parameters.get('error'));
  if (code !== undefined && NO_SESSION_ERRORS.includes(code)) return ok(check, `${callbackURL}, scope "${scope}"`);
  if (code === 'invalid_scope') {
    const fix = 'Ask the service to grant it, or remove scopes from CLINICIAN_SCOPE.';
    return problem(check, `The client may not request the scope "${scope}" (invalid_scope).`, fix);
  }
  const received = code ?? 'no error code';
  return problem(
    check,
    `The service rejects the authorization request (${received}).`,
    'Look the error up in the documentation of the service.',
  );
}

/** @returns the parameters of a redirect to the callback URL, or undefined for any other response. */
function callbackParameters(location: string | null, callbackURL: string): URLSearchParams | undefined {
  const url = location !== null && URL.canParse(location, callbackURL) ? new URL(location, callbackURL) : undefined;
  return url !== undefined && url.origin + url.pathname === callbackURL ? url.searchParams : undefined;
}
