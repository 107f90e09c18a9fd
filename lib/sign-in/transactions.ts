import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type Transaction, transactionID } from '../authorization-server/transaction.js';
import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { TransactionError } from '../errors.js';
import type { Sealer } from '../token-vault/sealer.js';

/** How long a person may take to sign in, in milliseconds: long enough to make an account first. */
const LIFETIME = 30 * 60 * 1000;
/** How many login attempts one browser may have open. */
const MAX_OPEN = 8;
/** How many bytes they may take together: Node refuses requests whose headers pass 16 kB, and the site has cookies, too. */
const MAX_BYTES = 8000;
const SEALED_COOKIE_LIMIT = 4000;
const MAX_REMEMBERED = 100_000;

/** Login attempts under way, each in one sealed cookie of its own: no session is needed, and tabs do not meet. @internal */
export interface Transactions {
  /** Remembers a login attempt in the person's browser. */
  keep(req: IncomingMessage, res: ServerResponse, transaction: Transaction): void;
  /** Takes the login attempt that `state` names, once. Throws a {@link TransactionError} when this browser has none. */
  consumeTransaction(req: IncomingMessage, res: ServerResponse, state: string): Transaction;
}

function lost(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    'This sign-in was not started in this browser, was finished already, or its cookie is blocked. Start again, with cookies allowed for this site.',
  );
}

export function createTransactions(options: { sealer: Sealer; clock: Clock; secure: boolean }): Transactions {
  const { sealer, clock, secure } = options;
  const prefix = secure ? '__Host-clinician-tx-' : 'clinician-tx-';
  const taken = new BoundedMap<string, number>(MAX_REMEMBERED);

  function setCookie(res: ServerResponse, name: string, value: string, maxAge: number): void {
    const cookie = stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure });
    res.appendHeader('Set-Cookie', cookie);
  }

  function read(name: string, sealed: string): Transaction | undefined {
    if (sealed.length > SEALED_COOKIE_LIMIT) return undefined;
    const opened = sealer.open(sealed, name);
    return opened && (JSON.parse(opened.plain) as Transaction);
  }

  function openCookies(req: IncomingMessage): [name: string, value: string][] {
    const cookies = Object.entries(parseCookie(req.headers.cookie ?? ''));
    return cookies.filter(
      (cookie): cookie is [string, string] => cookie[0].startsWith(prefix) && cookie[1] !== undefined,
    );
  }

  /** Makes room by dropping the oldest attempts, and any that are not ours. Another site's page may not push them out. */
  function makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number): void {
    const open = openCookies(req);
    let taken = bytes + open.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    let count = open.length;
    const isFull = () => count >= MAX_OPEN || taken > MAX_BYTES;
    if (!isFull()) return;
    if (req.headers['sec-fetch-site'] === 'cross-site') {
      throw new TransactionError(
        'too_many_transactions',
        'Too many sign-ins were started from another site. Start from our own page.',
      );
    }
    const bornAt = ([name, value]: [string, string]) => read(name, value)?.bornAt ?? 0;
    const oldestFirst = open.sort((a, b) => bornAt(a) - bornAt(b));
    for (const [name, value] of oldestFirst) {
      if (!isFull()) return;
      setCookie(res, name, '', 0);
      taken -= name.length + value.length;
      count -= 1;
    }
  }

  function takeOnce(transaction: Transaction): void {
    const now = clock.now();
    for (const [id, expiry] of taken) {
      if (expiry > now) break;
      taken.delete(id);
    }
    if (taken.has(transaction.id)) throw lost();
    taken.set(transaction.id, now + LIFETIME);
  }

  return {
    keep(req, res, transaction) {
      const name = prefix + transaction.id;
      const value = sealer.seal(JSON.stringify(transaction), name);
      if (value.length > SEALED_COOKIE_LIMIT) {
        throw new TransactionError(
          'transaction_too_large',
          'This sign-in carries too much to remember: shorten returnTo or state.',
        );
      }
      makeRoom(req, res, name.length + value.length);
      setCookie(res, name, value, LIFETIME / 1000);
    },

    consumeTransaction(req, res, state) {
      const name = prefix + transactionID(state);
      const sealed = parseCookie(req.headers.cookie ?? '')[name];
      const transaction = sealed === undefined ? undefined : read(name, sealed);
      if (!transaction || transaction.state !== state) throw lost();
      setCookie(res, name, '', 0);
      takeOnce(transaction);
      if (clock.now() - transaction.bornAt > LIFETIME) {
        throw new TransactionError('transaction_expired', 'This sign-in was started too long ago. Start again.');
      }
      return transaction;
    },
  };
}
