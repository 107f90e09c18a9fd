import type { RuleID } from '../../protocol/rules.js';
import type { RecordedExchange } from '../observation.js';
import { checkEach, checkGroups, type Rule } from './rule.js';

const LATE = 60_000;

/** How codes are used. */
export const CODE_RULES: readonly Rule[] = [
  {
    id: 'code-reused',
    severity: 'error',
    requirement: 'A code is redeemed once.',
    fix: 'Take the transaction of a login away before redeeming its code, so that a reloaded callback finds none.',
    source: 'RFC 6749 section 4.1.2',
    check: ({ redemptions }) =>
      checkGroups(
        redemptions,
        ({ seen }) => seen.requestDigests.code,
        besidesSuccess,
        () => 'A code was sent again that had been redeemed',
      ),
  },
  {
    id: 'code-not-redeemed',
    severity: 'warning',
    requirement: 'A code that was given is redeemed.',
    fix: 'Look at what the callback answered: the clinician approved, and the site did nothing with it.',
    source: 'RFC 6749 section 4.1.3',
    check: ({ entries, redemptions }) => {
      const redeemed = new Set(redemptions.map(({ seen }) => seen.requestDigests.code));
      const altered = new Set(entries.filter(({ record }) => record.fault).map(({ record }) => record.login));
      return checkEach(
        entries.filter(({ seen, record }) => seen.responseDigests.code !== undefined && !altered.has(record.login)),
        ({ seen }) => !redeemed.has(seen.responseDigests.code),
        'A code was given, and nobody redeemed it',
      );
    },
  },
  {
    id: 'code-redeemed-late',
    severity: 'warning',
    requirement: 'A code is redeemed within a minute.',
    fix: 'Redeem it in the callback itself: it lives for a few minutes only, and a slow site loses logins.',
    source: 'RFC 6749 section 4.1.2',
    check: ({ entries, redemptions }) => {
      const given = new Map(entries.map((entry) => [entry.seen.responseDigests.code, entry]));
      given.delete(undefined);
      return checkEach(
        redemptions.filter(({ seen }) => given.has(seen.requestDigests.code)),
        (entry) => entry.record.at - (given.get(entry.seen.requestDigests.code)?.record.at ?? 0) > LATE,
        'A code was redeemed more than a minute after it was given',
      );
    },
  },
  {
    id: 'redirect-uri-differs',
    severity: 'error',
    requirement: 'redirect_uri is the same, byte for byte, with the code as in the authorization request.',
    fix: 'Take both from one setting; a proxy that changes the Host header must not change it.',
    source: 'RFC 6749 section 4.1.3',
    check: ({ redemptions }) =>
      checkEach(
        redemptions.filter(({ record }) => record.login !== undefined),
        ({ refusal }) => refusal?.rule === 'code-redirect-uri-matches',
        'redirect_uri was not the one of the authorization request',
      ),
  },
];

/** Used before: it may be recorded before the success, which has an ID Token to wait for. */
const USED_BEFORE: ReadonlySet<RuleID | undefined> = new Set(['code-single-use', 'refresh-token-single-use'] as const);

/** @returns a success and all else with the same code or token; who never got the answer may try again. */
export function besidesSuccess(group: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const success = group.findIndex(
    ({ seen, record }) => seen.responseDigests.access_token !== undefined && !record.fault,
  );
  if (success < 0) return [];
  const others = group.filter(({ refusal }, index) => index > success || USED_BEFORE.has(refusal?.rule));
  return others.length === 0 ? [] : [group[success] as RecordedExchange, ...others];
}
