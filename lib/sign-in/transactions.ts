import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Transaction, transactionID } from '../authorization-server/authorization-request.js';
import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { TransactionError } from '../errors.js';
import { isFromOtherSite } from './request-source.js';

/** How long a user may take to sign in, in milliseconds: long enough to create an account first. */
const LIFETIME_MS = 30 * 60 * 1000;
const MAX_CONSUMED = 100_000;
const PREFIX = 'tx-';

/**
 * Stores the login attempts in progress, each in its own sealed cookie: no session is needed, and tabs are independent.
 * @internal
 */
interface Transactions {
  /** Saves a login attempt in the user's browser. Older attempts are removed if the cookies would be too long together. */
  save(req: IncomingMessage, res: ServerResponse, transaction: Transaction): void;
  /**
   * Removes the oldest attempts of any instance on this host, except for one, until a cookie of this many bytes fits. Refused to a
   * page of another site.
   * @returns false when it does not fit
   */
  makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number | undefined, exceptState?: string): boolean;
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

function secretUnknown(): TransactionError {
  return new TransactionError(
    'transaction_secret_unknown',
    'This sign-in was started by a server whose secret this server does not have. Start again.',
  );
}

export function createTransactions(options: { cookies: Cookies; clock: Clock; origin: string }): Transactions {
  const { cookies, clock, origin } = options;
  const consumed = new BoundedMap<string, number>(MAX_CONSUMED);
  /** The callback reads the attempt of its request before it uses it up. */
  const opened = new WeakMap<IncomingMessage, Transaction>();
  const cookieOf = (id: string) => cookies.sealed(PREFIX + id, LIFETIME_MS / 1000);

  function read(req: IncomingMessage, id: string): Transaction | undefined {
    const value = cookieOf(id).read(req);
    return value === undefined ? undefined : (JSON.parse(value) as Transaction);
  }

  function peek(req: IncomingMessage, state: string): Transaction | undefined {
    const known = opened.get(req);
    const transaction = known?.state === state ? known : read(req, transactionID(state));
    if (transaction?.state !== state) return undefined;
    opened.set(req, transaction);
    return transaction;
  }

  function makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number | undefined, exceptState = ''): boolean {
    if (bytes === undefined) return false;
    if (cookies.hasRoom(req, res, bytes)) return true;
    if (isFromOtherSite(req, origin)) {
      throw new TransactionError(
        'too_many_transactions',
        "Too many sign-ins were started from another site. Start from one of this site's own pages.",
      );
    }
    return cookies.makeRoom(req, res, bytes, exceptState && PREFIX + transactionID(exceptState));
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
      if (!makeRoom(req, res, cookie.bytes(value))) {
        throw new TransactionError(
          'transaction_too_large',
          'This sign-in contains too much data for a cookie: shorten returnTo or state.',
        );
      }
      cookie.set(res, value);
    },

    makeRoom,

    peek,

    open: (req) =>
      cookies.startingWith(req, PREFIX).flatMap((id) => {
        const transaction = read(req, id);
        return transaction ? [transaction] : [];
      }),

    consumeTransaction(req, res, state) {
      const transaction = peek(req, state);
      if (!transaction) {
        throw cookieOf(transactionID(state)).isOfUnknownSecret(req) ? secretUnknown() : transactionMissing();
      }
      cookieOf(transaction.id).clear(req, res);
      refuseSecondUse(transaction);
      if (clock.now() - transaction.createdAt > LIFETIME_MS) {
        throw new TransactionError('transaction_expired', 'This sign-in was started too long ago. Start again.');
      }
      return transaction;
    },
  };
}
