import { PATHS } from '../http/paths.js';
import type { RecordedRequest } from './recorded-request.js';

/** Holds the names of a request's parameters that the report rules use. They are selected once, when the request is recorded. */
export interface ParameterNames {
  /** True for a request with a parameter. */
  readonly isAny: boolean;
  /** The first names that the endpoint does not read. */
  readonly unknown: readonly string[];
  /** Names in the query that are those of a client secret or a password. */
  readonly secretsInQuery: readonly string[];
  /** Names in the query that are those of a token or a code_verifier. */
  readonly tokensInQuery: readonly string[];
}

/** The parameters that each endpoint reads. */
const KNOWN_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  [PATHS.authorize]: [
    ...['client_id', 'response_type', 'redirect_uri', 'scope', 'state', 'type', 'code_challenge', 'prompt', 'display'],
    ...['code_challenge_method', 'response_mode', 'nonce', 'id_token_hint', 'login_hint', 'max_age', 'ui_locales'],
  ],
  [PATHS.token]: [
    ...['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret', 'code_verifier', 'refresh_token', 'scope'],
  ],
  [PATHS.revoke]: ['token', 'token_type_hint', 'client_id', 'client_secret'],
  [PATHS.logout]: ['id_token_hint', 'post_logout_redirect_uri', 'state', 'client_id', 'ui_locales', 'logout_hint'],
  [PATHS.colleagues]: ['page', 'per_page'],
};

/** Extensions that a client may send to any server: a server without the extension ignores them. */
const EXTENSION_PARAMETERS: ReadonlySet<string> = new Set([
  ...['acr_values', 'claims', 'claims_locales', 'request', 'request_uri', 'registration', 'resource', 'audience'],
  ...['authorization_details', 'dpop_jkt', 'client_assertion', 'client_assertion_type', 'hd', 'access_type', 'iss'],
]);

/** Without separators and in lower case, so that `clientSecret` matches too. */
const SECRETS: ReadonlySet<string> = new Set(['clientsecret', 'secret', 'password', 'clientassertion']);
const TOKENS: ReadonlySet<string> = new Set(['accesstoken', 'refreshtoken', 'token', 'codeverifier', 'idtoken']);

const MAX_UNKNOWN = 3;
const NO_NAMES: readonly string[] = Object.freeze([]);

/** @returns the parameters that the endpoint at a path reads, or undefined where the report does not check them. */
export function knownParameters(path: string): readonly string[] | undefined {
  return KNOWN_PARAMETERS[path];
}

export function selectNames({ path, query, form }: RecordedRequest): ParameterNames {
  const inQuery = Object.keys(query);
  const all = [...inQuery, ...Object.keys(form)];
  return {
    isAny: all.length > 0,
    unknown: selectUnknown(path, all),
    secretsInQuery: select(inQuery, SECRETS),
    tokensInQuery: select(inQuery, TOKENS),
  };
}

function selectUnknown(path: string, names: readonly string[]): readonly string[] {
  const known = KNOWN_PARAMETERS[path];
  if (known === undefined) return NO_NAMES;
  const unknown = new Set(names.filter((name) => !known.includes(name) && !EXTENSION_PARAMETERS.has(name)));
  return unknown.size === 0 ? NO_NAMES : [...unknown].slice(0, MAX_UNKNOWN);
}

function select(names: readonly string[], searched: ReadonlySet<string>): readonly string[] {
  const found = names.filter((name) => searched.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')));
  return found.length === 0 ? NO_NAMES : found;
}
