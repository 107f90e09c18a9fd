import type { RecordedExchange } from '../observation.js';
import { successAndReuses } from './code-rules.js';
import { checkEach, checkGroups, type ReportRule, type Violation } from './rule.js';

/** Requests that are in progress when a token expires may fail too. */
const MAX_UNAUTHORIZED = 2;

/** The faults whose ID Token is forged: this package's client rejects each of them. */
export const FORGED_ID_TOKEN_FAULTS: ReadonlySet<string> = new Set([
  ...['badSignature', 'algNone', 'symmetricKeyConfusion', 'wrongAlgorithm', 'embeddedKey', 'malformedIDToken'],
  ...['unknownKid', 'criticalHeader', 'wrongIssuer', 'wrongAudience', 'extraAudience', 'wrongAzp', 'wrongNonce'],
  ...[
    'wrongAtHash',
    'expired',
    'missingSub',
    'missingAud',
    'missingExp',
    'missingIat',
    'missingNonce',
    'missingIDToken',
  ],
]);

/** The rules for the use of tokens. */
export const TOKEN_RULES: readonly ReportRule[] = [
  {
    id: 'refresh-token-reused',
    severity: 'error',
    requirement: 'A refresh token is used once.',
    fix: 'Run one refresh at a time for a grant, in all processes, and let other requests wait for its result.',
    source: 'RFC 9700 section 4.14.2',
    check: ({ refreshes }) =>
      checkGroups(
        refreshes,
        ({ observation }) => observation.requestFingerprints.refresh_token,
        successAndReuses,
        'A replaced refresh token was sent again',
      ),
  },
  {
    id: 'token-after-revocation',
    severity: 'error',
    requirement: 'A revoked token is not used again.',
    fix: 'Delete both tokens of the pair before revoking one: the revocation ends both.',
    source: 'RFC 7009 section 2.1',
    check: ({ exchanges, revocations, issueOf }) => {
      const revokedBy = new Map(
        revocations
          .filter(({ record }) => record.status === 200)
          .map(({ observation, record }) => [issueOf(observation.requestFingerprints.token), record.number]),
      );
      return checkEach(
        revocations.length === 0 ? [] : exchanges,
        ({ observation: { requestFingerprints }, record }) => {
          const issue = issueOf(requestFingerprints.access_token ?? requestFingerprints.refresh_token);
          return issue !== undefined && record.number > (revokedBy.get(issue) ?? Number.POSITIVE_INFINITY);
        },
        'A token was used after its pair was revoked',
      );
    },
  },
  {
    id: 'expired-token-reused',
    severity: 'error',
    requirement: 'After a 401 response the access token is replaced.',
    fix: 'Refresh once and retry with the new token. When that fails, start a new sign-in.',
    source: 'RFC 6750 section 3.1',
    check: ({ resources, issueOf }) =>
      checkGroups(
        resources.filter(({ observation }) => issueOf(observation.requestFingerprints.access_token) !== undefined),
        ({ observation }) => observation.requestFingerprints.access_token,
        (group) => {
          const unauthorized = group.filter(({ record }) => record.status === 401 && !record.fault);
          return unauthorized.length > MAX_UNAUTHORIZED ? unauthorized : [];
        },
        (violating) => `The same access token got a 401 response ${violating.length} times`,
      ),
  },
  {
    id: 'refused-grant-repeated',
    severity: 'warning',
    requirement: 'A code or refresh token that was refused with invalid_grant is not sent again.',
    fix: 'Start a new sign-in: repeating the request cannot succeed.',
    source: 'RFC 6749 section 5.2',
    check: ({ tokenRequests }) =>
      checkGroups(
        tokenRequests,
        ({ observation: { requestFingerprints } }) => requestFingerprints.code ?? requestFingerprints.refresh_token,
        (group) => {
          const refused = group.filter(({ record }) => record.response.error === 'invalid_grant' && !record.fault);
          return refused.length > 1 ? refused : [];
        },
        'A code or refresh token was sent again after invalid_grant',
      ),
  },
  {
    id: 'forged-id-token-accepted',
    severity: 'error',
    requirement: 'Tokens from a response with a forged ID Token are not used.',
    fix: 'Validate the ID Token in full before using another part of the response.',
    source: 'OpenID Connect Core section 3.1.3.7',
    check: ({ tokenRequests, resources, refreshes }) => {
      const forged = tokenRequests.filter(
        ({ record, observation }) =>
          observation.responseFingerprints.access_token !== undefined &&
          record.fault?.split(', ').some((fault) => FORGED_ID_TOKEN_FAULTS.has(fault)),
      );
      if (forged.length === 0) return undefined;
      const uses = usesByToken([...resources, ...refreshes]);
      return forged.flatMap((one) => findUses(one, uses));
    },
  },
];

/** @returns the requests that sent a token, by its fingerprint. */
function usesByToken(exchanges: readonly RecordedExchange[]): ReadonlyMap<number, readonly RecordedExchange[]> {
  const uses = new Map<number, RecordedExchange[]>();
  for (const exchange of exchanges) {
    const { access_token, refresh_token } = exchange.observation.requestFingerprints;
    for (const token of new Set([access_token, refresh_token])) {
      if (token === undefined) continue;
      const known = uses.get(token);
      if (known) known.push(exchange);
      else uses.set(token, [exchange]);
    }
  }
  return uses;
}

function findUses(
  forged: RecordedExchange,
  usesOf: ReadonlyMap<number, readonly RecordedExchange[]>,
): readonly Violation[] {
  const { access_token, refresh_token } = forged.observation.responseFingerprints;
  const uses = [access_token, refresh_token].flatMap((token) => (token === undefined ? [] : (usesOf.get(token) ?? [])));
  if (uses.length === 0) return [];
  return [
    {
      what: `The ID Token was forged (${forged.record.fault}), but its tokens were used`,
      exchanges: [forged, ...uses],
    },
  ];
}
