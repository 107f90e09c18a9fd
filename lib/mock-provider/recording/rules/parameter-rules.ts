import { MASK } from '../../http/masking.js';
import { PAGE_PATHS, PATHS } from '../../http/paths.js';
import { closestName } from '../../options/closest-name.js';
import type { RecordedExchange } from '../observation.js';
import { parametersOf } from './exchange-index.js';
import { checkEach, type ReportRule, type Violation } from './rule.js';

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

const PATHS_WITHOUT_CREDENTIALS: readonly string[] = [
  ...[PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.sessionState, PATHS.logout],
  ...[PATHS.authorize, ...Object.values(PAGE_PATHS)],
];

/** Lists the rules for sending parameters and credentials. */
export const PARAMETER_RULES: readonly ReportRule[] = [
  {
    id: 'parameter-unknown',
    severity: 'warning',
    requirement: 'Every parameter of a request is one that the endpoint reads.',
    fix: 'Look up its name in the service specification: an unknown parameter has no effect.',
    source: 'RFC 6749 section 3.1',
    check: ({ at }) => {
      const concerned = at(...Object.keys(KNOWN_PARAMETERS));
      return concerned.length === 0 ? undefined : unknownParameters(concerned);
    },
  },
  {
    id: 'parameter-repeated',
    severity: 'error',
    requirement: 'No parameter is sent more than once.',
    fix: 'Set the parameter instead of appending it: the configured URL may already contain it.',
    source: 'RFC 6749 section 3.1',
    check: ({ exchanges }) =>
      checkEach(
        exchanges.filter((exchange) => Object.keys(parametersOf(exchange)).length > 0),
        ({ observation }) => observation.repeated.length > 0,
        'A parameter was sent more than once',
      ),
  },
  {
    id: 'secret-in-query',
    severity: 'error',
    requirement: 'A URL never contains a client secret or a password.',
    fix: 'Send it in the Authorization header or in the body, because URLs are logged. Then replace the secret.',
    source: 'RFC 6749 section 2.3.1',
    check: ({ exchanges }) => checkQueries(exchanges, SECRETS),
  },
  {
    id: 'token-in-query',
    severity: 'error',
    requirement: 'A URL never contains a token or a code_verifier.',
    fix: 'Send tokens in the Authorization header and form parameters in the body, because URLs are logged.',
    source: 'RFC 9700 section 4.3.2',
    check: ({ exchanges }) => checkQueries(exchanges, TOKENS),
  },
  {
    id: 'credentials-out-of-place',
    severity: 'error',
    requirement: 'Only endpoints that require credentials receive them: no page and no public document.',
    fix: 'Send no Authorization header there, and do not follow redirects with one.',
    source: 'RFC 9700 section 4.12',
    check: ({ at }) =>
      checkEach(
        at(...PATHS_WITHOUT_CREDENTIALS),
        ({ record }) => record.authorization !== undefined,
        'A page or a public document was requested with an Authorization header',
      ),
  },
  {
    id: 'secret-in-body',
    severity: 'error',
    requirement: 'A client of the openid flow, or one that is registered for HTTP Basic, authenticates by it.',
    fix: 'Use client_secret_basic: id and secret, each form-url-encoded, in the Authorization header.',
    source: 'service spec: two forms of the flow',
    check: ({ tokenRequests, clientOf }) =>
      checkEach(
        tokenRequests.filter((request) => clientOf(request)?.tokenEndpointAuthMethod === 'client_secret_basic'),
        ({ record }) => record.form.client_secret !== undefined,
        'client_secret was in the body',
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

function checkQueries(exchanges: readonly RecordedExchange[], forbidden: ReadonlySet<string>) {
  const found = ({ record }: RecordedExchange) =>
    Object.keys(record.query).filter((name) => forbidden.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')));
  return checkEach(
    exchanges,
    (exchange) => found(exchange).length > 0,
    (violating) => `A query contained ${[...new Set(violating.flatMap(found))].join(', ')}`,
  );
}

function unknownParameters(exchanges: readonly RecordedExchange[]): readonly Violation[] {
  const found = new Map<string, RecordedExchange[]>();
  for (const exchange of exchanges) {
    const { path } = exchange.record;
    const known = KNOWN_PARAMETERS[path] ?? [];
    for (const name of Object.keys(parametersOf(exchange))) {
      if (known.includes(name) || EXTENSION_PARAMETERS.has(name)) continue;
      const what = describeUnknown(name, path, known);
      found.set(what, [...(found.get(what) ?? []), exchange]);
    }
  }
  return [...found].map(([what, violating]) => ({ what, exchanges: violating }));
}

function describeUnknown(name: string, path: string, known: readonly string[]): string {
  if (name === MASK) return `${path} received a parameter whose name looks like a value`;
  const suggestion = closestName(name, known);
  return `${path} has no parameter ${name}${suggestion === undefined ? '' : `: did you mean ${suggestion}?`}`;
}
