import { createHash, randomBytes } from 'node:crypto';
import { flows } from '../../authorization-server/flows.js';
import type { Fetch } from '../../http.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import type { ServerMetadata } from './check-service.js';
import { errorCode, type ServiceResponse, send } from './request.js';
import type { Settings } from './settings.js';

const random = (): string => randomBytes(32).toString('base64url');
const flowOf = ({ flow }: Settings) => flows[flow as 'openid'];

/**
 * Whether the secret is right can be known without a user: a token request with a code that nobody gave out is refused as
 * `invalid_client` when the client's authentication is wrong, and as `invalid_grant` when that was right (RFC 6749 section 5.2).
 */
export async function checkClientSecret(
  settings: Settings,
  metadata: ServerMetadata,
  fetch: Fetch,
): Promise<CheckResult> {
  const { clientID, clientSecret, callbackURL } = settings;
  const { clientAuthentication, pkce } = flowOf(settings);
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: random(), redirect_uri: callbackURL });
  if (pkce) body.set('code_verifier', random());
  const headers = new Headers({ accept: 'application/json' });
  const authenticate = clientAuthentication(clientSecret.reveal());
  await authenticate(metadata, { client_id: clientID }, body, headers);
  headers.set('content-type', 'application/x-www-form-urlencoded');
  const request = { method: 'POST', headers: Object.fromEntries(headers), body };
  const answer = await send(fetch, String(metadata.token_endpoint), request);
  if (typeof answer === 'string')
    return problem('client secret', answer, 'See whether this machine reaches the service.');
  return readRefusal(answer, settings);
}

function readRefusal({ status, json }: ServiceResponse, { clientID, flow }: Settings): CheckResult {
  const check = 'client secret';
  const code = errorCode(json?.error);
  if (code === 'invalid_grant')
    return ok(check, 'right: a made-up code was refused as invalid_grant, not invalid_client');
  if (code === 'invalid_client' || status === 401) {
    const fix = `Compare CLINICIAN_CLIENT_ID and CLINICIAN_CLIENT_SECRET with what the service gave you for the ${flow} flow.`;
    // Unnamed: whoever took one for the other has the secret there.
    return problem(
      check,
      'The service does not know this client, or the secret is that of another (invalid_client).',
      fix,
    );
  }
  if (code === 'unauthorized_client') {
    return problem(check, `${clientID} may not redeem codes (unauthorized_client).`, 'Ask the service to allow it.');
  }
  const said = code === undefined ? `status ${status}` : `${code}, status ${status}`;
  return warning(
    check,
    `A made-up code should be refused as invalid_grant, and was as ${said}.`,
    'Nothing can be said of the secret: try again later.',
  );
}

/**
 * Whether the callback address and the scope are registered can be known without a user, too: a request with prompt=none
 * comes back to a registered address with `login_required`, and to no other at all (OpenID Connect Core 3.1.2.6, RFC 6749 4.1.2.1).
 */
export async function checkRegistration(
  settings: Settings,
  metadata: ServerMetadata,
  fetch: Fetch,
): Promise<CheckResult> {
  const { clientID, callbackURL, scope } = settings;
  const { pkce, nonce } = flowOf(settings);
  const url = new URL(String(metadata.authorization_endpoint));
  const parameters = { client_id: clientID, response_type: 'code', redirect_uri: callbackURL, scope, state: random() };
  for (const [name, value] of Object.entries({ ...parameters, prompt: 'none' })) url.searchParams.set(name, value);
  if (nonce) url.searchParams.set('nonce', random());
  if (pkce) {
    url.searchParams.set('code_challenge', createHash('sha256').update(random()).digest('base64url'));
    url.searchParams.set('code_challenge_method', 'S256');
  }
  const answer = await send(fetch, url.href, { headers: { accept: 'text/html' } });
  if (typeof answer === 'string')
    return problem('registration', answer, 'See whether this machine reaches the service.');
  return readReturn(answer, settings);
}

const NOBODY_IS_SIGNED_IN = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];

function readReturn({ status, headers }: ServiceResponse, settings: Settings): CheckResult {
  const { callbackURL, scope } = settings;
  const check = 'registration';
  const back = backTo(headers.get('location'), callbackURL);
  if (back === undefined) {
    if (status < 400 || status >= 500) {
      return warning(
        check,
        `Asked with prompt=none, the service answered ${status} and led nowhere.`,
        'Sign in once to see.',
      );
    }
    const fix = `Have ${callbackURL} registered for this client, letter by letter, or set APP_URL to what is.`;
    return problem(
      check,
      `The service takes the client or its callback address for a stranger's (status ${status}).`,
      fix,
    );
  }
  const code = errorCode(back.get('error'));
  if (code !== undefined && NOBODY_IS_SIGNED_IN.includes(code)) return ok(check, `${callbackURL}, scope "${scope}"`);
  if (code === 'invalid_scope') {
    const fix = 'Ask the service to grant it, or take words out of CLINICIAN_SCOPE.';
    return problem(check, `The client may not ask for the scope "${scope}" (invalid_scope).`, fix);
  }
  const said = code ?? 'something else than an error';
  return problem(
    check,
    `The service refuses the request of a login (${said}).`,
    'See what the service says of this error.',
  );
}

/** @returns the parameters that came back to our own address, or undefined when they went elsewhere. */
function backTo(location: string | null, callbackURL: string): URLSearchParams | undefined {
  const url = location !== null && URL.canParse(location, callbackURL) ? new URL(location, callbackURL) : undefined;
  return url !== undefined && url.origin + url.pathname === callbackURL ? url.searchParams : undefined;
}
