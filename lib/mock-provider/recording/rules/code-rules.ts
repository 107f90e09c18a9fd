import type { RuleID } from '../../protocol/rules.js';
import type { RecordedExchange } from '../observation.js';
import { checkEach, checkGroups, type ReportRule } from './rule.js';

/** The rules for the use of authorization codes. */
export const CODE_RULES: readonly ReportRule[] = [
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
];

/** Refusals of a reuse. They may be recorded before the success, whose response waits for the signature of the ID Token. */
const REUSE_REFUSALS: ReadonlySet<RuleID | undefined> = new Set<RuleID>([
  'code-single-use',
  'refresh-token-single-use',
]);

/**
 * @param group the requests with the same code or refresh token
 * @returns the successful one with its reuses, or none. A client whose response was lost to a fault may retry.
 */
export function successAndReuses(group: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const index = group.findIndex(
    ({ observation, record }) => observation.responseFingerprints.access_token !== undefined && !record.fault,
  );
  const success = group[index];
  if (success === undefined) return [];
  const reuses = group.filter(({ refusal }, at) => at > index || REUSE_REFUSALS.has(refusal?.rule));
  return reuses.length === 0 ? [] : [success, ...reuses];
}
