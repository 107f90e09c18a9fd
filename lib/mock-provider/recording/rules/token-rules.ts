import type { RecordedExchange } from '../observation.js';
import { besidesSuccess } from './code-rules.js';
import type { ExchangeIndex } from './exchange-index.js';
import { checkEach, checkGroups, type Rule, type Violation } from './rule.js';

/** Several requests may be under way with a token that has just expired. */
const MOST_UNAUTHORIZED = 2;

/** ID Tokens that a client has to refuse (OpenID Connect Core sections 3.1.3.7 and 12.2). */
const FORGED: ReadonlySet<string> = new Set([
  ...['badSignature', 'algNone', 'symmetricKeyConfusion', 'wrongAlgorithm', 'embeddedKey', 'malformedIDToken'],
  ...['wrongIssuer', 'wrongAudience', 'wrongNonce', 'expired', 'refreshWrongSubject', 'refreshWrongIssuer'],
  ...['missingIss', 'missingSub', 'missingAud', 'missingExp', 'missingIat', 'missingNonce', 'missingIDToken'],
]);

/** How tokens are used. */
export const TOKEN_RULES: readonly Rule[] = [
  {
    id: 'refresh-token-reused',
    severity: 'error',
    requirement: 'A refresh token is used once.',
    fix: 'Let one refresh at a time run for a grant, across processes too, and let the others wait for what it brings.',
    source: 'RFC 9700 section 4.14.2',
    check: ({ refreshes }) =>
      checkGroups(
        refreshes,
        ({ seen }) => seen.requestDigests.refresh_token,
        besidesSuccess,
        () => 'A refresh token was sent again that had been replaced',
      ),
  },
  {
    id: 'refreshed-early',
    severity: 'warning',
    requirement: 'An access token is used for more than half of its life before it is replaced.',
    fix: 'Keep expires_in with the token, and refresh shortly before it ends, or when the API answers 401.',
    source: 'RFC 6749 section 1.5',
    check: (seen) =>
      checkEach(
        seen.refreshes.filter((entry) => isPlainRefresh(seen, entry)),
        (entry) => isEarly(seen, entry),
        'An access token was replaced that had more than half of its life left',
      ),
  },
  {
    id: 'token-after-revocation',
    severity: 'error',
    requirement: 'What was revoked is not used any more.',
    fix: 'Forget both tokens of the pair before revoking: one revocation ends both.',
    source: 'RFC 7009 section 2.1',
    check: ({ entries, revocations, pairOf }) => {
      const ended = new Map(
        revocations
          .filter(({ record }) => record.status === 200)
          .map(({ seen, record }) => [pairOf(seen.requestDigests.token), record.number]),
      );
      return checkEach(
        revocations.length === 0 ? [] : entries,
        ({ seen, record }) => {
          const pair = pairOf(seen.requestDigests.access_token ?? seen.requestDigests.refresh_token);
          return pair !== undefined && record.number > (ended.get(pair) ?? Number.POSITIVE_INFINITY);
        },
        'A token was used after its pair had been revoked',
      );
    },
  },
  {
    id: 'expired-token-reused',
    severity: 'error',
    requirement: 'After a 401 an access token is replaced.',
    fix: 'Refresh once and try again with the new token; when that fails, send the clinician to sign in.',
    source: 'RFC 6750 section 3.1',
    check: ({ resources, pairOf }) =>
      checkGroups(
        resources.filter(({ seen }) => pairOf(seen.requestDigests.access_token) !== undefined),
        ({ seen }) => seen.requestDigests.access_token,
        (group) => {
          const unauthorized = group.filter(({ record }) => record.status === 401 && !record.fault);
          return unauthorized.length > MOST_UNAUTHORIZED ? unauthorized : [];
        },
        (broken) => `An access token was sent ${broken.length} times that was answered with 401`,
      ),
  },
  {
    id: 'refused-grant-repeated',
    severity: 'warning',
    requirement: 'What was refused with invalid_grant is not sent again.',
    fix: 'Send the clinician to sign in: no code and no refresh token gets better by trying.',
    source: 'RFC 6749 section 5.2',
    check: ({ tokens }) =>
      checkGroups(
        tokens,
        ({ seen }) => seen.requestDigests.code ?? seen.requestDigests.refresh_token,
        (group) => {
          const refused = group.filter(({ record }) => record.answer.error === 'invalid_grant' && !record.fault);
          return refused.length > 1 ? refused : [];
        },
        () => 'A code or refresh token was sent again after invalid_grant',
      ),
  },
  {
    id: 'forged-id-token-accepted',
    severity: 'error',
    requirement: 'What came with a forged ID Token is not used.',
    fix: 'Validate the ID Token in full before anything else of the response is used.',
    source: 'OpenID Connect Core section 3.1.3.7',
    check: ({ tokens, resources, refreshes }) => {
      const forged = tokens.filter(
        ({ record, seen }) => seen.responseDigests.access_token && faultsOf(record.fault).some(isForged),
      );
      return forged.length === 0 ? undefined : forged.flatMap((entry) => accepted(entry, [...resources, ...refreshes]));
    },
  },
];

const faultsOf = (fault: string | undefined) => fault?.split(', ') ?? [];
const isForged = (fault: string) => FORGED.has(fault);

function accepted(forged: RecordedExchange, uses: readonly RecordedExchange[]): readonly Violation[] {
  const { access_token, refresh_token } = forged.seen.responseDigests;
  const used = uses.filter(
    ({ seen: { requestDigests: brought } }) =>
      brought.access_token === access_token || (refresh_token && brought.refresh_token === refresh_token),
  );
  if (used.length === 0) return [];
  return [
    { what: `The ID Token was forged (${forged.record.fault}), and its tokens were used`, entries: [forged, ...used] },
  ];
}

/** Neither fault nor refusal had a hand in it. */
function isPlainRefresh({ pairOf }: ExchangeIndex, { seen, record }: RecordedExchange): boolean {
  const issued = pairOf(seen.requestDigests.refresh_token)?.issued;
  const life = issued?.record.answer.expires_in;
  return (
    seen.responseDigests.access_token !== undefined &&
    !record.fault &&
    !issued?.record.fault &&
    typeof life === 'number'
  );
}

function isEarly({ pairOf, resources }: ExchangeIndex, { seen, record }: RecordedExchange): boolean {
  const pair = pairOf(seen.requestDigests.refresh_token);
  if (pair === undefined) return false;
  const issued = pair.issued.record;
  const left = 1 - (record.at - issued.at) / (Number(issued.answer.expires_in) * 1000);
  const wasRefused = resources.some(
    (use) =>
      use.seen.requestDigests.access_token === pair.access &&
      use.record.status === 401 &&
      use.record.number < record.number,
  );
  return left > 0.5 && !wasRefused;
}
