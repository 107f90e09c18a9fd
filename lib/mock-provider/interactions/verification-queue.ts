import type { Account } from '../state/account.js';
import type { AccountStore } from '../state/accounts.js';

/** Limits the time in the manual queue (service spec: profile). */
export const MAX_WAIT = '3 days';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The position of a user in the verification queue. */
interface QueueStatus {
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
    remaining: Number.isFinite(account.verifiedAt) ? formatDuration(account.verifiedAt - now) : undefined,
  };
}

/** Formats a duration in its two largest units, rounded up. */
function formatDuration(milliseconds: number): string {
  const units = [
    { name: 'day', length: DAY_MS, smaller: { name: 'hour', length: HOUR_MS } },
    { name: 'hour', length: HOUR_MS, smaller: { name: 'minute', length: MINUTE_MS } },
  ];
  for (const { name, length, smaller } of units) {
    if (milliseconds <= length - smaller.length) continue;
    const rounded = Math.ceil(milliseconds / smaller.length) * smaller.length;
    const rest = Math.round((rounded % length) / smaller.length);
    const large = formatCount(Math.floor(rounded / length), name);
    return rest === 0 ? large : `${large} and ${formatCount(rest, smaller.name)}`;
  }
  return formatCount(Math.max(1, Math.ceil(milliseconds / MINUTE_MS)), 'minute');
}

function formatCount(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
