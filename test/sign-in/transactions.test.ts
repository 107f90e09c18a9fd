import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { type Transaction, transactionID } from '../../lib/authorization-server/authorization-request.js';
import { Cookies } from '../../lib/cookies.js';
import { Secret } from '../../lib/secret.js';
import { createTransactions } from '../../lib/sign-in/transactions.js';
import { movableClock } from '../token-vault/movable-clock.js';

const clock = movableClock(1_800_000_000_000);
const cookies = new Cookies({
  secure: true,
  instance: 'one-id',
  secrets: [new Secret('planted-sealing-secret-0123456789-0123456789')],
});
const missing = expect.objectContaining({ code: 'transaction_missing' });

function transactionOf(state: string): Transaction {
  const [issuer, redirectURI] = ['https://auth.example', 'https://app.example/cb'];
  const id = transactionID(state);
  return { id, state, issuer, redirectURI, clientID: 'c', flow: 'openid', scope: [], createdAt: clock.now() };
}

function response() {
  const lines: string[] = [];
  const res = { appendHeader: (_: string, line: string) => lines.push(line), getHeader: () => lines };
  return { lines, res: res as unknown as ServerResponse };
}

/** @returns the request of a browser that has saved these transactions. */
function requestWith(...saved: Transaction[]): IncomingMessage {
  const { res, lines } = response();
  const transactions = createTransactions({ cookies, clock, origin: 'https://app.example' });
  for (const transaction of saved) transactions.save({ headers: {} } as IncomingMessage, res, transaction);
  return { headers: { cookie: lines.map((line) => line.split(';')[0]).join('; ') } } as IncomingMessage;
}

describe('a saved transaction', () => {
  test('is returned for its state, once, and its cookie removed', () => {
    const transactions = createTransactions({ cookies, clock, origin: 'https://app.example' });
    const [one, other] = [transactionOf('one'), transactionOf('other')];
    const req = requestWith(one, other);
    const { res, lines } = response();
    expect(transactions.consumeTransaction(req, res, 'one')).toEqual(one);
    const name = `__Host-clinician-one-id-tx-${one.id}`;
    expect(lines).toEqual([`${name}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`]);
    expect(() => transactions.consumeTransaction(req, res, 'one')).toThrow(missing);
    expect(transactions.consumeTransaction(req, res, 'other')).toEqual(other);
  });

  test('is not returned for another state, even in the cookie of that state', () => {
    const transactions = createTransactions({ cookies, clock, origin: 'https://app.example' });
    const req = requestWith({ ...transactionOf('one'), id: transactionID('other') });
    expect(() => transactions.consumeTransaction(req, response().res, 'one')).toThrow(missing);
    expect(() => transactions.consumeTransaction(req, response().res, 'other')).toThrow(missing);
  });
});
