import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { SessionLogin } from '../../lib/session/logins.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { type Visit, Visits } from '../../lib/session/visit.js';

interface Request {
  method?: string;
  url?: string;
  headers?: object;
  session?: object | undefined;
  user?: object;
  app?: object;
}

/** A request and its response, without a connection. */
export interface TestExchange {
  req: SessionRequest;
  res: ServerResponse;
  /** The body of the response; undefined while it is not sent. */
  body(): string | undefined;
  /** The location of a redirect. */
  location(): string | undefined;
  /** The cookies that the response sets, as the next request sends them. */
  cookie(): string;
}

export function createExchange({ method = 'GET', url = '/', headers = {}, ...members }: Request = {}): TestExchange {
  const req = Object.assign(new IncomingMessage(new Socket()), {
    method,
    url,
    ...members,
  }) as unknown as SessionRequest;
  Object.assign(req.headers, headers);
  const res = new ServerResponse(req);
  req.res = res;
  let body: string | undefined;
  res.end = ((text = '') => {
    body = String(text);
    return res;
  }) as ServerResponse['end'];
  return {
    req,
    res,
    body: () => body,
    location: () => res.getHeader('Location') as string | undefined,
    cookie: () =>
      [res.getHeader('Set-Cookie') ?? []]
        .flat()
        .map((line) => String(line).split(';', 1)[0] as string)
        .filter((pair) => !pair.endsWith('='))
        .join('; '),
  };
}

/** A request that the middleware has received. */
export interface TestVisit extends TestExchange {
  visit: Visit;
  /** What `next()` was called with, in order. */
  passedOn: unknown[];
}

const LOGIN: SessionLogin = { grantID: 'g', id: '1', since: 0, scope: [] };

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
