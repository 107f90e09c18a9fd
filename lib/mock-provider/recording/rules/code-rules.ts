import type { Entry } from '../observation.js';
import { each, type Rule, together } from './rule.js';

const LATE = 60_000;

/** How codes are used. */
export const CODE_RULES: readonly Rule[] = [
  {
    id: 'code-reused',
    severity: 'error',
    says: 'A code is redeemed once.',
    cure: 'Take the transaction of a login away before redeeming its code, so that a reloaded callback finds none.',
    source: 'RFC 6749 section 4.1.2',
    check: ({ redemptions }) =>
      together(
        redemptions,
        ({ seen }) => seen.brought.code,
        besidesSuccess,
        () => 'A code was sent again that had been redeemed',
      ),
  },
  {
    id: 'code-not-redeemed',
    severity: 'warning',
    says: 'A code that was given is redeemed.',
    cure: 'Look at what the callback answered: the clinician approved, and the site did nothing with it.',
    source: 'RFC 6749 section 4.1.3',
    check: ({ entries, redemptions }) => {
      const redeemed = new Set(redemptions.map(({ seen }) => seen.brought.code));
      const spoilt = new Set(entries.filter(({ record }) => record.fault).map(({ record }) => record.login));
      return each(
        entries.filter(({ seen, record }) => seen.given.code !== undefined && !spoilt.has(record.login)),
        ({ seen }) => !redeemed.has(seen.given.code),
        'A code was given, and nobody redeemed it',
      );
    },
  },
  {
    id: 'code-redeemed-late',
    severity: 'warning',
    says: 'A code is redeemed within a minute.',
    cure: 'Redeem it in the callback itself: it lives for a few minutes only, and a slow site loses logins.',
    source: 'RFC 6749 section 4.1.2',
    check: ({ entries, redemptions }) => {
      const given = new Map(entries.map((entry) => [entry.seen.given.code, entry]));
      given.delete(undefined);
      return each(
        redemptions.filter(({ seen }) => given.has(seen.brought.code)),
        (entry) => entry.record.at - (given.get(entry.seen.brought.code)?.record.at ?? 0) > LATE,
        'A code was redeemed more than a minute after it was given',
      );
    },
  },
  {
    id: 'redirect-uri-differs',
    severity: 'error',
    says: 'redirect_uri is the same, byte for byte, with the code as in the authorization request.',
    cure: 'Take both from one setting; a proxy that changes the Host header must not change it.',
    source: 'RFC 6749 section 4.1.3',
    check: ({ redemptions }) =>
      each(
        redemptions.filter(({ record }) => record.login !== undefined),
        ({ refusal }) => refusal?.reason.startsWith('redirect_uri differs') === true,
        'redirect_uri was not the one of the authorization request',
      ),
  },
];

/** Used before: it may be recorded before the success, which has an ID Token to wait for. */
const USED_BEFORE: ReadonlySet<number | undefined> = new Set([50, 55]);

/** @returns a success and all else with the same code or token; who never got the answer may try again. */
export function besidesSuccess(group: readonly Entry[]): readonly Entry[] {
  const success = group.findIndex(({ seen, record }) => seen.given.access_token !== undefined && !record.fault);
  if (success < 0) return [];
  const others = group.filter(({ refusal }, index) => index > success || USED_BEFORE.has(refusal?.decision));
  return others.length === 0 ? [] : [group[success] as Entry, ...others];
}
