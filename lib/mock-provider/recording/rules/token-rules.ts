import type { RuleID } from '../../protocol/rules.js';
import type { RecordedExchange } from '../observation.js';
import { checkEach, checkGroups, type ReportRule, sentParameters } from './rule.js';

/** Requests that are in progress when a token expires may fail too. */
const MAX_UNAUTHORIZED = 2;

/** The faults whose ID Token is forged: this package's client rejects each of them. */
export const FORGED_ID_TOKEN_FAULTS: ReadonlySet<string> = new Set([
  ...['badSignature', 'algNone', 'symmetricKeyConfusion', 'wrongAlgorithm', 'embeddedKey', 'malformedIDToken'],
  ...['unknownKid', 'criticalHeader', 'wrongIssuer', 'wrongAudience', 'extraAudience', 'wrongAzp', 'wrongNonce'],
  ...['wrongAtHash', 'expired', 'missingSub', 'missingAud', 'missingExp', 'missingIat', 'missingNonce'],
  'missingIDToken',
]);

/** The rules for codes and tokens, until the end of a login. */
export const TOKEN_RULES: readonly ReportRule[] = [
  {
    id: 'code-reused',
    severity: 'error',
    requirement: 'A code is redeemed once.',
    fix: 'Delete the transaction of the login before redeeming its code, so that a reloaded callback finds none.',
    source: 'RFC 6749 section 4.1.2',
    check: ({ redemptions }) =>
      checkGroups(
        redemptions,
        ({ observation }) => observation.requestFingerprints.code,
        successAndReuses,
        'A redeemed code was sent again',
      ),
  },
  {
    id: 'code-not-redeemed',
    severity: 'warning',
    requirement: 'Every issued code is redeemed.',
    fix: 'Check the response of the callback: the clinician approved, but the site did not redeem the code.',
    source: 'RFC 6749 section 4.1.3',
    check: ({ exchanges, redemptions }) => {
      const redeemed = new Set(redemptions.map(({ observation }) => observation.requestFingerprints.code));
      const faulty = new Set(exchanges.filter(({ record }) => record.fault).map(({ record }) => record.login));
      return checkEach(
        exchanges.filter(
          ({ observation, record }) => observation.responseFingerprints.code !== undefined && !faulty.has(record.login),
        ),
        ({ observation }) => !redeemed.has(observation.responseFingerprints.code),
        'A code was issued but not redeemed',
      );
    },
  },
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
    check: ({ tokenRequests, resources, refreshes, issueOf }) => {
      if (!tokenRequests.some(isForged)) return undefined;
      const issueFor = ({ observation: { requestFingerprints: sent } }: RecordedExchange) =>
        issueOf(sent.access_token ?? sent.refresh_token);
      const uses = [...resources, ...refreshes].filter((use) => isForged(issueFor(use)));
      const violations = checkGroups(
        uses,
        (use) => issueFor(use)?.record.number,
        (group) => [...group.slice(0, 1).flatMap((use) => issueFor(use) ?? []), ...group],
        ([issue]) => `The ID Token was forged (${issue?.record.fault}), but its tokens were used`,
      );
      return violations ?? [];
    },
  },
  {
    id: 'tokens-not-revoked',
    severity: 'error',
    requirement: 'Sign-out revokes tokens.',
    fix: 'POST the refresh token to the revocation endpoint before redirecting the clinician to the logout endpoint.',
    source: 'service spec: Authentication, 7',
    check: ({ logouts, tokenRequests, revocations, issueOf }) => {
      const lastIssue = new Map(
        tokenRequests
          .filter(({ observation }) => observation.responseFingerprints.access_token)
          .map((issue) => [issue.record.login, issue]),
      );
      lastIssue.delete(undefined);
      const revoked = new Set(revocations.map(({ observation }) => issueOf(observation.requestFingerprints.token)));
      return checkEach(
        logouts.filter(({ record }) => record.status === 302 && lastIssue.has(record.login)),
        ({ record }) => !revoked.has(lastIssue.get(record.login)),
        'A clinician signed out, but their tokens are still valid',
      );
    },
  },
  {
    id: 'logout-without-state',
    severity: 'warning',
    requirement: 'A logout request has a state.',
    fix: 'Send a random state, and compare it when the browser returns.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    check: ({ logouts }) =>
      checkEach(logouts, (request) => !sentParameters(request).state, 'A logout request had no state'),
  },
];

/** @returns true for a token response whose ID Token a fault forged. */
function isForged(issue: RecordedExchange | undefined): boolean {
  if (issue?.observation.responseFingerprints.access_token === undefined) return false;
  return issue.record.fault?.split(', ').some((fault) => FORGED_ID_TOKEN_FAULTS.has(fault)) === true;
}

/** Refusals of a reuse. They may be recorded before the success, whose response waits for the signature of the ID Token. */
const REUSE_REFUSALS: ReadonlySet<RuleID | undefined> = new Set<RuleID>([
  'code-single-use',
  'refresh-token-single-use',
]);

/**
 * @param group the requests with the same code or refresh token
 * @returns the successful one with its reuses, or none. A client whose response was lost to a fault may retry.
 */
function successAndReuses(group: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const index = group.findIndex(
    ({ observation, record }) => observation.responseFingerprints.access_token !== undefined && !record.fault,
  );
  const success = group[index];
  if (success === undefined) return [];
  const reuses = group.filter(({ refusal }, at) => at > index || REUSE_REFUSALS.has(refusal?.rule));
  return reuses.length === 0 ? [] : [success, ...reuses];
}
