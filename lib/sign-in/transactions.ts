import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Transaction, transactionID } from '../authorization-server/authorization-request.js';
import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { TransactionError } from '../errors.js';
import { isFromOtherSite } from './request-source.js';

/** How long a user may take to sign in, in milliseconds: long enough to create an account first. */
const LIFETIME_MS = 30 * 60 * 1000;
/** How many login attempts one browser may have in progress. */
const MAX_OPEN = 8;
/** How many bytes their cookies may use together: Node refuses request headers above 16 kB, and the site sets cookies, too. */
const MAX_BYTES = 8000;
const MAX_CONSUMED = 100_000;
const PREFIX = 'tx-';

/**
 * Stores the login attempts in progress, each in its own sealed cookie: no session is needed, and tabs are independent.
 * @internal
 */
interface Transactions {
  /** Saves a login attempt in the user's browser. */
  save(req: IncomingMessage, res: ServerResponse, transaction: Transaction): void;
  /** @returns the login attempt of a `state`, without using it up. */
  peek(req: IncomingMessage, state: string): Transaction | undefined;
  /** @returns every login attempt in progress in this browser. */
  open(req: IncomingMessage): Transaction[];
  /** @returns the login attempt of a `state`, once. Throws a {@link TransactionError} when this browser has none. */
  consumeTransaction(req: IncomingMessage, res: ServerResponse, state: string): Transaction;
}

export function transactionMissing(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    'This sign-in was not started in this browser, is already finished, or its cookie is blocked. Allow cookies for this site and start again.',
  );
}

export function createTransactions(options: { cookies: Cookies; clock: Clock; origin: string }): Transactions {
  const { cookies, clock, origin } = options;
  const consumed = new BoundedMap<string, number>(MAX_CONSUMED);
  const cookieOf = (id: string) => cookies.sealed(PREFIX + id, LIFETIME_MS / 1000);

  function read(req: IncomingMessage, id: string): Transaction | undefined {
    const value = cookieOf(id).read(req);
    return value === undefined ? undefined : (JSON.parse(value) as Transaction);
  }

  function peek(req: IncomingMessage, state: string): Transaction | undefined {
    const transaction = read(req, transactionID(state));
    return transaction?.state === state ? transaction : undefined;
  }

  /** Removes the oldest attempts, and cookies that do not open, until one more fits. Refused to a page of another site. */
  function makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number): void {
    const open = cookies.startingWith(req, PREFIX);
    let total = bytes + open.reduce((sum, one) => sum + one.bytes, 0);
    let count = open.length;
    const isFull = () => count >= MAX_OPEN || total > MAX_BYTES;
    if (!isFull()) return;
    if (isFromOtherSite(req, origin)) {
      throw new TransactionError(
        'too_many_transactions',
        "Too many sign-ins were started from another site. Start from one of this site's own pages.",
      );
    }
    const startedAt = open.map((one) => ({ ...one, at: read(req, one.suffix)?.createdAt ?? 0 }));
    for (const oldest of startedAt.sort((a, b) => a.at - b.at)) {
      if (!isFull()) return;
      cookieOf(oldest.suffix).clear(req, res);
      total -= oldest.bytes;
      count -= 1;
    }
  }

  /** Throws for a second use: two requests with one state can arrive before the browser has removed its cookie. */
  function refuseSecondUse(transaction: Transaction): void {
    const now = clock.now();
    for (const [id, expiresAt] of consumed) {
      if (expiresAt > now) break;
      consumed.delete(id);
    }
    if (consumed.has(transaction.id)) throw transactionMissing();
    consumed.set(transaction.id, now + LIFETIME_MS);
  }

  return {
    save(req, res, transaction) {
      const cookie = cookieOf(transaction.id);
      const value = JSON.stringify(transaction);
      const bytes = cookie.bytes(value);
      if (bytes === undefined) {
        throw new TransactionError(
          'transaction_too_large',
          'This sign-in contains too much data for a cookie: shorten returnTo or state.',
        );
      }
      makeRoom(req, res, bytes);
      cookie.set(res, value);
    },

    peek,

    open: (req) =>
      cookies.startingWith(req, PREFIX).flatMap(({ suffix }) => {
        const transaction = read(req, suffix);
        return transaction ? [transaction] : [];
      }),

    consumeTransaction(req, res, state) {
      const transaction = peek(req, state);
      if (!transaction) throw transactionMissing();
      cookieOf(transaction.id).clear(req, res);
      refuseSecondUse(transaction);
      if (clock.now() - transaction.createdAt > LIFETIME_MS) {
        throw new TransactionError('transaction_expired', 'This sign-in was started too long ago. Start again.');
      }
      return transaction;
    },
  };
}
