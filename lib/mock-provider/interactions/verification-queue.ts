import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';

/** The longest time in the manual queue (service spec: profile). */
export const MAX_WAIT = '3 days';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The position of a user in the verification queue. */
export interface QueueStatus {
  isVerified: boolean;
  /** The number of users before this one. */
  before: number;
  /** The longest remaining time, such as `2 days and 3 hours`; undefined when it is unknown. */
  remaining: string | undefined;
}

export function queueStatus(
  account: Account,
  accounts: Pick<AccountStore, 'names' | 'byUsername'>,
  now: number,
): QueueStatus {
  const isBefore = (name: string) => {
    const other = accounts.byUsername(name);
    return other !== undefined && other !== account && !other.isVerified && other.verifiedAt <= account.verifiedAt;
  };
  return {
    isVerified: account.isVerified,
    before: accounts.names().filter(isBefore).length,
    remaining: Number.isFinite(account.verifiedAt) ? inWords(account.verifiedAt - now) : undefined,
  };
}

/** Rounds up. */
function inWords(milliseconds: number): string {
  const units = [
    { name: 'day', length: DAY, smaller: { name: 'hour', length: HOUR } },
    { name: 'hour', length: HOUR, smaller: { name: 'minute', length: MINUTE } },
  ];
  for (const { name, length, smaller } of units) {
    if (milliseconds <= length - smaller.length) continue;
    const rounded = Math.ceil(milliseconds / smaller.length) * smaller.length;
    const rest = Math.round((rounded % length) / smaller.length);
    const large = count(Math.floor(rounded / length), name);
    return rest === 0 ? large : `${large} and ${count(rest, smaller.name)}`;
  }
  return count(Math.max(1, Math.ceil(milliseconds / MINUTE)), 'minute');
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
