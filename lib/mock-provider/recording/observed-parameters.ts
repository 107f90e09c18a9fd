import { PATHS } from '../http/paths.js';
import type { RecordedRequest } from './recorded-request.js';

/** Parameters whose recorded values the report rules use. */
type ReadParameter =
  | 'scope'
  | 'prompt'
  | 'type'
  | 'response_mode'
  | 'response_type'
  | 'redirect_uri'
  | 'state'
  | 'id_token_hint';

/**
 * What the report rules use of a request's parameters. It is selected once, by the first report, because a report reads
 * thousands of requests.
 */
export interface ObservedParameters {
  /** Values of the authorization and logout endpoints, masked as in the record. */
  readonly values: Readonly<Partial<Record<ReadParameter, string | undefined>>>;
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

type Values = Readonly<Record<string, string>>;

const VALUED_PATHS: ReadonlySet<string> = new Set([PATHS.authorize, PATHS.logout]);
const NO_VALUES: ObservedParameters['values'] = Object.freeze({});
const MAX_UNKNOWN = 3;
const NO_NAMES: readonly string[] = Object.freeze([]);
const NO_PARAMETERS: ObservedParameters = {
  values: NO_VALUES,
  isAny: false,
  unknown: NO_NAMES,
  secretsInQuery: NO_NAMES,
  tokensInQuery: NO_NAMES,
};

/** @returns the parameters that the endpoint at a path reads, or undefined if the report does not check them. */
export function knownParameters(path: string): readonly string[] | undefined {
  return KNOWN_PARAMETERS[path];
}

export function observeParameters({ path, query, form }: RecordedRequest): ObservedParameters {
  const inQuery = Object.keys(query);
  const all = [...inQuery, ...Object.keys(form)];
  if (all.length === 0) return NO_PARAMETERS;
  const normalized = inQuery.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  const inQueryOf = (searched: ReadonlySet<string>) =>
    normalized.some((name) => searched.has(name))
      ? inQuery.filter((_, index) => searched.has(normalized[index] as string))
      : NO_NAMES;
  return {
    values: VALUED_PATHS.has(path) ? selectValues(query, form) : NO_VALUES,
    isAny: true,
    unknown: selectUnknown(path, all),
    secretsInQuery: inQueryOf(SECRETS),
    tokensInQuery: inQueryOf(TOKENS),
  };
}

function selectValues(query: Values, form: Values): ObservedParameters['values'] {
  const read = (name: ReadParameter) => form[name] ?? query[name];
  return {
    scope: read('scope'),
    prompt: read('prompt'),
    type: read('type'),
    response_mode: read('response_mode'),
    response_type: read('response_type'),
    redirect_uri: read('redirect_uri'),
    state: read('state'),
    id_token_hint: read('id_token_hint'),
  };
}

function selectUnknown(path: string, names: readonly string[]): readonly string[] {
  const known = KNOWN_PARAMETERS[path];
  if (known === undefined) return NO_NAMES;
  const unknown = names.filter((name) => !known.includes(name) && !EXTENSION_PARAMETERS.has(name));
  return unknown.length === 0 ? NO_NAMES : [...new Set(unknown)].slice(0, MAX_UNKNOWN);
}
