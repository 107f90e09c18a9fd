import type { RuleID } from '../../protocol/rules.js';
import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';
import { checkAll, checkEach, checkGroups, findBurst, ofSeveralLogins, type ReportRule } from './rule.js';

type Exchanges = readonly RecordedExchange[];

const SCOPE_REFUSALS: ReadonlySet<RuleID | undefined> = new Set<RuleID>([
  'scope-characters',
  'scope-known',
  'scope-allowed',
  'refresh-scope-subset',
]);
/** 128 random bits in base64url. */
const MIN_RANDOM_LENGTH = 22;

const isSent = (name: string) => (exchange: RecordedExchange) =>
  exchange.observation.requestFingerprints[name] !== undefined;

function isCodeInFragment(request: RecordedExchange): boolean {
  return request.parameters.values.response_mode === 'fragment' && request.parameters.values.response_type === 'code';
}

function checkPresence(requests: Exchanges, name: string) {
  return checkEach(requests, (request) => !isSent(name)(request), `${name} was missing`);
}

function checkReuse(requests: Exchanges, name: string) {
  return checkGroups(
    requests,
    ({ observation }) => observation.requestFingerprints[name],
    ofSeveralLogins,
    `Several logins used the same ${name}`,
  );
}

function checkLength(requests: Exchanges, name: string) {
  const lengthOf = ({ observation }: RecordedExchange) => observation.generated[name]?.length ?? 0;
  return checkEach(
    requests.filter(isSent(name)),
    (request) => lengthOf(request) < MIN_RANDOM_LENGTH,
    (violating) => `${name} had ${Math.min(...violating.map(lengthOf))} characters`,
  );
}

function requestsOpenID({ clientOf }: ExchangeIndex, request: RecordedExchange): boolean {
  const scope = request.parameters.values.scope;
  return scope ? scope.split(' ').includes('openid') : clientOf(request)?.flow === 'openid';
}

