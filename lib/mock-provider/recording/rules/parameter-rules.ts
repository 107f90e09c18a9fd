import { closestName } from '../../../errors/closest-name.js';
import { MASK } from '../../http/masking.js';
import { PAGE_PATHS, PATHS } from '../../http/paths.js';
import type { RecordedExchange } from '../observation.js';
import { knownParameters } from '../observed-parameters.js';
import { checkEach, type ReportRule, type Violation } from './rule.js';

const PATHS_WITHOUT_CREDENTIALS: readonly string[] = [
  ...[PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.sessionState, PATHS.logout],
  ...[PATHS.authorize, ...Object.values(PAGE_PATHS)],
];

/** The number of unknown names at a path that are counted. */
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
      const concerned = exchanges.filter(({ record }) => knownParameters(record.path) !== undefined);
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
        exchanges.filter(({ parameters }) => parameters.isAny),
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
    check: ({ exchanges }) => checkQueries(exchanges, 'secretsInQuery'),
  },
  {
    id: 'token-in-query',
    severity: 'error',
    requirement: 'A URL never contains a token or a code_verifier.',
    fix: 'Send tokens in the Authorization header and form parameters in the body, because URLs are logged.',
    source: 'RFC 9700 section 4.3.2',
    check: ({ exchanges }) => checkQueries(exchanges, 'tokensInQuery'),
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

function checkQueries(exchanges: readonly RecordedExchange[], kind: 'secretsInQuery' | 'tokensInQuery') {
  return checkEach(
    exchanges,
    ({ parameters }) => parameters[kind].length > 0,
    (violating) =>
      `A query contained ${[...new Set(violating.flatMap(({ parameters }) => parameters[kind]))].join(', ')}`,
  );
}

/** @returns a violation for each unknown name at a path. Its description is created when it is read: the report merges many. */
function unknownParameters(exchanges: readonly RecordedExchange[]): readonly Violation[] {
  const found = new Map<string, Map<string, RecordedExchange[]>>();
  for (const exchange of exchanges) {
    const { parameters, record } = exchange;
    if (parameters.unknown.length === 0) continue;
    const atPath = found.get(record.path) ?? new Map<string, RecordedExchange[]>();
    found.set(record.path, atPath);
    for (const name of parameters.unknown) {
      const known = atPath.get(name);
      if (known) known.push(exchange);
      else if (atPath.size < MAX_UNKNOWN_NAMES) atPath.set(name, [exchange]);
    }
  }
  return [...found].flatMap(([path, byName]) =>
    [...byName].map(([name, violating]) => ({
      get what() {
        return describeUnknown(name, path);
      },
      exchanges: violating,
    })),
  );
}

function describeUnknown(name: string, path: string): string {
  if (name === MASK) return `${path} received a parameter whose name looks like a value`;
  const suggestion = closestName(name, knownParameters(path) ?? []);
  return `${path} has no parameter ${name}${suggestion === undefined ? '' : `: did you mean ${suggestion}?`}`;
}
