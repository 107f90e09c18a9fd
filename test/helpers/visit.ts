import type { SessionLogin } from '../../lib/session/logins.js';
import { type Visit, Visits } from '../../lib/session/visit.js';
import { createExchange, type TestExchange } from './exchange.js';

/** A request that the middleware has received. */
export interface TestVisit extends TestExchange {
  visit: Visit;
  /** What `next()` was called with, in order. */
  passedOn: unknown[];
}

const LOGIN: SessionLogin = { grantID: 'g', id: '1', since: 0, scope: [] };

type Request = NonNullable<Parameters<typeof createExchange>[0]>;

/** @param login of the session; `hasEnded` if its tokens have ended */
export function createVisit({
  login,
  hasEnded = false,
  session,
  ...request
}: Request & { login?: Partial<SessionLogin> | undefined; hasEnded?: boolean } = {}): TestVisit {
  const exchange = createExchange({
    ...request,
    session: { ...session, clinician: login && { one: JSON.stringify({ ...LOGIN, ...login }) } },
  });
  const site = {
    ...{ origin: 'https://app.example', callbackURL: 'http://127.0.0.1:3000/auth/callback' },
    ...{ issuer: 'https://auth.example', flow: 'openid' as const },
  };
  const logins = {
    hasEnded: () => hasEnded,
    known: new Map(),
    lastVerification: () => 'unknown' as const,
    scopeOf: () => [],
  };
  const visits = new Visits(site, 'one', logins, { reportError: () => undefined });
  const passedOn: unknown[] = [];
  const visit = visits.receive(exchange.req, exchange.res, (error) => void passedOn.push(error));
  return { ...exchange, visit, passedOn };
}
