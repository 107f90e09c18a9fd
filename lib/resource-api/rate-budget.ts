import type { Clock } from '../clock.js';
import { type RateLimit, RateLimitedError } from './rate-limit.js';
import { spacing } from './spacing.js';

/** What one grant may still ask, as far as the service's answers have told. */
export interface RateBudget {
  /**
   * Takes the turn of one call.
   * @returns how long the call has to wait for it, in milliseconds
   * @throws RateLimitedError when nothing is left and the end of the window is further away than `patience`
   */
  turn(maxWait: number): number;
  /** What an answer said. */
  note(status: RateLimit | undefined): void;
  /** The service refused. Until then it is not asked again: whoever goes on asking is blacklisted one day. */
  exhausted(resetAt: number): void;
}

export interface RateBudgets {
  slot(grantID: string): RateBudget;
}

export interface RateBudgetsOptions {
  clock: Clock;
  /** How many grants' budgets are kept; the one unused for longest goes first. @default 10000 */
  maxEntries?: number;
}

interface Entry {
  status?: RateLimit | undefined;
  nextTurn: number;
}

/** The longest that calls at the same time wait for each other. */
const LONGEST_QUEUE = 5_000;

export function createRateBudgets({ clock, maxEntries = 10_000 }: RateBudgetsOptions): RateBudgets {
  /** In the order of their last use. */
  const entries = new Map<string, Entry>();

  function entryOf(grantID: string): Entry {
    const entry = entries.get(grantID) ?? { nextTurn: 0 };
    entries.delete(grantID);
    entries.set(grantID, entry);
    const oldest = entries.keys().next().value;
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  return {
    slot: (grantID) => ({
      turn: (patience) => turnOf(entryOf(grantID), patience, clock.now()),
      note(status) {
        if (status !== undefined) entryOf(grantID).status = status;
      },
      exhausted(resetAt) {
        const entry = entryOf(grantID);
        entry.status = { limit: entry.status?.limit ?? 0, remaining: 0, resetAt };
      },
    }),
  };
}

function turnOf(entry: Entry, patience: number, now: number): number {
  const { status } = entry;
  if (status === undefined || status.resetAt <= now) return 0;
  if (status.remaining === 0) {
    if (status.resetAt - now > patience) throw new RateLimitedError(status.resetAt);
    return status.resetAt - now;
  }
  const turn = Math.min(Math.max(now, entry.nextTurn), now + LONGEST_QUEUE);
  entry.nextTurn = turn + spacing(status, now);
  return turn - now;
}