/** The rules for the parameters of the authorization request, and for the values that a client generates for each login. */
export const AUTHORIZATION_REQUEST_RULES: readonly ReportRule[] = [
  {
    id: 'state-missing',
    severity: 'error',
    requirement: 'Every authorization request has a state.',
    fix: 'Send a random state, store it in the browser that starts the login, and compare it in the callback.',
    source: 'RFC 6749 section 10.12',
    check: ({ authorizations }) => checkPresence(authorizations, 'state'),
  },
  {
    id: 'state-reused',
    severity: 'error',
    requirement: 'Every login has its own state.',
    fix: 'Generate a new random state for each login, and delete it when the callback receives it.',
    source: 'RFC 9700 section 4.7.1',
    check: ({ authorizations }) => checkReuse(authorizations.filter(isSent('state')), 'state'),
  },
  {
    id: 'state-too-short',
    severity: 'error',
    requirement: 'A state has at least 128 random bits: 22 characters of base64url.',
    fix: 'Generate it from 32 random bytes, in base64url.',
    source: 'RFC 6749 section 10.10',
    check: ({ authorizations }) => checkLength(authorizations, 'state'),
  },
  {
    id: 'state-guessable',
    severity: 'warning',
    requirement: 'Two states have no common first half.',
    fix: 'Generate all of it randomly: one state must not reveal a part of the next one.',
    source: 'RFC 6749 section 10.10',
    check: ({ authorizations }) =>
      checkGroups(
        authorizations.filter(({ observation }) => observation.generated.state?.prefixFingerprint !== undefined),
        ({ observation }) => observation.generated.state?.prefixFingerprint,
        (group) =>
          new Set(group.map(({ observation }) => observation.requestFingerprints.state)).size > 1 ? group : [],
        'Different states had the same first half',
      ),
  },
  {
    id: 'nonce-missing',
    severity: 'warning',
    requirement: 'An authorization request for openid has a nonce.',
    fix: 'Send a random nonce and compare it with the one in the ID Token: it binds the ID Token to this login.',
    source: 'OpenID Connect Core section 3.1.2.1',
    check: (index) =>
      checkPresence(
        index.authorizations.filter((request) => requestsOpenID(index, request)),
        'nonce',
      ),
  },
  {
    id: 'nonce-reused',
    severity: 'error',
    requirement: 'Every login has its own nonce.',
    fix: 'Generate a new random nonce for each login.',
    source: 'OpenID Connect Core section 15.5.2',
    check: ({ authorizations }) => checkReuse(authorizations.filter(isSent('nonce')), 'nonce'),
  },
  {
    id: 'nonce-too-short',
    severity: 'warning',
    requirement: 'A nonce has at least 128 random bits: 22 characters of base64url.',
    fix: 'Generate it from 32 random bytes, in base64url.',
    source: 'OpenID Connect Core section 15.5.2',
    check: ({ authorizations }) => checkLength(authorizations, 'nonce'),
  },
  {
    id: 'pkce-missing',
    severity: 'error',
    requirement: 'An authorization request of the openid flow has a code_challenge.',
    fix: 'Send code_challenge with code_challenge_method=S256, and the code_verifier with the code.',
    source: 'service spec: GET /oauth/authorize',
    check: ({ authorizations, clientOf }) =>
      checkPresence(
        authorizations.filter((request) => clientOf(request)?.flow === 'openid'),
        'code_challenge',
      ),
  },
  {
    id: 'pkce-reused',
    severity: 'error',
    requirement: 'Every login has its own code_verifier.',
    fix: 'Generate a new random code_verifier for each login: a leaked one must not redeem another code.',
    source: 'RFC 7636 section 7.1',
    check: ({ exchanges }) => {
      const concerned = exchanges.filter(
        (exchange) => isSent('code_challenge')(exchange) || isSent('code_verifier')(exchange),
      );
      const violations = checkReuse(concerned, 'code_challenge');
      return violations?.length === 0 ? checkReuse(concerned, 'code_verifier') : violations;
    },
  },
  {
    id: 'redirect-uri-plain-http',
    severity: 'error',
    requirement: 'A redirect URI uses https, except on the loopback interface.',
    fix: 'Register and send an https URL: over plain http the network can read the code.',
    source: 'RFC 9700 section 2.6',
    check: ({ authorizations }) =>
      checkEach(
        authorizations.filter((request) => request.parameters.values.redirect_uri !== undefined),
        (request) => isPlainHTTP(request.parameters.values.redirect_uri ?? ''),
        'redirect_uri used plain http',
      ),
  },
  {
    id: 'scope-not-allowed',
    severity: 'error',
    requirement: 'A client requests only the scopes that its registration allows.',
    fix: 'Request fewer scopes, or register the client for this scope. A refresh cannot extend the granted scope.',
    source: 'RFC 6749 section 3.3',
    check: ({ authorizations, refreshes }) =>
      checkEach(
        [...authorizations, ...refreshes],
        ({ refusal }) => SCOPE_REFUSALS.has(refusal?.rule),
        'The requested scope is not allowed for the client',
      ),
  },
  {
    id: 'type-in-openid-flow',
    severity: 'warning',
    requirement: 'type is sent in the profile flow only.',
    fix: 'Leave type out: the openid flow ignores it. For the account creation page send prompt=create.',
    source: 'service spec: GET /oauth/authorize',
    check: ({ authorizations, clientOf }) =>
      checkEach(
        authorizations.filter((request) => clientOf(request)?.flow === 'openid'),
        (request) => request.parameters.values.type !== undefined,
        'type was sent in the openid flow',
      ),
  },
  {
    id: 'response-mode-fragment',
    severity: 'warning',
    requirement: 'A code that is returned in the fragment reaches the server of the site.',
    fix: 'Post the fragment from a page of the site to its server, or omit response_mode: a server receives no fragment.',
    source: 'OAuth 2.0 Multiple Response Types section 2.1',
    check: ({ authorizations, exchanges, tokenRequests }) => {
      const redeemed = new Set(tokenRequests.map(({ record }) => record.login));
      const issued = new Set(
        exchanges.filter(({ observation }) => observation.responseFingerprints.code).map(({ record }) => record.login),
      );
      return checkEach(
        authorizations.filter((request) => isCodeInFragment(request) && issued.has(request.record.login)),
        ({ record }) => !redeemed.has(record.login),
        'A code was returned in the fragment, and not redeemed',
      );
    },
  },
  {
    id: 'page-framed',
    severity: 'error',
    requirement: 'The authorization page is never shown in a frame.',
    fix: 'Open it in the same window or in a popup: a frame hides the address, and the page cannot be framed.',
    source: 'service spec: Authentication, 4',
    check: ({ pages }) =>
      checkEach(
        pages.filter(({ record }) => record.headers['sec-fetch-dest'] !== undefined),
        ({ record }) => /^(iframe|frame|embed|object|fencedframe)$/.test(record.headers['sec-fetch-dest'] ?? ''),
        'A browser requested the page for a frame',
      ),
  },
  {
    id: 'silent-login-loop',
    severity: 'warning',
    requirement: 'A failed silent login is not repeated immediately.',
    fix: 'After login_required, store the result for this browser, and retry only after an action of the user.',
    source: 'OpenID Connect Core section 3.1.2.6',
    check: ({ authorizations }) =>
      checkAll(
        authorizations.filter((request) => request.parameters.values.prompt?.split(' ').includes('none')),
        (silent) =>
          findBurst(
            silent.filter(({ refusal }) => refusal?.rule === 'prompt-none-without-ui'),
            4,
            10_000,
          ),
        'prompt=none failed repeatedly within seconds',
      ),
  },
];

function isPlainHTTP(url: string): boolean {
  if (!url.startsWith('http://')) return false;
  const host = /^http:\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(url)?.[1] ?? '';
  return !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}
