import type { RuleID } from '../../protocol/rules.js';
import type { RecordedExchange } from '../observation.js';
import { type ExchangeIndex, parametersOf } from './exchange-index.js';
import { burst, checkEach, checkGroups, ofSeveralLogins, type Rule } from './rule.js';

const SCOPE_RULES: ReadonlySet<RuleID> = new Set<RuleID>([
  'scope-characters',
  'scope-known',
  'scope-allowed',
  'refresh-scope-subset',
]);
/** 128 bits in base64url. */
const LONG_ENOUGH = 22;

const asksForOpenID =
  ({ clientOf }: ExchangeIndex) =>
  (entry: RecordedExchange): boolean => {
    const { scope } = parametersOf(entry);
    return scope ? scope.split(' ').includes('openid') : clientOf(entry)?.flow === 'openid';
  };
const has = (name: string) => (entry: RecordedExchange) => entry.seen.requestDigests[name] !== undefined;
const isShort = (name: string) => (entry: RecordedExchange) => (entry.seen.lengths[name] ?? LONG_ENOUGH) < LONG_ENOUGH;
const shortest = (name: string) => (broken: readonly RecordedExchange[]) =>
  `${name} had ${Math.min(...broken.map(({ seen }) => seen.lengths[name] ?? 0))} characters`;

