import type { RequestHandler } from 'express';
import type { OutageLog } from './log.js';

/** Reports that the session store is unavailable: Express responds with its status. */
class SessionStoreUnavailable extends Error {
  readonly status = 503;
}

/** Responds 503 while the session store is unavailable, so that its users stay signed in. */
export function withUnavailableStatus(session: RequestHandler, outages?: OutageLog): RequestHandler {
  return function sessionOrUnavailable(req, res, next) {
    session(req, res, (error?: unknown) => {
      if (error) {
        outages?.failed(error);
        // After the response, only the expiry of the session was not extended: Express would print the error.
        if (res.writableEnded) return;
        return next(new SessionStoreUnavailable('The session store is unavailable.', { cause: error }));
      }
      // A request without a cookie reads no session.
      if (req.headers.cookie) outages?.succeeded();
      next();
    });
  };
}
