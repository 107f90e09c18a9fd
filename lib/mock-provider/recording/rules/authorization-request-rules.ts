import { isLocalHTTP } from '../../http/redirect-uri.js';
import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';
import {
  checkAll,
  checkEach,
  checkGroups,
  findBurst,
  ofSeveralLogins,
  type ReportRule,
  sentParameters,
} from './rule.js';

type Exchanges = readonly RecordedExchange[];

/** 128 random bits in base64url. */
const MIN_RANDOM_LENGTH = 22;

const isSent = (name: string) => (exchange: RecordedExchange) =>
  exchange.observation.requestFingerprints[name] !== undefined;

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
  const lengthOf = ({ observation }: RecordedExchange) => observation.lengths[name] ?? 0;
  return checkEach(
    requests.filter(isSent(name)),
    (request) => lengthOf(request) < MIN_RANDOM_LENGTH,
    (violating) => `${name} had ${violating.map(lengthOf).reduce((one, other) => Math.min(one, other))} characters`,
  );
}

function requestsOpenID({ clientOf }: ExchangeIndex, request: RecordedExchange): boolean {
  const { scope } = sentParameters(request);
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
    requirement: 'A redirect URI uses https, except on this machine and in a network of containers.',
    fix: 'Register and send an https URL: over plain http the network can read the code.',
    source: 'RFC 9700 section 2.6',
    check: ({ authorizations }) =>
      checkEach(
        authorizations.filter((request) => sentParameters(request).redirect_uri !== undefined),
        (request) => isPublicHTTP(sentParameters(request).redirect_uri ?? ''),
        'redirect_uri used plain http',
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
        authorizations.filter((request) => sentParameters(request).prompt?.split(' ').includes('none')),
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

function isPublicHTTP(url: string): boolean {
  return url.startsWith('http://') && !isLocalHTTP(url, 'container');
}
