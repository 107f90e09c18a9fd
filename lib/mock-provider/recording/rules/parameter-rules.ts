import { closestName } from '../../../errors/closest-name.js';
import { MASK } from '../../http/masking.js';
import { PAGE_PATHS, PATHS } from '../../http/paths.js';
import { groupBy } from '../group-by.js';
import type { RecordedExchange } from '../observation.js';
import { checkEach, type ReportRule, sentParameters, type Violation } from './rule.js';

const PATHS_WITHOUT_CREDENTIALS: readonly string[] = [
  ...[PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.sessionState, PATHS.logout],
  ...[PATHS.authorize, ...Object.values(PAGE_PATHS)],
];

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

/** Without separators and in lower case. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['clientsecret', 'secret', 'password', 'clientassertion'],
  ...['accesstoken', 'refreshtoken', 'token', 'codeverifier', 'idtoken'],
]);
/** The number of unknown names that are reported. */
const MAX_UNKNOWN_NAMES = 100;

/** The rules for sending parameters and credentials. */
export const PARAMETER_RULES: readonly ReportRule[] = [
  {
    id: 'parameter-unknown',
    severity: 'warning',
    requirement: 'Every parameter of a request is one that the endpoint reads.',
    fix: 'Look up its name in the service specification: an unknown parameter has no effect.',
    source: 'RFC 6749 section 3.1',
    check: ({ exchanges }) => {
      const concerned = exchanges.filter(({ record }) => record.path in KNOWN_PARAMETERS);
      return concerned.length === 0 ? undefined : unknownParameters(concerned);
    },
  },
  {
    id: 'secret-in-query',
    severity: 'error',
    requirement: 'A URL never contains a client secret, a password, a token or a code_verifier.',
    fix: 'Send it in the Authorization header or in the body, because URLs are logged. Then replace the secret.',
    source: 'RFC 9700 section 4.3.2',
    check: ({ exchanges }) =>
      checkEach(
        exchanges,
        ({ record }) => secretNames(record.query).length > 0,
        (violating) =>
          `A query contained ${[...new Set(violating.flatMap(({ record }) => secretNames(record.query)))].join(', ')}`,
      ),
  },
  {
    id: 'credentials-out-of-place',
    severity: 'error',
    requirement:
      'Only endpoints that require credentials receive them: no page, no public document and no other address.',
    fix: 'Send no Authorization header there, and do not follow redirects with one.',
    source: 'RFC 9700 section 4.12',
    check: ({ exchanges }) =>
      checkEach(
        exchanges.filter(({ record: { path }, refusal }) => {
          return PATHS_WITHOUT_CREDENTIALS.includes(path) || refusal?.rule === 'path-at-its-address';
        }),
        ({ record }) => record.authorization !== undefined,
        'A page, a public document or the wrong address was requested with an Authorization header',
      ),
  },
  {
    id: 'basic-not-encoded',
    severity: 'error',
    requirement: 'Id and secret of Basic credentials are each form-url-encoded.',
    fix: 'Encode both with encodeURIComponent before joining them with a colon: a colon, a plus or a percent sign breaks them.',
    source: 'RFC 6749 section 2.3.1',
    check: ({ exchanges }) =>
      checkEach(
        exchanges.filter(({ record }) => record.authorization?.toLowerCase() === 'basic'),
        ({ observation }) => observation.isBasicUnencoded,
        'The Basic credentials were not encoded',
      ),
  },
];

/** @returns the names in a query that are those of secrets, in any spelling: `clientSecret` too. */
function secretNames(query: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(query).filter((name) => SECRETS.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')));
}

function unknownNames(exchange: RecordedExchange): readonly string[] {
  const known = KNOWN_PARAMETERS[exchange.record.path] ?? [];
  return Object.keys(sentParameters(exchange)).filter(
    (name) => !known.includes(name) && !EXTENSION_PARAMETERS.has(name),
  );
}

/** @returns a violation for each unknown name at a path. */
function unknownParameters(exchanges: readonly RecordedExchange[]): readonly Violation[] {
  const sent = exchanges.flatMap((exchange) => unknownNames(exchange).map((name) => ({ exchange, name })));
  const groups = groupBy(sent, ({ exchange, name }) => `${exchange.record.path} ${name}`);
  return [...groups.values()].slice(0, MAX_UNKNOWN_NAMES).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const what = describeUnknown(first.name, first.exchange.record.path);
    return { what, exchanges: group.map(({ exchange }) => exchange) };
  });
}

function describeUnknown(name: string, path: string): string {
  if (name === MASK) return `${path} received a parameter whose name looks like a value`;
  const suggestion = closestName(name, KNOWN_PARAMETERS[path] ?? []);
  return `${path} has no parameter ${name}${suggestion === undefined ? '' : `: did you mean ${suggestion}?`}`;
}