/** What a client makes up for one login, and must not use for another. */
export const AUTHORIZATION_REQUEST_RULES: readonly Rule[] = [
  {
    id: 'state-missing',
    severity: 'error',
    requirement: 'Every authorization request has a state.',
    fix: 'Send a random state, keep it in the browser that began the login, and compare it on the way back.',
    source: 'RFC 6749 section 10.12',
    check: ({ authorizations }) => checkEach(authorizations, (entry) => !has('state')(entry), 'There was no state'),
  },
  {
    id: 'state-reused',
    severity: 'error',
    requirement: 'Every login has a state of its own.',
    fix: 'Make a new random state for each login, and forget it once it came back.',
    source: 'RFC 9700 section 4.7.1',
    check: ({ authorizations }) =>
      checkGroups(
        authorizations.filter(has('state')),
        ({ seen }) => seen.requestDigests.state,
        ofSeveralLogins,
        () => 'The same state stood in the authorization requests of several logins',
      ),
  },
  {
    id: 'state-too-short',
    severity: 'error',
    requirement: 'A state is as long as 128 random bits: 22 characters of base64url.',
    fix: "Make it with crypto.randomBytes(32).toString('base64url').",
    source: 'RFC 6749 section 10.10',
    check: ({ authorizations }) => checkEach(authorizations.filter(has('state')), isShort('state'), shortest('state')),
  },
  {
    id: 'state-guessable',
    severity: 'warning',
    requirement: 'Two states have nothing in common.',
    fix: 'Make the whole of it random: who knows one state must not know half of the next.',
    source: 'RFC 6749 section 10.10',
    check: ({ authorizations }) =>
      checkGroups(
        authorizations.filter(({ seen }) => seen.prefixDigests.state !== undefined),
        ({ seen }) => seen.prefixDigests.state,
        (group) => (new Set(group.map(({ seen }) => seen.requestDigests.state)).size > 1 ? group : []),
        () => 'Different states began with the same half',
      ),
  },
  {
    id: 'nonce-missing',
    severity: 'warning',
    requirement: 'An authorization request for openid has a nonce.',
    fix: 'Send a random nonce and compare it with the one in the ID Token: it binds the ID Token to this login.',
    source: 'OpenID Connect Core section 3.1.2.1',
    check: (seen) =>
      checkEach(seen.authorizations.filter(asksForOpenID(seen)), (entry) => !has('nonce')(entry), 'There was no nonce'),
  },
  {
    id: 'nonce-reused',
    severity: 'error',
    requirement: 'Every login has a nonce of its own.',
    fix: 'Make a new random nonce for each login.',
    source: 'OpenID Connect Core section 15.5.2',
    check: ({ authorizations }) =>
      checkGroups(
        authorizations.filter(has('nonce')),
        ({ seen }) => seen.requestDigests.nonce,
        ofSeveralLogins,
        () => 'The same nonce stood in the authorization requests of several logins',
      ),
  },
  {
    id: 'nonce-too-short',
    severity: 'warning',
    requirement: 'A nonce is as long as 128 random bits: 22 characters of base64url.',
    fix: "Make it with crypto.randomBytes(32).toString('base64url').",
    source: 'OpenID Connect Core section 15.5.2',
    check: ({ authorizations }) => checkEach(authorizations.filter(has('nonce')), isShort('nonce'), shortest('nonce')),
  },
  {
    id: 'pkce-missing',
    severity: 'error',
    requirement: 'An authorization request of the openid flow has a code_challenge.',
    fix: 'Send code_challenge with code_challenge_method=S256, and the code_verifier with the code.',
    source: 'service spec: GET /oauth/authorize',
    check: ({ authorizations, clientOf }) =>
      checkEach(
        authorizations.filter((entry) => clientOf(entry)?.flow === 'openid'),
        (entry) => !has('code_challenge')(entry),
        'There was no code_challenge',
      ),
  },
  {
    id: 'pkce-reused',
    severity: 'error',
    requirement: 'Every login has a code_verifier of its own.',
    fix: 'Make a new random code_verifier for each login: who learns one must not redeem the code of another.',
    source: 'RFC 7636 section 7.1',
    check: ({ entries }) => {
      const about = entries.filter((entry) => has('code_challenge')(entry) || has('code_verifier')(entry));
      const by = (name: string, what: string) =>
        checkGroups(
          about,
          ({ seen }) => seen.requestDigests[name],
          ofSeveralLogins,
          () => what,
        ) ?? [];
      if (about.length === 0) return undefined;
      const challenges = by('code_challenge', 'The same code_challenge stood in several logins');
      return challenges.length > 0
        ? challenges
        : by('code_verifier', 'The same code_verifier was used in several logins');
    },
  },
  {
    id: 'redirect-uri-plain-http',
    severity: 'error',
    requirement: 'A redirect URI is https, except on the loopback interface.',
    fix: 'Register and send an https address: whoever is on the way reads the code in a plain one.',
    source: 'RFC 9700 section 2.6',
    check: ({ authorizations }) =>
      checkEach(
        authorizations.filter((entry) => parametersOf(entry).redirect_uri !== undefined),
        (entry) => isPlain(parametersOf(entry).redirect_uri ?? ''),
        'redirect_uri was plain http',
      ),
  },
  {
    id: 'scope-not-allowed',
    severity: 'error',
    requirement: 'A client asks for the scope that its registration allows.',
    fix: 'Ask for less, or have the client registered with this scope; a refresh cannot ask for more than was granted.',
    source: 'RFC 6749 section 3.3',
    check: ({ authorizations, refreshes }) =>
      checkEach(
        [...authorizations, ...refreshes],
        ({ refusal }) => refusal !== undefined && SCOPE_RULES.has(refusal.rule),
        'The scope holds a word that the client may not have',
      ),
  },
  {
    id: 'response-mode-fragment',
    severity: 'warning',
    requirement: 'A code comes back in the query, where the server reads it.',
    fix: 'Leave response_mode out: in a fragment the code goes to scripts of the page, and no server sees it.',
    source: 'OAuth 2.0 Multiple Response Types section 2.1',
    check: ({ authorizations }) =>
      checkEach(
        authorizations,
        (entry) => parametersOf(entry).response_mode === 'fragment' && parametersOf(entry).response_type === 'code',
        'A code was asked for in the fragment',
      ),
  },
  {
    id: 'page-framed',
    severity: 'error',
    requirement: 'The authorization page is never put in a frame.',
    fix: 'Open it in the window, or in a window of its own: a frame hides the address, and the page refuses to be shown.',
    source: 'service spec: Authentication, 4',
    check: ({ pages }) =>
      checkEach(
        pages.filter(({ record }) => record.headers['sec-fetch-dest'] !== undefined),
        ({ record }) => /^(iframe|frame|embed|object|fencedframe)$/.test(record.headers['sec-fetch-dest'] ?? ''),
        'A browser asked for the page to put it in a frame',
      ),
  },
  {
    id: 'silent-login-loop',
    severity: 'warning',
    requirement: 'A silent login that failed is not tried again at once.',
    fix: 'After login_required remember it for this visitor, and ask again only when they do something.',
    source: 'OpenID Connect Core section 3.1.2.6',
    check: ({ authorizations }) => {
      const silent = authorizations.filter((entry) => parametersOf(entry).prompt?.split(' ').includes('none'));
      if (silent.length === 0) return undefined;
      const failed = silent.filter(({ refusal }) => refusal?.rule === 'prompt-none-without-ui');
      const entries = burst(failed, 4, 10_000);
      return entries.length === 0 ? [] : [{ what: 'prompt=none failed again and again within seconds', entries }];
    },
  },
];

function isPlain(address: string): boolean {
  if (!address.startsWith('http://')) return false;
  const host = /^http:\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(address)?.[1] ?? '';
  return !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}
