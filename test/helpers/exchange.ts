import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { SessionRequest } from '../../lib/session/site-session.js';

/** The headers of a page view of a current browser. */
export const PAGE_VIEW: Readonly<Record<string, string>> = {
  accept: 'text/html',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
};

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
