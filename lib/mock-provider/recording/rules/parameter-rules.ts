import { MASK } from '../../http/masking.js';
import { PATHS } from '../../http/paths.js';
import { closestName } from '../../options/option-check.js';
import { PAGE_PATHS } from '../../pages/paths.js';
import type { RecordedExchange } from '../observation.js';
import { parametersOf } from './exchange-index.js';
import { checkEach, type Rule, type Violation } from './rule.js';

/** What each endpoint reads. */
const READ: Readonly<Record<string, readonly string[]>> = {
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

/** Extensions that a client may send to any server; who does not know them leaves them alone. */
const KNOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['acr_values', 'claims', 'claims_locales', 'request', 'request_uri', 'registration', 'resource', 'audience'],
  ...['authorization_details', 'dpop_jkt', 'client_assertion', 'client_assertion_type', 'hd', 'access_type', 'iss'],
]);

const SECRETS: ReadonlySet<string> = new Set(['clientsecret', 'secret', 'password', 'clientassertion']);
const TOKENS: ReadonlySet<string> = new Set(['accesstoken', 'refreshtoken', 'token', 'codeverifier', 'idtoken']);
const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
const inQuery = (names: ReadonlySet<string>) => (entry: RecordedExchange) =>
  Object.keys(entry.record.query).some((name) => names.has(plain(name)));
const namesInQuery = (names: ReadonlySet<string>) => (broken: readonly RecordedExchange[]) => {
  const found = broken.flatMap(({ record }) => Object.keys(record.query).filter((name) => names.has(plain(name))));
  return `${[...new Set(found)].join(', ')} stood in a query`;
};

const WITHOUT_CREDENTIALS: readonly string[] = [
  ...[PATHS.openidConfiguration, PATHS.authorizationServer, PATHS.jwks, PATHS.sessionState, PATHS.logout],
  ...[PATHS.authorize, ...Object.values(PAGE_PATHS)],
];

/** How parameters and credentials are sent. */
export const PARAMETER_RULES: readonly Rule[] = [
  {
    id: 'parameter-unknown',
    severity: 'warning',
    requirement: 'Every parameter is one that the endpoint reads.',
    fix: 'Look its name up in the service specification: a parameter that is not known has no effect.',
    source: 'RFC 6749 section 3.1',
    check: ({ at }) => {
      const about = at(...Object.keys(READ));
      return about.length === 0 ? undefined : unknownNames(about);
    },
  },
  {
    id: 'parameter-repeated',
    severity: 'error',
    requirement: 'No parameter is sent more than once.',
    fix: 'Set it where you append it: parameters of the configured address may hold it already.',
    source: 'RFC 6749 section 3.1',
    check: ({ entries }) =>
      checkEach(
        entries.filter((entry) => Object.keys(parametersOf(entry)).length > 0),
        ({ seen }) => seen.repeated.length > 0,
        'A parameter was sent more than once',
      ),
  },
  {
    id: 'secret-in-query',
    severity: 'error',
    requirement: 'A client secret or a password is never in an address.',
    fix: 'Send it in the Authorization header or in the body: addresses end up in logs. Then have a new secret made.',
    source: 'RFC 6749 section 2.3.1',
    check: ({ entries }) => checkEach(entries, inQuery(SECRETS), namesInQuery(SECRETS)),
  },
  {
    id: 'token-in-query',
    severity: 'error',
    requirement: 'A token or a code_verifier is never in an address.',
    fix: 'Send tokens in the Authorization header, and what belongs to a form in the body: addresses end up in logs.',
    source: 'RFC 9700 section 4.3.2',
    check: ({ entries }) => checkEach(entries, inQuery(TOKENS), namesInQuery(TOKENS)),
  },
  {
    id: 'credentials-out-of-place',
    severity: 'error',
    requirement: 'Credentials go to the endpoints that ask for them, and to no page or public document.',
    fix: 'Send no Authorization header there, and follow no redirect with one.',
    source: 'RFC 9700 section 4.12',
    check: ({ at }) =>
      checkEach(
        at(...WITHOUT_CREDENTIALS),
        ({ record }) => record.authorization !== undefined,
        'An Authorization header came to a page or a public document',
      ),
  },
];

function unknownNames(about: readonly RecordedExchange[]): readonly Violation[] {
  const found = new Map<string, RecordedExchange[]>();
  for (const entry of about) {
    const known = READ[entry.record.path] ?? [];
    for (const name of Object.keys(parametersOf(entry))) {
      if (known.includes(name) || KNOWN_ELSEWHERE.has(name)) continue;
      const what = unknown(name, entry.record.path, known);
      found.set(what, [...(found.get(what) ?? []), entry]);
    }
  }
  return [...found].map(([what, entries]) => ({ what, entries }));
}

function unknown(name: string, path: string, known: readonly string[]): string {
  if (name === MASK) return `${path} got a parameter whose name looks like a value`;
  const meant = closestName(name, known);
  return `${path} knows no parameter ${name}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}
