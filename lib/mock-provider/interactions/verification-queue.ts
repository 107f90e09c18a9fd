import type { ProviderInstance } from '../provider-instance.js';
import type { Account } from '../state/account.js';

/** Some go to a manual queue that can take up to three days (service spec: profile). */
export const MAX_WAIT = '3 days';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Where somebody stands in the verification queue, in words for a page. */
export interface QueueStatus {
  isVerified: boolean;
  /** How many are before them. */
  before: number;
  /** How long it can still take; undefined when nobody knows. */
  remaining: string | undefined;
}

export function queueStatus(instance: ProviderInstance, account: Account): QueueStatus {
  const isBefore = (name: string) => {
    const other = instance.accounts.byUsername(name);
    return other !== undefined && other !== account && !other.isVerified && other.verifiedAt <= account.verifiedAt;
  };
  return {
    isVerified: account.isVerified,
    before: instance.accounts.names().filter(isBefore).length,
    remaining: Number.isFinite(account.verifiedAt) ? inWords(account.verifiedAt - instance.clock.now()) : undefined,
  };
}

/** @returns a length of time as one says it, rounded up: `2 days and 3 hours`. */
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
